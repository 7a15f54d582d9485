// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// A family whose constants do not change with n and m, so that growth in n and m can be seen alone. On the unit ball,
//   min  -x_1 + (kappa/2)|x|^2     s.t.  (a'x - c + (kappa/2)|x|^2) / sqrt(m) <= 0,  m times,
// with a in the plane of the first two coordinates at 45 degrees from e_1. The optimum lies on the circle where the
// line a'x = level cuts the ball, and is known in closed form with its multipliers. Evaluations see, for every function
// alike, an additive N(0, sd^2) error and a tilt: a random vector of length `tilt` (over sqrt(m) for constraints) added
// to the gradient, bounded so that the Lipschitz constants hold almost surely.
struct WedgeOptions {
  std::int64_t n = 5;
  std::int64_t m = 1;
  double kappa = 0.1;
  double level = 0.5;
  double noise_sd = 0.1;
  double tilt = 0.3;
};

inline OptionList options_of(WedgeOptions& o) {
  return {{"n", o.n, "number of variables", {.lower = 2}},
          {"m", o.m, "number of constraints, all alike but for their noise", at_least_one},
          {"kappa", o.kappa, "curvature", {.lower = 0, .upper = 0.3}},
          {"level", o.level, "where the line a'x = level cuts the ball", {.lower = 0, .upper = 0.7}},
          {"noise_sd", o.noise_sd, "scale of the additive noise", nonnegative},
          {"tilt", o.tilt, "length of the random tilt of every gradient", nonnegative}};
}

Problem wedge(const WedgeOptions& options);

}  // namespace zeroth
