// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/run/result.hpp"
#include "zeroth/run/statement.hpp"

namespace zeroth {

// Running means and variances of all functions at one point, from fresh looks.
struct CheckedPoint {
  explicit CheckedPoint(Index functions, const Meaning* meaning = nullptr);
  void add(std::span<const double> values);  // as measured
  Estimate estimate(Index function) const;
  // P(E[f_i] <= 0): Student's t, or of a chance the confidence of Clopper and Pearson's interval.
  double probability_feasible(Index function) const;
  // The statement that function i is, if it is one about a chance; how often it was bad; its values.
  const Statement* chance(Index function) const;
  std::int64_t bad(Index function) const;
  const std::vector<double>& values(Index function) const { return kept[static_cast<std::size_t>(function - 1)]; }

  std::int64_t looks = 0, failed = 0;
  Vector mean, squares;  // Welford: squares is the sum of squared deviations
  const Meaning* meaning = nullptr;
  std::vector<std::vector<double>> kept;  // of chances: what was measured
};

// When an equality counts as met: |E[h_j]| within a tolerance. The problem's own where it states one; otherwise one
// percent of the largest |h_j| that the search has seen, the scale of h_j over X, and never less than four standard
// errors of the looks that decide: what cannot be told from zero is not called a violation, and the tolerance says so.
class EqualityRule {
 public:
  explicit EqualityRule(const Spec& spec);
  void see(const Query& query, const Answer& answer);  // of the search; what was not wanted is not looked at
  double tolerance(Index equality, double se) const;
  // P(|E[h]| <= tolerance) given mean and standard error of `looks` replicates.
  double probability(Index equality, const Estimate& e, std::int64_t looks) const;

 private:
  Vector given_, largest_;
};

// The recommended point and, if the solver has one, a cautious fallback well inside its constraints' limits. A sixth of
// `looks` at each of the two tells how far to retreat from the one toward the other: the least share of the way after
// which the rest of the looks, all at the point so chosen, will confirm feasibility at `confidence` nine times in ten;
// none, if the fallback looks less feasible than the recommended point.
// What is reported rests on that rest alone, so that it has not been selected for; should half of it not confirm, the
// point moves on toward the fallback and what is reported rests on the other half. Without a fallback all looks are of
// that kind. The search ends by itself once more looks could change nothing. `out` must outlive the search.
struct CheckedAnswer {
  explicit CheckedAnswer(Index functions, const Meaning* meaning = nullptr) : point(functions, meaning) {}
  Vector x;
  double retreat = 0;  // share of the way to the fallback
  CheckedPoint point;
};
Search check_answer(Spec spec, EqualityRule rule, Vector bold, std::vector<Vector> fallbacks, std::int64_t looks,
                    double confidence, std::uint64_t seed, CheckedAnswer* out);

// What of a solver's own claims counts for this problem. The KKT conditions say nothing about the optimality of whole
// numbers, so that with any of them nothing is called converged.
Incumbent believable(const Spec& spec, Incumbent incumbent);

// converged | budget | infeasible: converged only if the interval of the KKT residual says so (upper end below 1 % of
// the objective's slopes) and the distance kept from the limits costs (multiplier times slack) at most 1 % of the
// objective. `note` gains a sentence where the noise, not the budget, is what limits the answer.
std::string honest_status(const Incumbent& incumbent, double probability, double confidence, double relative_price,
                          std::string& note);
double relative_price_of_caution(const Result& result);

// P(E[f_i] <= 0) given mean and standard error of `looks` replicates: Student's t; a step when the noise is zero.
double probability_nonpositive(const Estimate& e, std::int64_t looks);

// What the fresh looks say of every function. Names that are missing are c1, c2, .. and h1, h2, ..
void summarize(const Spec& spec, const EqualityRule& rule, const CheckedPoint& checked, const Incumbent& incumbent,
               const FunctionNames& names, Result& result);
double probability_all_feasible(
    const Result& result);  // the constraints' looks share noise: Bonferroni, so a lower bound

}  // namespace zeroth
