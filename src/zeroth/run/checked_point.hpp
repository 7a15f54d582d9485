// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/statement.hpp"
#include "zeroth/core/statistics/tail_mean.hpp"
#include "zeroth/run/evaluated_points.hpp"
#include "zeroth/run/interval.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

// What fresh evaluations of one point say of all functions there.
class CheckedPoint {
 public:
  explicit CheckedPoint(Index functions, const Meaning* meaning = nullptr, const EvaluatedPoints* run = nullptr,
                        MeanSequence sequence = {});
  void add(std::span<const double> values);  // as measured
  void add(const Answer& answer);            // the same, with the standard errors that it states
  void add_failed() { ++failed_; }
  // What a model that has not seen these evaluations expects here: counts as evaluations, as many as its error is
  // worth and at most three for each fresh one; not at all where the fresh ones contradict it.
  void expect(Belief belief) { belief_ = std::move(belief); }

  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t failed() const { return failed_; }
  Estimate estimate(Index function) const;  // by the fresh evaluations alone
  Estimate pooled(Index function) const;    // with what a model expects
  Interval interval(Index function) const;  // anytime-valid, 95 %, by the fresh evaluations alone
  // P(E[f_i] <= 0): Student's t, or of a chance the confidence of Clopper and Pearson's interval. A step where there is
  // no noise. Few evaluations that happen to agree, or all miss the long tail of skewed noise, would claim too much:
  // their variance is drawn toward that of all replicates of the run, and t is corrected for skewness (P. Hall, J. Roy.
  // Statist. Soc. B 54, 1992).
  double probability_feasible(Index function) const;
  // The same, valid whenever one stops.
  double anytime_probability(Index function) const;
  // Of one evaluation; more than the replicates themselves say where they are equal and the run has seen noise.
  double deviation(Index function) const;
  double variance(Index function) const { return deviation(function) * deviation(function); }
  bool exact(Index function) const;  // no noise, as far as the run knows

  // The statement that function i is, if it is one about a chance; how often it was bad; its values.
  const Statement* chance(Index function) const;
  // The statement that function i is, if it is a CVaR (0: the objective), and what the evaluations say of it.
  const Statement* cvar(Index function) const;
  TailMean tail(Index function) const;
  std::int64_t bad(Index function) const;
  const std::vector<double>& values(Index function) const { return kept_[static_cast<std::size_t>(function - 1)]; }
  const Meaning* meaning() const { return meaning_; }

 private:
  void choose_unit(Index function, double value);
  double pseudo_evaluations(Index function) const;
  double skewness(Index function) const;
  double careful_probability(Index function) const;
  std::optional<double> share_above(Index function, double& low, double& high) const;

  std::int64_t evaluations_ = 0, failed_ = 0;
  Vector mean_, squares_;  // Welford: squares is the sum of squared deviations; both in `unit`s
  Vector cubes_;           // of cubed deviations
  Vector unit_;            // a power of two per function, not 1 only where squares would leave the range of a double
  const Meaning* meaning_;
  const EvaluatedPoints* run_;
  MeanSequence sequence_;
  Belief belief_;
  Vector stated_squares_, stated_;         // of standard errors that evaluators state: sums of squares, and how many
  std::vector<std::vector<double>> kept_;  // of chances and CVaRs: what was measured
  std::vector<double> kept_objective_;     // if it is a CVaR
};

// Models are surer than they should be: their errors are widened by this.
inline constexpr double model_modesty = 1.5;
// Evaluations that a model may count for, for each fresh one.
inline constexpr double most_pseudo_evaluations = 3;

// P(E[f_i] <= 0) given mean and standard error of `evaluations` replicates: Student's t; a step when the noise is zero.
double probability_nonpositive(const Estimate& e, std::int64_t evaluations);

}  // namespace zeroth
