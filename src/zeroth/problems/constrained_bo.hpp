// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// The problems on which constrained Bayesian optimisation is compared in its literature, with their optima.
//   lsq        Gramacy et al. (2016): linear objective, sinusoidal and quadratic constraint, [0,1]^2, f* = 0.599788
//   gardner-1  Gardner et al. (2014), simulation 1, [0,6]^2, f* = -2
//   gardner-2  Gardner et al. (2014), simulation 2 with the objective of ADMMBO, [0,6]^2, 2 % feasible, f* = 0.253236
//   admmbo-4d  Ariafar et al. (2019), the 4-D problem as released, [0,1]^4, f* = 0.0307312
//   lah        Picheny et al. (2016): linear, Ackley inequality and Hartman equality, [0,1]^4, f* = 0.0523007
//   gsbp       Picheny et al. (2016): Goldstein-Price, one inequality, two equalities, [0,1]^2, f* = -0.667461
//   herbie     LSQ's constraints with the multimodal objective of laGP's demonstration, [0,1]^2, f* = -1.093396
//   branin     Branin with two linear constraints, [-5,10] x [0,15], f* = 0.844674
//   qcqp-4, qcqp-10   the quadratic instances of reference_qcqp.hpp, [-2,2]^n, 1 % and 0.0027 % feasible
struct ConstrainedBoOptions {
  std::string problem = "lsq";
  double noise = 0;
  double noise_sd = 0;
};

inline const std::vector<std::string>& constrained_bo_names() {
  static const std::vector<std::string> names{"lsq",  "gardner-1", "gardner-2", "admmbo-4d", "lah",
                                              "gsbp", "herbie",    "branin",    "qcqp-4",    "qcqp-10"};
  return names;
}

inline OptionList options_of(ConstrainedBoOptions& o) {
  return {
      {"problem", o.problem, "which of the literature's problems", Choices{constrained_bo_names()}},
      {"noise", o.noise, "sd of the normal noise on every function, as a share of its range over the box", nonnegative},
      {"noise_sd", o.noise_sd, "further noise with this sd, whatever the range", nonnegative}};
}

Problem constrained_bo(const ConstrainedBoOptions& options);

// Half-width within which an equality of these problems counts as met.
inline constexpr double equality_tolerance = 0.01;

}  // namespace zeroth
