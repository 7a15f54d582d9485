// SPDX-License-Identifier: MIT
#include "zeroth/solvers/augmented_lagrangian/albo.hpp"

#include <algorithm>
#include <cmath>

// min f s.t. c_j <= 0, h_j = 0 is replaced by a sequence of augmented Lagrangians
//   L(x; lambda, rho) = f(x) + sum lambda_j c_j(x) + 1/(2 rho) sum max(0, c_j(x))^2   (an equality: the square without
//   max)
// with an independent Gaussian process for every function (Gramacy et al. 2016, Sections 2 and 3). Before every
// evaluation:
//   1. x^k = the evaluated point with the smallest L;  lambda_j := max(0, lambda_j + c_j(x^k)/rho);
//      rho := rho/2 if c(x^k) has a positive entry
//   2. y_min = min L over the data under the new lambda, rho
//   3. the next x is the candidate of a Latin hypercube with the largest E[max(0, y_min - Y(x))], Y the Lagrangian of
//   the
//      posterior, by Monte Carlo; with the smallest E[Y], in closed form, if hardly any candidate improves.
//
// Deviations from the released implementation (laGP 1.5-9): the objective is always modelled, and its model updated at
// every step; one set of normal draws serves all candidates of a step, which ranks them with less noise; there are 1000
// of them, as in its demonstrations, not as many as evaluations; the penalty rule is the paper's unless asked
// otherwise. Failed evaluations, which the paper does not know, weigh the improvement by the probability of an answer.

namespace zeroth {
namespace {

double classic_value(const AugmentedLagrangian& al, double f, const Vector& c) { return al.classic(f, c); }

double classic_improvement(const AugmentedLagrangian& al, const BeliefAt& belief, double best, const Matrix& normals) {
  return al.classic_improvement(belief, best, normals);
}

double classic_mean(const AugmentedLagrangian& al, const BeliefAt& belief) { return al.classic_mean(belief); }

void move_multipliers(AugmentedLagrangian& al, const Vector& c) {
  for (Index j = 0; j < c.size(); ++j) {
    const double moved = al.lambda[j] + c[j] / al.rho;
    al.lambda[j] = al.is_equality(j) ? moved : std::max(0.0, moved);
  }
}

bool update(AugmentedLagrangian& al, const Vector& c, const AlOptions& options) {
  move_multipliers(al, c);
  for (Index j = 0; j < c.size(); ++j)
    if (al.is_equality(j) ? std::abs(c[j]) > options.equality_tolerance : c[j] > 0) return true;
  return false;
}

bool update_as_lagp(AugmentedLagrangian& al, const Vector& c, const AlOptions& options) {
  move_multipliers(al, c);
  return c.size() > 0 && c.cwiseAbs().maxCoeff() > options.equality_tolerance;
}

}  // namespace

Search albo(Spec spec, AlboOptions options, std::uint64_t seed) {
  const AlForm form{classic_value, classic_improvement,
                    classic_mean,  options.penalty_rule == "lagp" ? update_as_lagp : update,
                    options.draws, false};
  return al_search(std::move(spec), options.al, form, seed);
}

}  // namespace zeroth
