// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// The default: one of the other solvers, chosen by what the problem and the budget allow; `note` says which and why.
//   whole-number variables, at most 20 variables    trust-bo: its model needs no differences
//   at most 20 variables and fewer than 10 n + 60   trust-bo: too few evaluations for slopes and curvatures
//   everything else                                 adaptive-conex, which measures the noise and adapts to it itself
struct AutoOptions {
  std::int64_t bayesian_dimension = 20;
};

inline OptionList options_of(AutoOptions& o) {
  return {{"bayesian_dimension", o.bayesian_dimension, "most variables for which the Bayesian solver is considered",
           nonnegative}};
}

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed);

}  // namespace zeroth
