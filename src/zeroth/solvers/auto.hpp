// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// The default: one of the other solvers, chosen by what the problem and the budget allow; `note` says which and why.
//   at most 20 variables, 20 constraints and 300 evaluations   trust-bo: a model of the whole set pays
//   the same up to 400 evaluations, noise of 1 % of the functions' spread over X or more   trust-bo, too: measured by
//       three looks at the start and three elsewhere
//   everything else   adaptive-conex, which measures slopes and noise and adapts to both
struct AutoOptions {
  std::int64_t bayesian_dimension = 20;
  std::int64_t bayesian_constraints = 20;
  std::int64_t bayesian_budget = 300;
};

inline OptionList options_of(AutoOptions& o) {
  return {{"bayesian_dimension", o.bayesian_dimension, "most variables for which the Bayesian solver is considered",
           nonnegative},
          {"bayesian_constraints", o.bayesian_constraints,
           "most constraints for which the Bayesian solver is considered", nonnegative},
          {"bayesian_budget", o.bayesian_budget,
           "most evaluations for which the Bayesian solver is considered; a third more if the noise is large",
           nonnegative}};
}

// Whether whole numbers, which leave no slopes, go to trust-bo under these options. Asked before the first look.
bool auto_takes_model(const Spec& spec, const AutoOptions& options);

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed);

}  // namespace zeroth
