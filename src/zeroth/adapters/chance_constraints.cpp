// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <deque>
#include <optional>

#include "zeroth/adapters/smoothed_indicator.hpp"
#include "zeroth/adapters/statement.hpp"
#include "zeroth/adapters/tail_model.hpp"
#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/core/statistics/running_moments.hpp"

// A chance P(v is bad) <= share, seen by a solver that knows expectations only. Evaluates one point several times and
// at other points of X once each tell what kind of value v is:
//   v differs from evaluation to evaluation at one point     noise: the indicator is smoothed
//   v never differs at one point, but between    no noise: v beyond its limit is the whole truth, and has slopes
//   v repeats                                    it counts something: the bare indicator, and slopes under one noise
//   key
//                                                vanish, so the solver is told that noise cannot be shared
// The indicator's edge is smoothed. Solvers that measure slopes with many evaluations find none in most of X: for them
// a hinge takes its place, which rises with how far beyond, and the level that its mean must not
// exceed is what that is for this noise where P(bad) = share. It is measured at the start, and once more at what a
// first round recommends, from where a second begins.
//
// Of a CVaR every evaluation becomes one at its upper bound of Rockafellar and Uryasev (tail_model.hpp), learned as it
// goes.
namespace zeroth {
namespace {

struct ChanceConstraintsLabel {
  enum : std::uint64_t { pilot_points = 0x6d65616e, pilot_noise, round_seed };
};

constexpr std::int64_t enough_for_slopes = 500;
constexpr double first_round = 0.4;  // of the budget
constexpr double tilt = 0.3;

struct StatementView {
  enum class Kind : std::uint8_t { value, smooth, bare, tail };
  Kind kind = Kind::value;
  SmoothedIndicator smooth;
  double level = 0;
  std::optional<TailModel> tail;

  double of(const Statement& s, std::span<const double> x, double v) const {
    switch (kind) {
      case Kind::value:
        return s.excess(v);
      case Kind::tail:
        return tail->of(x, s.excess(v));
      case Kind::smooth:
        return smooth(s.excess(v)) - level;
      case Kind::bare:
        break;
    }
    return s.of(v);
  }
};

bool all_differ(std::vector<double> v) {
  std::ranges::sort(v);
  return std::ranges::adjacent_find(v) == v.end();
}

double deviation(const std::vector<double>& v) {
  RunningMoments moments;
  for (const double x : v) moments.add(x);
  return moments.deviation();
}

// The mean of the smoothed indicator where P(bad) = share, were the noise there what it is here.
double level_of(const SmoothedIndicator& smooth, const Statement& s, const std::vector<double>& here) {
  std::vector<double> excess;
  for (const double v : here) excess.push_back(s.excess(v));
  const double quantile = sample_quantile(excess, 1 - s.share);
  double level = 0;
  for (const double e : excess) level += smooth(e - quantile) / static_cast<double>(excess.size());
  return level;
}

// `here`: replicates at one point; `elsewhere`: one evaluation each at other points.
StatementView view_of(const Statement& s, const std::vector<double>& here, const std::vector<double>& elsewhere,
                      bool slopes) {
  if (!s.chance() && !s.cvar()) return {};
  StatementView view;
  if (s.cvar()) {
    // Without noise the mean of the worst is the value itself.
    const bool repeats = here.size() > 1 && std::ranges::adjacent_find(here, std::not_equal_to{}) == here.end() &&
                         elsewhere.size() > 1 && all_differ(elsewhere);
    if (repeats) return view;
    view.kind = StatementView::Kind::tail;
    view.tail.emplace(s.share);
    return view;
  }
  view.kind = StatementView::Kind::bare;
  if (here.size() < 2) return view;
  const bool same = std::ranges::adjacent_find(here, std::not_equal_to{}) == here.end();
  if (same && elsewhere.size() > 1 && all_differ(elsewhere)) view.kind = StatementView::Kind::value;
  if (!all_differ(here)) return view;
  const double sd = deviation(here);
  if (!(sd > 0) || !std::isfinite(sd)) return view;
  view.kind = StatementView::Kind::smooth;
  if (slopes) {
    // Half a deviation inside the limit a hinge's mean changes with the noise's deviation as a tail's quantile does;
    // the line keeps a slope where nothing is bad.
    view.smooth = {0, 0, -sd, 1 / sd, sd, tilt / sd};
    view.level = level_of(view.smooth, s, here);
  } else {
    // At a point where P(bad) = share, normal noise comes 3.5 sd above its mean once in 4000 evaluations: there the
    // ramp may begin without being felt.
    const double far = std::max(2.0, 3.5 - boost::math::quantile(boost::math::normal(), 1 - s.share));
    view.smooth = {1, smoothing * sd, far * sd, 0.25 / sd, sd, 0};
    view.level = s.share;
  }
  return view;
}

// Which of the measured functions a batch of the solver wants: a value that any wanted statement is about.
std::vector<std::uint8_t> measured_flags(const Meaning& meaning, const Query& query) {
  std::vector<std::uint8_t> flags(static_cast<std::size_t>(meaning.measured()), 0);
  flags[0] = query.wants(0);
  Index i = 0;
  for (const Statement& s : meaning.statements) flags[s.place()] |= static_cast<std::uint8_t>(query.wants(++i));
  for (std::size_t k = 1 + meaning.values.size(); k < flags.size(); ++k) flags[k] = query.wants(++i);
  return flags;
}

// How the solver sees the objective and the statements.
struct Views {
  StatementView objective;
  std::vector<StatementView> of;
};

Answer as_seen(const Meaning& meaning, const Views& views, std::span<const double> x, const Answer& measured) {
  Answer seen = measured;
  if (measured.failed()) return seen;
  seen.values = meaning.of(measured.values);
  if (meaning.objective && !std::isnan(seen.values[0]))
    seen.values[0] = views.objective.of(*meaning.objective, x, measured.values[0]);
  for (std::size_t i = 0; i < views.of.size(); ++i) {
    const Statement& s = meaning.statements[i];
    const double v = s.in(measured.values, meaning.maximize);
    // What was not asked for is no number, and must not become one.
    seen.values[1 + i] = std::isnan(v) ? v : views.of[i].of(s, x, v);
  }
  if (measured.se.empty()) return seen;
  seen.se.resize(seen.values.size());
  seen.se[0] = meaning.objective ? std::nan("") : measured.se[0];
  // Whether a value is bad is one bit: its mean's error says nothing of that of the bit.
  for (std::size_t i = 0; i < views.of.size(); ++i)
    seen.se[1 + i] =
        meaning.statements[i].kind != Statement::Kind::mean ? std::nan("") : measured.se[meaning.statements[i].place()];
  std::ranges::copy(std::span(measured.se).subspan(1 + meaning.values.size()),
                    seen.se.begin() + 1 + static_cast<std::ptrdiff_t>(views.of.size()));
  return seen;
}

// Tails are learned from every evaluation.
void learn(const Meaning& meaning, Views& views, std::span<const double> x, const Answer& measured) {
  if (measured.failed()) return;
  if (views.objective.tail && !std::isnan(measured.values[0])) views.objective.tail->observe(x, measured.values[0]);
  for (std::size_t i = 0; i < views.of.size(); ++i)
    if (views.of[i].tail) {
      const Statement& s = meaning.statements[i];
      if (const double v = s.in(measured.values, meaning.maximize); !std::isnan(v))
        views.of[i].tail->observe(x, s.excess(v));
    }
}

void update(Views& views) {
  if (views.objective.tail) views.objective.tail->update();
  for (StatementView& v : views.of)
    if (v.tail) v.tail->update();
}

}  // namespace

double SmoothedIndicator::operator()(double excess) const {
  double value = tilt * excess;
  if (height > 0) {
    const double z = excess / width;
    if (z >= 1) value += height;
    else if (z > -1) value += height * (0.5 + z * (15.0 / 16) * (1 - z * z * (2.0 / 3) + z * z * z * z * 0.2));
  }
  const double beyond = excess - ramp;
  if (beyond > 0) value += slope * (beyond < bend ? beyond * beyond / (2 * bend) : beyond - bend / 2);
  return value;
}

Search with_chance_constraints(Spec spec, Meaning meaning, StartSolver start, bool by_slopes, std::uint64_t seed,
                               bool anywhere) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  incumbent.note = "measuring the noise";
  spec.indicators = std::ranges::any_of(meaning.statements, &Statement::chance);
  const bool means_alone = !meaning.objective && std::ranges::all_of(meaning.statements, [](const Statement& s) {
    return s.kind == Statement::Kind::mean;
  });
  const std::int64_t budget = spec.budget;
  const bool slopes = by_slopes && budget >= enough_for_slopes;
  const std::size_t rounds = slopes && spec.indicators ? 2 : 1;
  const auto replicates = static_cast<std::size_t>(slopes ? std::min<std::int64_t>(budget / 20, 400)
                                                          : std::clamp<std::int64_t>(budget / 20, 4, 16));
  const std::size_t others = !anywhere ? 0 : std::min<std::size_t>(replicates / 2, 8);
  const bool common_noise = spec.common_noise;
  std::int64_t done = 0;
  Rng rng(derive_key(seed, ChanceConstraintsLabel::pilot_points));
  std::vector<Query> batch;
  Views views{{}, std::vector<StatementView>(meaning.statements.size())};
  std::vector<Answer> stated;
  const std::vector<Evaluated> measured_before = std::move(spec.evaluated);
  std::optional<Vector> kept;  // where all promises were kept when it was evaluated: what the check may retreat to
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool last = round + 1 == rounds;
    std::vector<Vector> places(replicates + others, incumbent.x);
    for (std::size_t k = replicates; k < places.size(); ++k) places[k] = spec.domain.sample(rng);
    batch.assign(places.size(), {});
    for (std::size_t k = 0; k < batch.size(); ++k)
      batch[k] = {as_span(places[k]),
                  noise_key(seed, ChanceConstraintsLabel::pilot_noise, static_cast<std::uint64_t>(done) + k),
                  {}};
    const auto pilot = co_await evaluate(batch);
    done += static_cast<std::int64_t>(batch.size());
    bool all_kept = slopes;
    const auto evaluation_at = [&](const Statement& s, StatementView& view) {
      std::vector<double> here, elsewhere;
      for (std::size_t k = 0; k < pilot.size(); ++k)
        if (!pilot[k].failed()) (k < replicates ? here : elsewhere).push_back(s.in(pilot[k].values, meaning.maximize));
      view = view_of(s, here, elsewhere, slopes);
      return here;
    };
    if (meaning.objective) evaluation_at(*meaning.objective, views.objective);
    for (std::size_t i = 0; i < views.of.size(); ++i) {
      const Statement& s = meaning.statements[i];
      const std::vector<double> here = evaluation_at(s, views.of[i]);
      const auto bad = std::ranges::count_if(here, [&](double v) { return s.bad(v); });
      all_kept = all_kept && views.of[i].kind == StatementView::Kind::smooth &&
                 static_cast<double>(bad) < s.share * static_cast<double>(here.size());
    }
    for (std::size_t k = 0; k < pilot.size(); ++k) learn(meaning, views, batch[k].x, pilot[k]);
    for (const Evaluated& e : measured_before)
      if (e.count == 1) learn(meaning, views, as_span(e.x), {e.values, {}, e.se});
    update(views);
    if (all_kept) kept = incumbent.x;
    spec.start = incumbent.x;
    spec.common_noise = common_noise && std::ranges::none_of(views.of, [](const StatementView& v) {
                          return v.kind == StatementView::Kind::bare;
                        });
    const auto end = last ? budget : static_cast<std::int64_t>(first_round * static_cast<double>(budget));
    // A solver that is chosen by the budget is to be the same in both rounds.
    spec.budget = std::max(slopes ? enough_for_slopes : 1, end - done);
    spec.evaluated.clear();
    for (const Evaluated& e : measured_before) {
      Answer seen = as_seen(meaning, views, as_span(e.x), {e.values, {}, e.se});
      // A mean of several evaluations says nothing of how often they were bad, nor how bad.
      if (e.count > 1 && !means_alone) continue;
      spec.evaluated.push_back({e.x, std::move(seen.values), std::move(seen.se), e.count});
    }
    Search solver = start(spec, derive_key(seed, ChanceConstraintsLabel::round_seed, round));
    std::deque<Vector> open;  // points without an answer yet, oldest first
    while (!solver.done()) {
      const auto asked = solver.ask();
      if (!last && done + static_cast<std::int64_t>(asked.size()) > end) break;
      batch.assign(asked.begin(), asked.end());
      std::vector<std::vector<std::uint8_t>> flags(batch.size());
      for (std::size_t k = 0; k < batch.size(); ++k)
        if (!asked[k].wanted.empty()) {
          flags[k] = measured_flags(meaning, asked[k]);
          batch[k].wanted = flags[k];
        }
      for (const Query& q : batch) open.push_back(as_vector(q.x));
      // The first round ends with a comparison, for which nothing may be open.
      const auto answers = co_await propose(batch, last && solver.proposes());
      done += static_cast<std::int64_t>(batch.size());
      stated.resize(answers.size());
      for (std::size_t k = 0; k < answers.size(); ++k) learn(meaning, views, as_span(open[k]), answers[k]);
      update(views);
      for (std::size_t k = 0; k < answers.size(); ++k)
        stated[k] = as_seen(meaning, views, as_span(open[k]), answers[k]);
      open.erase(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(answers.size()));
      solver.tell(stated);
      incumbent = solver.recommend();
      if (kept && !incumbent.cautious.empty()) incumbent.cautious.push_back(*kept);
    }
  }
}

}  // namespace zeroth
