// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// Problems that are not quadratic, with a known optimum: a convex h and a convex k, a point x* inside the box [-2, 2]^n
// and a multiplier y* are drawn, and
//   f_0(x) = h(x) - <grad h(x*) + y* grad k(x*), x> + constant,   f_1(x) = k(x) - k(x*),
// so that x* satisfies the optimality conditions, which suffice for convex functions. The constant makes f_0 at the
// start (the origin) larger than f* = f_0(x*) < 0 by |f*|. The chained Rosenbrock function is not convex: there x* =
// (1, ..., 1) is the global minimum and lies on the boundary of the ball |x|^2 <= n; f* is -n by a constant.
//   logistic    n log mean exp <a_k, x> + |x|^2 / 20;  n times the mean logistic loss
//   quartic     sum of s_j ((x_j - t_j)^4 + (x_j - t_j)^2) with s_j from 1 to 30;  |x - c|^2
//   rosenbrock  sum of 5 (x_{j+1} - x_j^2)^2 + (1 - x_j)^2;  |x|^2 - n
//   queue       |x - t|^2 / 2;  sum of 1 / (1 - load_j), load_j = 0.55 - 0.2 x_j
//   hinge       sum of max(0, 1 - <b_k, x>) + |x|^2 / 4;  n times the mean of max(0, 1 + <c_k, x>)
// Both functions grow along with n, so y* is of order one in every dimension, and the noise is of one scale on both.
struct SmoothOptions {
  std::string family = "logistic";
  std::int64_t n = 5;
  std::int64_t instance = 1;
  std::string noise_form = "additive";
  double noise_sd = 0.3;
};

inline OptionList options_of(SmoothOptions& o) {
  return {
      {"family", o.family, "which functions", Choices{{"logistic", "quartic", "rosenbrock", "queue", "hinge"}}},
      {"n", o.n, "number of variables", at_least_one},
      {"instance", o.instance, "seed of the random data"},
      {"noise_form", o.noise_form,
       "additive: common under one key; independent: fresh at every evaluation; growing: independent, with |x|^2 / n; "
       "multiplicative: scales the values; gradient: tilts the functions",
       Choices{{"additive", "independent", "growing", "multiplicative", "gradient"}}},
      {"noise_sd", o.noise_sd, "scale of the noise", nonnegative}};
}

Problem smooth_problem(const SmoothOptions& options);

}  // namespace zeroth
