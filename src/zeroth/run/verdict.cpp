// SPDX-License-Identifier: MIT
#include "zeroth/run/verdict.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/binomial.hpp"

namespace zeroth {
namespace {

void describe(const CheckedPoint& checked, const Incumbent& incumbent, Index function, ConstraintResult& c) {
  c.value = checked.estimate(function);
  c.interval = checked.interval(function);
  if (incumbent.multipliers.size() >= function) c.multiplier.mean = incumbent.multipliers[function - 1];
  if (incumbent.multiplier_se.size() >= function) c.multiplier.se = incumbent.multiplier_se[function - 1];
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
    describe(checked, incumbent, i, c);
    c.probability_feasible = checked.probability_feasible(i);
    if (const Statement* s = checked.chance(i); s && checked.evaluations() > 0) c.chance = chance_of(*s, checked, i);
    if (const Statement* s = checked.cvar(i); s && checked.evaluations() > 0) c.chance = cvar_of(*s, checked.tail(i));
    result.constraints.push_back(std::move(c));
  }
  for (Index j = 0; j < spec.equalities; ++j) {
    EqualityResult h;
    h.name = name_of(names.equalities, j, "h");
    describe(checked, incumbent, 1 + spec.constraints + j, h);
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
  if (incumbent.possible_gain <= half && !incumbent.several_optima) return Status::converged;
  double price = 0;
  for (const auto& c : result.constraints)
    if (c.multiplier.mean > 0) price += c.multiplier.mean * std::max(0.0, -c.value.mean);
  constexpr double small_residual = 0.01, small_price = 1e-3;
  const bool stationary = incumbent.kkt_residual + 1.96 * incumbent.kkt_se <= small_residual;
  return stationary && price <= std::max(half, small_price * objective_range) ? Status::local : Status::budget;
}

}  // namespace zeroth
