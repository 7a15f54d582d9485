// SPDX-License-Identifier: MIT
#include "zeroth/solvers/augmented_lagrangian/slack_al.hpp"

#include <cmath>

// ALBO's loop (albo.cpp) with slacks s_j >= 0 that turn inequalities into equalities (s_j = 0 for equalities):
//   L(x, s) = f + sum lambda_j (c_j + s_j) + 1/(2 rho) sum (c_j + s_j)^2,  minimal at s_j = max(0, -lambda_j rho -
//   c_j).
// With a_j = rho lambda_j + s_j and independent normal posteriors, W = sum (c_j + a_j)^2 is a weighted sum of
// non-central chi-squares, L = f + G + W/(2 rho) with G = sum [ lambda_j s_j + (s_j^2 - a_j^2)/(2 rho) ], and
//   EI(x) = 1/(2 rho) E[max(0, w - W - 2 rho (f - mu_f))],  w = 2 rho (y_min - mu_f - G),
// needs no Monte Carlo (Section 3 of the paper). Updates at the best point x^k:
//   lambda_j := lambda_j + (c_j + s_j)/rho,  rho := rho/2 if any c_j + s_j > 0 (an equality: |c_j| > tolerance).
//
// Deviations from the released implementation (laGP 1.5-9): the objective's moments enter in real units (laGP loses a
// factor there); the integral of Davies' distribution function is replaced by an integral over one constraint in closed
// form and Gauss-Hermite nodes for the rest, which gives the same number, smoothly and for less (see acquisition.hpp;
// the tests compare both); updates of the objective's model and failures as in albo.cpp.

namespace zeroth {
namespace {

double slack_value(const AugmentedLagrangian& al, double f, const Vector& c) { return al.with_slack(f, c); }

double slack_improvement(const AugmentedLagrangian& al, const BeliefAt& belief, double best, const Matrix&) {
  return al.slack_improvement(belief, best);
}

double slack_mean(const AugmentedLagrangian& al, const BeliefAt& belief) { return al.slack_mean(belief); }

bool slack_update(AugmentedLagrangian& al, const Vector& c, const AlOptions& options) {
  bool halve = false;
  for (Index j = 0; j < c.size(); ++j) {
    const double shifted = c[j] + al.slack(j, c[j]);
    halve = halve || (al.is_equality(j) ? std::abs(c[j]) > options.equality_tolerance : shifted > 0);
    al.lambda[j] += shifted / al.rho;
  }
  return halve;
}

}  // namespace

Search slack_al(Spec spec, SlackAlOptions options, std::uint64_t seed) {
  return al_search(std::move(spec), options.al,
                   {slack_value, slack_improvement, slack_mean, slack_update, 0, options.local_search}, seed);
}

}  // namespace zeroth
