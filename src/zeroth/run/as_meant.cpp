// SPDX-License-Identifier: MIT
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <optional>

#include "zeroth/run/binomial.hpp"
#include "zeroth/run/smoothed_indicator.hpp"
#include "zeroth/run/statement.hpp"

// A chance P(v is bad) <= share, seen by a solver that knows expectations only. Looks at one point several times and at
// other points of X once each tell what kind of value v is:
//   v differs from look to look at one point     noise: the indicator is smoothed
//   v never differs at one point, but between    no noise: v beyond its limit is the whole truth, and has slopes
//   v repeats                                    it counts something: the bare indicator, and slopes under one noise
//   key
//                                                vanish, so the solver is told that noise cannot be shared
// With few evaluations the indicator's edge is smoothed. With many, solvers measure slopes, and an indicator has none
// in most of X: then a hinge takes its place, which rises with how far beyond, and the level that its mean must not
// exceed is what that is for this noise where P(bad) = share. It is measured at the start, and once more at what a
// first round recommends, from where a second begins.
namespace zeroth {
namespace {

struct AsMeantLabel {
  enum : std::uint64_t { pilot_points = 0x6d65616e, pilot_noise, round_seed };
};

constexpr std::int64_t enough_for_slopes = 500;
constexpr double first_round = 0.4;  // of the budget
constexpr double tilt = 0.3;

struct StatementView {
  enum class Kind : std::uint8_t { value, smooth, bare };
  Kind kind = Kind::value;
  SmoothedIndicator smooth;
  double level = 0;

  double of(const Statement& s, double v) const {
    switch (kind) {
      case Kind::value:
        return s.excess(v);
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
  double mean = 0, squares = 0, count = 0;
  for (const double x : v) {
    const double delta = x - mean;
    mean += delta / ++count;
    squares += delta * (x - mean);
  }
  return std::sqrt(squares / (count - 1));
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

// `here`: replicates at one point; `elsewhere`: one look each at other points.
StatementView view_of(const Statement& s, const std::vector<double>& here, const std::vector<double>& elsewhere,
                      bool slopes) {
  if (!s.chance()) return {};
  StatementView view;
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
    // At a point where P(bad) = share, normal noise comes 3.5 sd above its mean once in 4000 looks: there the ramp may
    // begin without being felt.
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
  for (const Statement& s : meaning.statements) flags[1 + s.value] |= static_cast<std::uint8_t>(query.wants(++i));
  for (std::size_t k = 1 + meaning.values.size(); k < flags.size(); ++k) flags[k] = query.wants(++i);
  return flags;
}

Answer as_seen(const Meaning& meaning, const std::vector<StatementView>& views, const Answer& measured) {
  Answer seen = measured;
  if (measured.failed()) return seen;
  seen.values = meaning.of(measured.values);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Statement& s = meaning.statements[i];
    const double v = measured.values[1 + s.value];
    // What was not asked for is no number, and must not become one.
    seen.values[1 + i] = std::isnan(v) ? v : views[i].of(s, v);
  }
  return seen;
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

Search as_meant(Spec spec, Meaning meaning, StartSolver start, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  incumbent.note = "looking at the noise of what is measured";
  spec.indicators = std::ranges::any_of(meaning.statements, &Statement::chance);
  const std::int64_t budget = spec.budget;
  const bool slopes = budget >= enough_for_slopes;
  const std::size_t rounds = slopes ? 2 : 1;
  const auto replicates = static_cast<std::size_t>(slopes ? std::min<std::int64_t>(budget / 20, 400)
                                                          : std::clamp<std::int64_t>(budget / 20, 4, 16));
  const std::size_t others = std::min<std::size_t>(replicates / 2, 8);
  const bool common_noise = spec.common_noise;
  std::int64_t done = 0;
  Rng rng(derive_key(seed, AsMeantLabel::pilot_points));
  std::vector<Query> batch;
  std::vector<StatementView> views(meaning.statements.size());
  std::vector<Answer> meant;
  std::optional<Vector> kept;  // where all promises were kept when it was looked at: what the check may retreat to
  for (std::size_t round = 0; round < rounds; ++round) {
    const bool last = round + 1 == rounds;
    std::vector<Vector> places(replicates + others, incumbent.x);
    for (std::size_t k = replicates; k < places.size(); ++k) places[k] = spec.domain.sample(rng);
    batch.assign(places.size(), {});
    for (std::size_t k = 0; k < batch.size(); ++k)
      batch[k] = {
          as_span(places[k]), noise_key(seed, AsMeantLabel::pilot_noise, static_cast<std::uint64_t>(done) + k), {}};
    const auto pilot = co_await look(batch);
    done += static_cast<std::int64_t>(batch.size());
    bool all_kept = slopes;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const Statement& s = meaning.statements[i];
      std::vector<double> here, elsewhere;
      for (std::size_t k = 0; k < pilot.size(); ++k)
        if (!pilot[k].failed()) (k < replicates ? here : elsewhere).push_back(pilot[k].values[1 + s.value]);
      views[i] = view_of(s, here, elsewhere, slopes);
      const auto bad = std::ranges::count_if(here, [&](double v) { return s.bad(v); });
      all_kept = all_kept && views[i].kind == StatementView::Kind::smooth &&
                 static_cast<double>(bad) < s.share * static_cast<double>(here.size());
    }
    if (all_kept) kept = incumbent.x;
    spec.start = incumbent.x;
    spec.common_noise = common_noise && std::ranges::none_of(views, [](const StatementView& v) {
                          return v.kind == StatementView::Kind::bare;
                        });
    const auto end = last ? budget : static_cast<std::int64_t>(first_round * static_cast<double>(budget));
    // A solver that is chosen by the budget is to be the same in both rounds.
    spec.budget = std::max(slopes ? enough_for_slopes : 1, end - done);
    Search solver = start(spec, derive_key(seed, AsMeantLabel::round_seed, round));
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
      const auto answers = co_await look(batch);
      done += static_cast<std::int64_t>(batch.size());
      meant.resize(batch.size());
      for (std::size_t k = 0; k < batch.size(); ++k) meant[k] = as_seen(meaning, views, answers[k]);
      solver.tell(meant);
      incumbent = solver.recommend();
      if (kept && !incumbent.cautious.empty()) incumbent.cautious.push_back(*kept);
    }
  }
}

}  // namespace zeroth
