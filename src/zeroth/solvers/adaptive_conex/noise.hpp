// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "zeroth/core/problem.hpp"
#include "zeroth/solvers/adaptive_conex/tuning.hpp"

namespace zeroth::adaptive {

// What is believed of every function's noise, and what the evaluations at x of one round say with it.
struct NoiseBelief {
  NoiseBelief(Index functions, const Tuning& tuning);

  // Evaluations at x; `expected`: the levels that the model expects there.
  void observe(std::span<const Answer> levels, const Vector& expected);
  // How many usual evaluations of a level one is worth, by the errors that it states.
  double weight_of(const Answer& answer) const;
  // Variance of one value, as its evaluator states it; `usual` where it does not.
  static double stated(const Answer& answer, Index i, double usual);

  Vector variance;  // of one evaluation at x
  Vector squares;   // their sums, of `degrees` degrees of freedom
  double degrees = 0;
  Vector replicate_squares;  // of evaluations away from x, asked twice
  double replicates = 0;
  Vector above, below;  // evaluations at x far from what was expected, by side
  struct Here {
    Vector mean, variance;  // the latter of one evaluation
    double evaluations = 0;
  } here;  // this round's evaluations at x

 private:
  void weigh_stated(std::span<const Answer> levels);

  Tuning tune_;
};

}  // namespace zeroth::adaptive
