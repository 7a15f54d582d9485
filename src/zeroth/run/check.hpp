// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

// Running means and variances of all functions at one point, from fresh looks.
struct CheckedPoint {
  explicit CheckedPoint(Index functions) : mean(Vector::Zero(functions)), squares(Vector::Zero(functions)) {}
  void add(std::span<const double> values);
  Estimate estimate(Index function) const;

  std::int64_t looks = 0, failed = 0;
  Vector mean, squares;  // Welford: squares is the sum of squared deviations
};

// Looks at x again and again with noise that no solver has seen, until the budget ends. `out` must outlive the search.
Search check_point(Spec spec, Vector x, std::uint64_t seed, CheckedPoint* out);

// The recommended point and the solver's more cautious fallbacks, boldest first. A third of `looks` chooses: the first
// candidate that it would bet on being feasible at `confidence` (the last if there is none). The others are fresh looks
// at the chosen one alone, so that what is reported has not been selected for. With one candidate all looks are of that
// kind.
struct CheckedAnswer {
  std::size_t chosen = 0;
  CheckedPoint point;
};
Search check_candidates(Spec spec, std::vector<Vector> candidates, std::int64_t looks, double confidence,
                        std::uint64_t seed, CheckedAnswer* out);

// P(all constraints hold), from the looks at a point; Bonferroni, so a lower bound.
double probability_feasible(const Spec& spec, const CheckedPoint& checked);

// converged | budget | infeasible: converged only if the interval of the KKT residual says so (upper end below 1 % of
// the objective's slopes). `note` gains a sentence where the noise, not the budget, is what limits the answer.
std::string honest_status(const Incumbent& incumbent, double probability, double confidence, std::string& note);

// P(E[f_i] <= 0) given mean and standard error of `looks` replicates: Student's t; a step when the noise is zero.
double probability_nonpositive(const Estimate& e, std::int64_t looks);

void summarize(const Spec& spec, const CheckedPoint& checked, const Incumbent& incumbent,
               const std::vector<std::string>& names, Result& result);
double probability_all_feasible(
    const Result& result);  // the constraints' looks share noise: Bonferroni, so a lower bound

}  // namespace zeroth
