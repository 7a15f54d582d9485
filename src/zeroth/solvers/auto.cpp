// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "zeroth/core/statistics/running_moments.hpp"
#include "zeroth/model/normal.hpp"
#include "zeroth/model/sites.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/adaptive_conex.hpp"
#include "zeroth/solvers/best_evaluation.hpp"
#include "zeroth/solvers/exact_local/exact_local.hpp"
#include "zeroth/solvers/trust_bo/trust_bo.hpp"

namespace zeroth {
namespace {

struct AutoLabel {
  enum : std::uint64_t { global = 0x6175746f, local, duel, restart, probe };
};

const double noisy_odds = -std::log(4.0);  // of slopes under noise, before they have shown anything
constexpr double near = 0.1;               // of the set's width: taken for one basin
constexpr double narrow_gain = 1e-6;       // of what was gained since the first evaluation
constexpr double exact_growth = 1.1;       // the same where comparing costs nothing
constexpr double duel_growth = 1.4;        // of the evaluations, from one comparison to the next
constexpr std::size_t most_shared = 200;   // local evaluations that the model takes in at a time

// A step of the model factors one matrix per function and predicts all functions at some hundred candidates: about so
// many multiplications, which must be worth an evaluation's time.
bool model_is_affordable(const Spec& spec) {
  constexpr double sites = 160, predictions = 1600, most = 1e8;
  const auto d = static_cast<double>(spec.dimension()), functions = static_cast<double>(spec.functions());
  return functions * sites * (sites * sites + predictions * d) <= most && std::isfinite(spec.domain.diameter());
}

// A step of the search without noise solves for as many weights as it keeps points, 2n + 1, and slopes.
bool interpolation_is_affordable(Index n) { return std::pow(3.0 * static_cast<double>(n), 3) <= 1e8; }

// The real variables alone, the others held: what a search by slopes can move.
class RealPart {
 public:
  RealPart(const Spec& spec, const UnitBox* box) : size_(spec.dimension()) {
    for (Index k = 0; k < spec.dimension(); ++k)
      if (!box || !box->whole(k)) reals_.push_back(k);
    separable_ = (whole() && !spec.active) || (box && box->is_box());
    all_reals_ = reals_;
  }
  // Those that count where the others are held.
  void hold(const UnitBox* box, const Vector& point) {
    if (!box || !box->conditional()) return;
    const auto active = box->active(box->to_unit(point));
    reals_.clear();
    for (const Index k : all_reals_)
      if (active[static_cast<std::size_t>(k)] != 0) reals_.push_back(k);
  }
  bool whole() const { return static_cast<Index>(reals_.size()) == size_; }
  bool usable() const { return !all_reals_.empty() && separable_; }
  bool any_to_move() const { return !reals_.empty(); }

  Spec spec_at(const Spec& spec, const UnitBox* box, const Vector& start) const {
    Spec local = spec;
    local.start = start;
    local.evaluated.clear();
    if (whole()) return local;
    local.integer.clear();
    local.categories.clear();
    local.active = {};
    local.log_offset.resize(0);
    const auto n = static_cast<Index>(reals_.size());
    Vector lower(n), upper(n), first(n);
    for (Index j = 0; j < n; ++j) {
      const Index k = reals_[static_cast<std::size_t>(j)];
      lower[j] = box->lower(k);
      upper[j] = box->upper(k);
      first[j] = start[k];
    }
    local.domain = Domain::box(lower, upper);
    local.start = first;
    return local;
  }
  Vector with(const Vector& held, std::span<const double> reals) const {
    if (whole()) return as_vector(reals);
    Vector x = held;
    for (std::size_t j = 0; j < reals_.size(); ++j) x[reals_[j]] = reals[j];
    return x;
  }

 private:
  Index size_;
  std::vector<Index> reals_, all_reals_;
  bool separable_ = true;
};

std::uint64_t hash_of(std::span<const double> x) {
  std::uint64_t h = 0;
  for (const double v : x) h = derive_key(h, std::bit_cast<std::uint64_t>(v));
  return h;
}

// Which points one side asked for.
class Asked {
 public:
  void add(std::span<const double> x) { seen_.insert(hash_of(x)); }
  bool contains(std::span<const double> x) const { return seen_.contains(hash_of(x)); }

 private:
  std::unordered_set<std::uint64_t> seen_;
};

// Whether every evaluation of a point gave the values of the first one there.
class Repeats {
 public:
  bool agree(std::span<const double> x, std::span<const double> values) {
    const std::uint64_t now = hash_of(values);
    const auto [known, is_new] = first_.emplace(hash_of(x), now);
    return is_new || known->second == now;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> first_;
};

constexpr double clearly = 10;

// A point as fresh evaluations and the model see it together: the model's word counts by its error, widened, and not
// where fresh evaluations contradict it.
struct Seen {
  double objective = 0, error = 0;
  double violated = 0;  // probability that some limit is broken
};

Seen seen(const Site& site, const Site& other, const Belief& belief, const Spec& spec, const Vector& scale) {
  constexpr double modesty = 1.5, contradiction = 2.5;
  Seen out;
  for (Index i = 0; i < spec.functions(); ++i) {
    // Few evaluations each: the variance is that of both points.
    const auto freedom = static_cast<double>(site.answered + other.answered - 2);
    const double variance = freedom > 0 ? (site.squares[i] + other.squares[i]) / freedom : 0;
    double mean = site.mean[i], error2 = variance / static_cast<double>(site.answered);
    if (belief.sd.size() > i) {
      const double sd2 = std::pow(modesty * belief.sd[i], 2), gap = mean - belief.mean[i];
      if (sd2 > 0 && std::isfinite(gap) && gap * gap <= contradiction * contradiction * (error2 + sd2)) {
        const double weight = sd2 / (sd2 + error2);
        mean -= (1 - weight) * gap;
        error2 *= weight;
      }
    }
    if (i == 0) {
      out.objective = mean;
      out.error = std::sqrt(error2);
      continue;
    }
    const double rounding = 1e-6 * std::max(scale[i], 1e-300);
    const double beyond = i > spec.constraints ? std::abs(mean) - 0.01 * scale[i] : mean - rounding;
    const double p = error2 > 0 ? normal_cdf(beyond / std::sqrt(error2)) : beyond > 0 ? 1.0 : 0.0;
    out.violated = std::min(1.0, out.violated + p);
  }
  return out;
}

// How much better the local side's recommendation is, in standard errors of the objective where both are as likely to
// be feasible; otherwise the likelier one is better.
double lead_of(const Site& local, const Site& global, const RunningMoments& paired, const Incumbent& model,
               const Spec& spec, const Vector& scale) {
  if (local.answered == 0 || global.answered == 0)
    return local.answered > 0 ? clearly : global.answered > 0 ? -clearly : 0;
  const auto belief = [&](const Vector& x) { return model.believe ? model.believe(x) : Belief{}; };
  const Seen a = seen(local, global, belief(local.unit), spec, scale),
             b = seen(global, local, belief(global.unit), spec, scale);
  constexpr double even = 0.5;
  if (std::max(a.violated, b.violated) > even && std::abs(a.violated - b.violated) > 0.1)
    return a.violated < b.violated ? clearly : -clearly;
  double gap = b.objective - a.objective, error = std::hypot(a.error, b.error);
  if (paired.count >= 3 && paired.standard_error() < error) {
    gap = paired.mean;
    error = paired.standard_error();
  }
  return error > 0 ? gap / error : gap > 0 ? clearly : gap < 0 ? -clearly : 0;
}

}  // namespace

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const bool modelled = model_is_affordable(spec);
  std::optional<UnitBox> box;
  if (modelled) box.emplace(spec);
  RealPart reals(spec, box ? &*box : nullptr);

  const auto elsewhere = std::make_shared<Elsewhere>();
  std::optional<Search> global, local;
  if (modelled || !reals.usable())
    global.emplace(trust_bo_beside_others(spec, {}, derive_key(seed, AutoLabel::global), elsewhere));
  Vector held = incumbent.x;
  std::uint64_t starts = 0;
  bool shared = spec.common_noise;
  // No noise in sight: no replicate has differed yet. The model begins with two evaluations of the start, and the best
  // point is evaluated again now and then.
  bool exact = global.has_value();
  Repeats repeats;
  Answer first;
  BestEvaluation best(spec.constraints);
  BestEvaluation best_of_local(spec.constraints);
  Vector best_x = incumbent.x;
  double best_at_begin = 0;                // the best value when the present local search began
  std::vector<Vector> ends;                // of local searches that finished
  Asked by_global, by_local;               // whoever asked first
  std::unordered_set<std::uint64_t> keys;  // of evaluations by slopes that the model has learned from
  std::int64_t local_since = 0;            // evaluations of the present local search
  const auto begin_local = [&](const Vector& from) {
    held = from;
    reals.hold(box ? &*box : nullptr, from);
    if (!reals.any_to_move()) {
      local.reset();
      return;
    }
    Spec at = reals.spec_at(spec, box ? &*box : nullptr, from);
    at.common_noise = shared;
    local.emplace(exact && interpolation_is_affordable(at.dimension())
                      ? exact_local_search(at)
                      : adaptive_conex(at, {}, derive_key(seed, AutoLabel::local, starts)));
    ++starts;
    local_since = 0;
    best_at_begin = best.value();
    best_of_local = BestEvaluation(spec.constraints);
  };
  if (!global) begin_local(incumbent.x);

  std::vector<Vector> x;
  std::vector<Query> batch;
  std::int64_t done = 0, global_spent = 0, local_spent = 0, duels = 0, local_wins = 0;
  const auto design = static_cast<std::int64_t>(std::lround(6 * std::sqrt(static_cast<double>(spec.dimension()))) + 1);
  // A local search needs some evaluations per variable before it can show anything.
  const auto local_first = 2 * (spec.dimension() + 2);
  auto next_duel =
      std::min<std::int64_t>(design + 2 * local_first, std::max<std::int64_t>(design + 4, spec.budget / 2));
  double log_odds = 0;  // of the local side's share
  const double most_odds = std::log((1 - options.least_share) / std::max(options.least_share, 1e-9));
  // Slopes do not move integer variables: there the model keeps half.
  const double most_local_odds = reals.whole() ? most_odds : std::min(most_odds, 0.0);
  const bool spares = spec.cost.size() > 0;  // the model does without dear values, slopes need every one
  bool local_leads = !global, was_exact = exact;
  std::int64_t next_probe = 4 * design;
  Incumbent champion;                             // the local side's recommendation when it won a comparison
  Vector scale = Vector::Zero(spec.functions());  // largest values seen
  std::vector<Vector> kept;                       // what won a comparison stays a candidate
  for (;;) {
    // Whose turn it is: who is furthest behind the share that it deserves.
    const double local_share = !global ? 1 : !local ? 0 : 1 / (1 + std::exp(-log_odds));
    const bool local_turn = local && (!global || static_cast<double>(local_spent) * (1 - local_share) <=
                                                     static_cast<double>(global_spent - design) * local_share);
    Search& side = local_turn ? *local : *global;
    if (side.done()) {
      if (!local_turn || !global) co_return;
      // Without noise a search may end on a narrow way down: as long as it gains, the next one goes on from there.
      if (exact && !first.values.empty() &&
          best_at_begin - best.value() > narrow_gain * std::abs(first.values[0] - best.value())) {
        begin_local(best_x);
        continue;
      }
      // A local optimum is reached. The next search begins away from those that are known: at what the model thinks
      // best, or anywhere.
      ends.push_back(reals.with(held, as_span(local->recommend().x)));
      const auto away = [&](const Vector& point) {
        return std::ranges::all_of(ends, [&](const Vector& end) {
          return (box->to_unit(point) - box->to_unit(end)).lpNorm<Eigen::Infinity>() > near;
        });
      };
      const Incumbent& model = global->recommend();
      Rng rng(derive_key(seed, AutoLabel::restart, starts));
      Vector next = spec.domain.sample(rng);
      for (const Vector& candidate : model.candidates)
        if (away(candidate)) {
          next = candidate;
          break;
        }
      if (box->any_categories() || box->conditional()) next = box->to_domain(box->to_unit(next));
      begin_local(next);
      continue;
    }
    const auto asked = side.ask();
    x.clear();
    batch.assign(asked.begin(), asked.end());
    if (local_turn && !reals.whole()) {
      for (const Query& q : asked) x.push_back(reals.with(held, q.x));
      for (std::size_t k = 0; k < batch.size(); ++k) batch[k].x = as_span(x[k]);
    }
    for (Query& q : batch) q.whole = local_turn;  // slopes need every value
    {
      const auto answers = co_await evaluate(batch);
      for (std::size_t k = 0; k < batch.size(); ++k) {
        if (!local_turn) by_global.add(batch[k].x);
        else if (global && !by_global.contains(batch[k].x)) by_local.add(batch[k].x);
        if (answers[k].failed() || !batch[k].wanted.empty() || !batch[k].weights.empty()) continue;
        if (std::ranges::any_of(answers[k].values, [](double v) { return std::isnan(v); })) continue;  // not asked for
        if (first.values.empty()) first = answers[k];
        if (exact && !repeats.agree(batch[k].x, answers[k].values)) exact = false;
        if (local_turn) best_of_local.offer(answers[k].values);
        if (best.offer(answers[k].values)) best_x = as_vector(batch[k].x);
        for (Index i = 0; i < spec.functions(); ++i)
          scale[i] =
              std::max(scale[i], std::min(Sites::largest, std::abs(answers[k].values[static_cast<std::size_t>(i)])));
      }
      // Evaluations under one key share their noise, which a model would take for the function: one of each key.
      if (local_turn && global)
        for (std::size_t k = 0; k < batch.size() && elsewhere->x.size() < most_shared; ++k)
          if (batch[k].wanted.empty() && batch[k].weights.empty() &&
              (exact || !spec.common_noise || keys.insert(batch[k].noise).second)) {
            elsewhere->add(as_vector(batch[k].x), answers[k], batch[k].noise);
          }
      side.tell(answers);
    }
    done += static_cast<std::int64_t>(batch.size());
    (local_turn ? local_spent : global_spent) += static_cast<std::int64_t>(batch.size());
    if (local_turn) local_since += static_cast<std::int64_t>(batch.size());
    if (global && !local && reals.usable() && global_spent >= design) {
      begin_local(exact ? best_x : global->recommend().x);
      // Without noise slopes are what they are; under noise, or where it costs more, the search by slopes has to earn
      // its share.
      log_odds = exact && !spares ? std::log(3.0) : noisy_odds;
    }

    const auto of_local = [&] {
      Incumbent i = local->recommend();
      i.x = reals.with(held, as_span(i.x));
      for (Vector& c : i.cautious) c = reals.with(held, as_span(c));
      for (Vector& c : i.candidates) c = reals.with(held, as_span(c));
      return i;
    };
    if (exact && global && done >= next_probe) {
      batch.assign(1, {as_span(best_x), noise_key(seed, AutoLabel::probe, static_cast<std::uint64_t>(done)), {}});
      batch.front().whole = true;
      const auto answers = co_await evaluate(batch);
      ++done;
      if (!answers[0].failed()) exact = repeats.agree(as_span(best_x), answers[0].values);
      elsewhere->add(best_x, answers[0], batch[0].noise);
      next_probe = static_cast<std::int64_t>(duel_growth * static_cast<double>(done)) + 1;
    }
    if (local && was_exact && !exact) begin_local(global->recommend().x);  // slopes under noise need another search
    was_exact = exact;
    if (global && local && done >= next_duel) {
      const Incumbent of_slopes = of_local(), of_model = global->recommend();
      const Vector &ours = of_slopes.x, &theirs = of_model.x;
      const bool found_by_local = by_local.contains(as_span(exact ? best_x : theirs));
      double lead = 0;
      if (exact) {
        // The best that was seen is known. In one basin the model only helps along; in another it has found something.
        const bool same_basin = !first.values.empty() &&
                                (box->to_unit(ours) - box->to_unit(best_x)).lpNorm<Eigen::Infinity>() <= near &&
                                best_of_local.violation() <= best.violation() &&
                                best_of_local.value() - best.value() <= near * (first.values[0] - best.value());
        lead = found_by_local || same_basin ? 1 : -clearly;
        local_leads = lead > 0;
      } else {
        Site at_local{ours, 0, 0, Vector::Zero(spec.functions()), Vector::Zero(spec.functions())};
        Site at_global = at_local;
        at_global.unit = theirs;
        RunningMoments paired;  // objectives under the same noise: the model's less ours
        const auto rounds = std::max<std::int64_t>(
            3, static_cast<std::int64_t>(options.compare * (1 - 1 / duel_growth) * static_cast<double>(done)) / 2);
        for (std::int64_t r = 0; r < rounds && ours != theirs; ++r) {
          batch.clear();
          for (const Vector* p : {&ours, &theirs})
            batch.push_back(
                {as_span(*p), noise_key(seed, AutoLabel::duel, static_cast<std::uint64_t>(done)), {}, {}, true});
          const auto answers = co_await evaluate(batch);
          for (std::size_t k = 0; k < 2; ++k) {
            Site& s = k == 0 ? at_local : at_global;
            if (answers[k].failed()) ++s.failed;
            else s.add(answers[k].values);
            elsewhere->add(k == 0 ? ours : theirs, answers[k], batch[k].noise);
          }
          if (!answers[0].failed() && !answers[1].failed()) paired.add(answers[1].values[0] - answers[0].values[0]);
          done += 2;
        }
        lead = ours == theirs ? 0 : lead_of(at_local, at_global, paired, of_model, spec, scale);
        champion = lead > 0 ? of_slopes : of_model;
        local_leads = lead > 0;
        // What the model recommends may have been found by slopes: then they lead, whoever recommends it.
        if (found_by_local) lead = std::max(lead, 1.0);
      }
      ++duels;
      local_wins += lead > 0;
      const double undecided = exact ? 0.0 : noisy_odds;
      log_odds = std::abs(lead) < 1 ? 0.5 * (log_odds + undecided) : log_odds + std::copysign(std::log(2.0), lead);
      // Without noise nothing finishes like slopes: a better basin is where they begin anew, and they keep half.
      log_odds = std::clamp(log_odds, exact && !spares ? std::min(0.0, most_local_odds) : -most_odds, most_local_odds);
      kept.insert(kept.begin(), exact ? best_x : champion.x);
      constexpr std::size_t most_kept = 8;
      if (kept.size() > most_kept) kept.pop_back();
      // Clearly beaten: slopes led elsewhere. Under one seed they may be biased by jumps, so the next start does
      // without sharing seeds.
      if (lead < -2 && local_since >= (exact ? 1 : 4) * local_first) {
        shared = spec.common_noise && !shared;
        begin_local(exact ? best_x : theirs);
      }
      const double growth = exact ? exact_growth : duel_growth;
      next_duel = std::max(done + 2, static_cast<std::int64_t>(growth * static_cast<double>(done)));
      // The last word is a fresh one.
      const auto last = spec.search_budget() - std::max<std::int64_t>(4, spec.search_budget() / 20);
      if (done < last) next_duel = std::min(next_duel, last);
    }
    // Under noise a local search is believed as far as it was compared: on its way it may wander anywhere.
    incumbent = !local_leads || !local ? global->recommend() : global && !exact ? champion : of_local();
    const std::string leader = local_leads && local ? (exact ? "slopes" : "adaptive-conex") : "trust-bo";
    incumbent.chosen = leader;
    if (exact && global) incumbent.x = best_x;  // without noise what was seen is what it is
    if (global) {
      // Of all that is known: the model learns from both sides.
      const Incumbent& model = global->recommend();
      incumbent.believe = model.believe;
      incumbent.cautious_at = model.cautious_at;
      incumbent.expected_improvement = model.expected_improvement;
      incumbent.possible_gain = model.possible_gain;
      incumbent.several_optima = model.several_optima;
      if (incumbent.multipliers.size() == 0) incumbent.multipliers = model.multipliers;
      if (local) incumbent.candidates.insert(incumbent.candidates.begin(), of_local().x);
      incumbent.candidates.insert(incumbent.candidates.begin(), global->recommend().x);
      incumbent.candidates.insert(incumbent.candidates.begin(), kept.begin(), kept.end());
      incumbent.trace["local_share"] = local_share;
    }
    const std::string own = incumbent.note.empty() ? "" : "; " + incumbent.note;
    incumbent.note = !global  ? "adaptive-conex: a model of the whole set would cost too much here" + own
                     : !local ? "trust-bo: no real variables to follow slopes in" + own
                              : fmt::format(
                                    "{}: {} of {} comparisons went to the search by slopes, which gets {:.0f} % of the "
                                    "evaluations now{}",
                                    leader, local_wins, duels, 100 * local_share, own);
  }
}

}  // namespace zeroth
