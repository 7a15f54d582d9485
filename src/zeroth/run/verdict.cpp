// SPDX-License-Identifier: MIT
#include "zeroth/run/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/run/retreat.hpp"
#include "zeroth/run/run_state.hpp"
#include "zeroth/run/shadow_prices.hpp"

namespace zeroth {
namespace {

void describe(const CheckedPoint& checked, Index function, ConstraintResult& c) {
  c.value = checked.estimate(function);
  c.interval = checked.interval(function);
}

std::string name_of(const std::vector<std::string>& names, Index k, const char* prefix) {
  return k < static_cast<Index>(names.size()) ? names[static_cast<std::size_t>(k)] : prefix + std::to_string(k + 1);
}

Chance chance_of(const Statement& s, const CheckedPoint& checked, Index i) {
  if (s.kind == Statement::Kind::quantile) {
    const Interval q = quantile_sequence(checked.values(i), s.level);
    return {true, sample_quantile(checked.values(i), s.level), q.low, q.high};
  }
  const std::int64_t seen = s.about_bad ? checked.bad(i) : checked.evaluations() - checked.bad(i);
  const Interval p = share_interval(seen, checked.evaluations());
  return {false, static_cast<double>(seen) / static_cast<double>(checked.evaluations()), p.low, p.high};
}

// In the user's units: where small is bad the excess counts downwards.
Chance cvar_of(const Statement& s, const TailMean& tail) {
  if (!s.bad_above) return {false, s.limit - tail.mean, s.limit - tail.upper(), s.limit - tail.lower(), true};
  return {false, s.limit + tail.mean, s.limit + tail.lower(), s.limit + tail.upper(), true};
}

}  // namespace

std::string to_string(Feasibility feasibility) {
  switch (feasibility) {
    case Feasibility::confirmed:
      return "confirmed";
    case Feasibility::infeasible:
      return "infeasible";
    case Feasibility::undecided:
      break;
  }
  return "undecided";
}

std::string to_string(Status status) {
  switch (status) {
    case Status::interrupted:
      return "interrupted";
    case Status::infeasible:
      return "infeasible";
    case Status::undecided:
      return "undecided";
    case Status::stopped:
      return "stopped";
    case Status::local:
      return "local";
    case Status::converged:
      return "converged";
    case Status::budget:
      break;
  }
  return "budget";
}

Incumbent believable(const Spec& spec, Incumbent incumbent) {
  if (std::ranges::find(spec.integer, true) != spec.integer.end())
    incumbent.kkt_residual = incumbent.kkt_se = std::nan("");
  return incumbent;
}

void summarize(const Spec& spec, const EqualityRule& rule, const CheckedPoint& checked, const Incumbent& incumbent,
               const FunctionNames& names, Result& result) {
  result.replicates = checked.evaluations();
  result.objective = checked.estimate(0);
  result.objective_interval = checked.interval(0);
  result.kkt_residual = {incumbent.kkt_residual, incumbent.kkt_se};
  for (Index i = 1; i <= spec.constraints; ++i) {
    ConstraintResult c;
    c.name = name_of(names.constraints, i - 1, "c");
    describe(checked, i, c);
    c.probability_feasible = checked.probability_feasible(i);
    if (const Statement* s = checked.chance(i); s && checked.evaluations() > 0) c.chance = chance_of(*s, checked, i);
    if (const Statement* s = checked.cvar(i); s && checked.evaluations() > 0) c.chance = cvar_of(*s, checked.tail(i));
    result.constraints.push_back(std::move(c));
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    EqualityResult h;
    h.name = name_of(names.equalities, j, "h");
    describe(checked, 1 + spec.constraints + j, h);
    h.tolerance = rule.tolerance(j, h.value.se);
    h.probability_feasible = rule.probability(j, h.value, checked.evaluations());
    if (checked.evaluations() > 1) {
      const double half = h.interval.half_width();
      h.low = std::max(0.0, std::abs(h.value.mean) - half);
      h.high = std::abs(h.value.mean) + half;
    }
    result.equalities.push_back(std::move(h));
  }
}

double probability_all_feasible(const Result& result) {
  double missing = 0;
  for (const auto& c : result.constraints) missing += 1 - c.probability_feasible;
  for (const auto& h : result.equalities) missing += 1 - h.probability_feasible;
  return std::isnan(missing) ? 0 : std::max(0.0, 1 - missing);
}

Feasibility feasibility_of(const FeasibilityBounds& answer, double most_feasible_other, double confidence) {
  if (answer.low >= confidence) return Feasibility::confirmed;
  return std::max(answer.high, most_feasible_other) <= 1 - confidence ? Feasibility::infeasible
                                                                      : Feasibility::undecided;
}

bool refuted(const Result& result) {
  return std::ranges::any_of(result.constraints, [](const ConstraintResult& c) { return c.interval.low > 0; }) ||
         std::ranges::any_of(result.equalities, [](const EqualityResult& h) { return h.low > h.tolerance; });
}

std::optional<std::int64_t> evaluations_to_decide(const Spec& spec, const EqualityRule& rule,
                                                  const CheckedPoint& checked, double confidence) {
  if (checked.evaluations() < 2) return {};
  const double each = 1 - (1 - confidence) / static_cast<double>(std::max<Index>(1, spec.functions() - 1));
  const double z = boost::math::quantile(boost::math::normal(), each);
  double most = 0;
  for (Index i = 1; i < spec.functions(); ++i) {
    const Index j = i - 1 - spec.constraints;
    const Estimate e = i <= spec.constraints ? checked.pooled(i) : checked.estimate(i);
    const double p = j < 0 ? checked.probability_feasible(i) : rule.probability(j, e, checked.evaluations());
    if (p >= each || p <= 1 - each) continue;
    const double distance = j < 0 ? std::abs(e.mean) : std::abs(std::abs(e.mean) - rule.tolerance(j, 0));
    const double variance =
        checked.chance(i) ? e.se * e.se * static_cast<double>(checked.evaluations()) : checked.variance(i);
    most = std::max(most, variance * z * z / (distance * distance));
  }
  constexpr double endless = 1e12;
  if (!(most < endless)) return {};
  const double more = std::max(1.0, most - static_cast<double>(checked.evaluations()));
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(more)) - 1));  // two digits are plenty
  return static_cast<std::int64_t>(std::ceil(more / unit) * unit);
}

std::optional<Doubt> doubt_of(const Result& result) {
  std::optional<Doubt> doubt;
  const auto see = [&](const ConstraintResult& c) {
    const bool less = !doubt || std::isnan(c.probability_feasible) || c.probability_feasible < doubt->probability;
    if (less && !(doubt && std::isnan(doubt->probability))) doubt = {c.name, c.probability_feasible};
  };
  for (const ConstraintResult& c : result.constraints) see(c);
  for (const EqualityResult& h : result.equalities) see(h);
  return doubt;
}

std::string doubt_text(const Result& result) {
  std::string text = "undecided: whether the answer is feasible cannot be said yet";
  if (result.doubt)
    text += std::isnan(result.doubt->probability)
                ? fmt::format("; of '{}' too little is known", result.doubt->name)
                : fmt::format("; '{}' holds with probability {:.3g}, and {:.4g} is asked for", result.doubt->name,
                              result.doubt->probability, result.confidence);
  if (result.more_evaluations)
    text += fmt::format("; about {} more evaluations would decide", *result.more_evaluations);
  return text;
}

std::vector<Relaxation> relaxation_of(const Spec& spec, const CheckedPoint& checked, const FunctionNames& names) {
  std::vector<Relaxation> out;
  for (Index i = 1; i <= spec.constraints; ++i) {
    const Estimate e = checked.estimate(i);
    if (!(e.mean > 0) || checked.probability_feasible(i) >= 0.5) continue;
    const Interval interval = checked.interval(i);
    out.push_back({name_of(names.constraints, i - 1, "c"), e.mean, {std::max(0.0, interval.low), interval.high}});
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    const Index i = 1 + spec.constraints + j;
    const Estimate e = checked.estimate(i);
    if (spec.equality_tolerance.size() > 0 && std::abs(e.mean) <= spec.equality_tolerance[j]) continue;
    const Interval interval = checked.interval(i);
    const double half = interval.half_width(), size = std::abs(e.mean);
    out.push_back({name_of(names.equalities, j, "h"), size, {std::max(0.0, size - half), size + half}});
  }
  return out;
}

Status optimality(const Incumbent& incumbent, const Result& result, double objective_range) {
  const double half = result.objective_interval.half_width();
  if (incumbent.possible_gain <= half) return incumbent.several_optima ? Status::local : Status::converged;
  double price = 0;
  for (const auto& c : result.constraints)
    if (c.multiplier.mean > 0) price += c.multiplier.mean * std::max(0.0, -c.value.mean);
  constexpr double small_residual = 0.01, small_price = 1e-3;
  const bool stationary = incumbent.kkt_residual + 1.96 * incumbent.kkt_se <= small_residual;
  return stationary && price <= std::max(half, small_price * objective_range) ? Status::local : Status::budget;
}

// By the model at the end: points that are rather infeasible than not.
std::optional<SafePromise> RunState::safe_promise(const Incumbent& incumbent) const {
  if (!(plan_.safe > 0)) return {};
  SafePromise promise{plan_.safe, 0, 0};
  for (const EvaluatedPoint& p : points_.points()) {
    const Belief belief = incumbent.believe ? incumbent.believe(p.x) : Belief{};
    if (belief.mean.size() == 0) continue;
    const std::int64_t here = p.answered + p.failed;
    promise.evaluations += here;
    if (chance_to_hold(spec_, belief) < 0.5) promise.broken += here;
  }
  return promise;
}

// A solver's multipliers are prices of what it sees: of means with errors that it knows they are those of the limits;
// a chance it sees smoothed. All others come from the run's evaluations.
void RunState::price(const Incumbent& incumbent, Result& result) const {
  const auto own = [&](Index i) {
    const double y = incumbent.multipliers.size() >= i ? incumbent.multipliers[i - 1] : std::nan("");
    const double se = incumbent.multiplier_se.size() >= i ? incumbent.multiplier_se[i - 1] : std::nan("");
    // What would be worth more than all that the objective varies by is the end of a solver's range, no price.
    constexpr double absurd = 1e3;
    const bool stated = plan_.meaning && i <= spec_.constraints &&
                        plan_.meaning->statements[static_cast<std::size_t>(i - 1)].kind != Statement::Kind::mean;
    if (stated || !(std::abs(y) * points_.range(i) <= absurd * points_.range(0))) return ShadowPrice{};
    constexpr double errors = 1.96;
    const double low = y - errors * se, high = y + errors * se;
    return ShadowPrice{{y, se}, {i <= spec_.constraints ? std::max(0.0, low) : low, high}};
  };
  std::vector<ShadowPrice> prices;
  bool all = true, exact = true;
  for (Index i = 0; i < spec_.functions(); ++i) exact = exact && points_.exact(i);
  for (Index i = 1; i < spec_.functions(); ++i) {
    prices.push_back(own(i));
    // Without noise slopes are what a solver says they are.
    all = all && (exact ? !std::isnan(prices.back().value.mean) : std::isfinite(prices.back().value.se));
  }
  if (!all && phase_ == Phase::done && log_.size() > 0) {
    const std::vector<ShadowPrice> found = shadow_prices(spec_, checked_.point, points_, log_, result.x);
    for (std::size_t i = 0; i < prices.size(); ++i) {
      if (std::isfinite(prices[i].value.se) || (exact && prices[i].value.mean > 0)) continue;
      // A model's slopes have no errors, and where it found no price it says 0.
      if (incumbent.believe || !std::isnan(found[i].value.mean)) prices[i] = found[i];
    }
  }
  const auto state = [](const ShadowPrice& p, ConstraintResult& c) {
    c.multiplier = p.value;
    c.multiplier_interval = p.interval;
  };
  for (std::size_t i = 0; i < result.constraints.size(); ++i) state(prices[i], result.constraints[i]);
  for (std::size_t j = 0; j < result.equalities.size(); ++j)
    state(prices[result.constraints.size() + j], result.equalities[j]);
}

Status RunState::status_of(const Result& result, const Incumbent& incumbent) const {
  if (!done() || interrupted_) return Status::interrupted;
  if (result.feasibility == Feasibility::infeasible) return Status::infeasible;
  if (result.feasibility == Feasibility::undecided) return Status::undecided;
  if (!result.stopped_by.empty()) return Status::stopped;
  // What a solver says of its recommendation is no word about another candidate.
  if (checked_.replaced) return Status::budget;
  return optimality(incumbent, result, points_.range(0));
}

Result RunState::result() const {
  Result result;
  result.solver = plan_.solver;
  result.seed = plan_.seed;
  refresh();
  Incumbent incumbent = believable(spec_, search_.recommend());
  result.note = incumbent.note;
  if (spec_.lag > 0 && !lag_used_)
    result.note += std::string(result.note.empty() ? "" : "; ") + "lag = " + std::to_string(spec_.lag) +
                   " was not used: what this search asks next depends on all that it asked before";
  result.trace = incumbent.trace;
  result.x = recommended();
  result.searched = incumbent.x;
  // The residual of the point that the check settled on: on the way to the fallback it changes at most linearly.
  if (std::isfinite(incumbent.kkt_fallback))
    incumbent.kkt_residual += checked_.retreat * (incumbent.kkt_fallback - incumbent.kkt_residual);
  summarize(spec_, rule_, checked_.point, incumbent, plan_.names, result);
  price(incumbent, result);
  result.safe = safe_promise(incumbent);
  result.feasibility =
      feasibility_of(feasibility_bounds(spec_, rule_, checked_.point), checked_.most_feasible, plan_.confidence);
  if (result.feasibility == Feasibility::infeasible && !refuted(result)) result.feasibility = Feasibility::undecided;
  if (result.feasibility == Feasibility::infeasible)
    result.relaxation = relaxation_of(spec_, checked_.point, plan_.names);
  if (result.feasibility == Feasibility::undecided) {
    result.more_evaluations = evaluations_to_decide(spec_, rule_, checked_.point, plan_.confidence);
    result.doubt = doubt_of(result);
  }
  result.confidence = plan_.confidence;
  result.stopped_by = !checked_.met.empty() ? checked_.met : stopped_by_;
  if (checked_.replaced)
    result.note += (result.note.empty() ? "" : "; ") +
                   std::string("fresh evaluations preferred another candidate to the solver's recommendation");
  // What could be gained is a word about the recommendation; the answer may be a more cautious point.
  if (incumbent.believe && incumbent.x.size() == result.x.size() && incumbent.x != result.x) {
    const Belief here = incumbent.believe(result.x), there = incumbent.believe(incumbent.x);
    if (here.mean.size() > 0 && there.mean.size() > 0)
      incumbent.possible_gain += std::max(0.0, here.mean[0] - there.mean[0]);
  }
  result.status = status_of(result, incumbent);
  result.evaluations = evaluations_ + plan_.carried;
  if (plan_.cost.size() > 0) result.cost = spent_ + plan_.carried_cost;
  result.carried = plan_.carried;
  result.failed = failed_;
  result.failures = failures_;
  result.function_calls = calls_;
  result.seconds = seconds();
  return result;
}

}  // namespace zeroth
