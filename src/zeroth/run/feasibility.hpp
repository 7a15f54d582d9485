// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/run/checked_point.hpp"

namespace zeroth {

// When an equality counts as met: |E[h_j]| within a tolerance. The problem's own where it states one; otherwise one
// percent of the largest |h_j| that the search has seen, the scale of h_j over X, and never less than four standard
// errors of the evaluations that decide: what cannot be told from zero is not called a violation, and the tolerance
// says so.
class EqualityRule {
 public:
  explicit EqualityRule(const Spec& spec);
  void see(const Query& query, const Answer& answer);  // of the search; what was not wanted is not considered
  double tolerance(Index equality, double se) const;
  // P(|E[h]| <= tolerance) given mean and standard error of so many replicates.
  double probability(Index equality, const Estimate& e, std::int64_t evaluations) const;

 private:
  Vector given_, largest_;
};

// The probability that all constraints hold at a point: they share noise, so a lower bound (Bonferroni) and an upper
// one (the least of them).
struct FeasibilityBounds {
  double low = 0, high = 0;
};
FeasibilityBounds feasibility_bounds(const Spec& spec, const EqualityRule& rule, const CheckedPoint& point);

}  // namespace zeroth
