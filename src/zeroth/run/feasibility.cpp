// SPDX-License-Identifier: MIT
#include "zeroth/run/feasibility.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/core/statistics/equality_share.hpp"

namespace zeroth {

FeasibilityBounds feasibility_bounds(const Spec& spec, const EqualityRule& rule, const CheckedPoint& point) {
  double missing = 0, least = 1;
  const auto count = [&](double p) {
    missing += 1 - p;
    least = std::isnan(p) ? p : std::min(least, p);
  };
  for (Index i = 1; i <= spec.constraints; ++i) count(point.probability_feasible(i));
  for (Index j = 0; j < spec.equalities; ++j)
    count(rule.probability(j, point.estimate(1 + spec.constraints + j), point.evaluations()));
  // Too few evaluations to say anything: nothing is sure.
  if (std::isnan(missing) || (point.evaluations() == 0 && spec.functions() > 1)) return {0, 1};
  return {std::max(0.0, 1 - missing), least};
}

EqualityRule::EqualityRule(const Spec& spec)
    : given_(spec.equality_tolerance), largest_(Vector::Zero(spec.equalities)) {}

void EqualityRule::see(const Query& query, const Answer& answer) {
  if (largest_.size() == 0 || answer.failed()) return;
  // Equalities are the last values, however many statements are made about the others.
  const Index first = static_cast<Index>(answer.values.size()) - largest_.size();
  for (Index j = 0; j < largest_.size(); ++j) {
    if (query.wants(first + j))
      largest_[j] = std::max(largest_[j], std::abs(answer.values[static_cast<std::size_t>(first + j)]));
  }
}

double EqualityRule::tolerance(Index equality, double se) const {
  if (given_.size() > 0) return given_[equality];
  return std::max(equality_share * largest_[equality], std::isnan(se) ? 0 : 4 * se);
}

double EqualityRule::probability(Index equality, const Estimate& e, std::int64_t evaluations) const {
  const double limit = tolerance(equality, e.se);
  // Both ends of |E[h]| <= limit are inequalities of the kind above.
  const double below = probability_nonpositive({e.mean - limit, e.se}, evaluations);
  const double above = probability_nonpositive({-limit - e.mean, e.se}, evaluations);
  return std::isnan(below) ? below : std::max(0.0, below + above - 1);
}

}  // namespace zeroth
