// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/model/gp.hpp"

namespace zeroth {

// E[max(0, best - Y)] of a normal Y.
double expected_improvement(const Prediction& y, double best);
// P(Y <= 0) of a normal Y.
double probability_nonpositive(const Prediction& y);

// What is believed of f, c_1..c_m, h_1..h_p at one point: independent normals (variance 0: known).
struct BeliefAt {
  Prediction objective;
  std::vector<Prediction> constraints;  // inequalities, then equalities
};

// The two augmented Lagrangians of the Bayesian papers, with penalty 1/(2 rho); `equalities` counts from the end.
struct AugmentedLagrangian {
  Vector lambda;
  double rho = 0.5;
  Index equalities = 0;

  bool is_equality(Index j) const { return j >= lambda.size() - equalities; }

  // Classic: f + sum lambda_j c_j + 1/(2 rho) sum max(0, c_j)^2  (the square without max for an equality)
  double classic(double f, const Vector& c) const;
  // Its expected improvement over `best` by Monte Carlo with given standard normals (one column per function, f first),
  // and its expected value in closed form.
  double classic_improvement(const BeliefAt& belief, double best, const Matrix& normals) const;
  double classic_mean(const BeliefAt& belief) const;

  // With slacks: f + sum lambda_j (c_j + s_j) + 1/(2 rho) sum (c_j + s_j)^2, s_j = max(0, -lambda_j rho - c_j) or 0.
  double slack(Index j, double c) const;
  double with_slack(double f, const Vector& c) const;
  // The slacks are fixed at those of the posterior means. The improvement is exact up to quadrature: the integral over
  // the constraint with the largest spread in closed form, over the others and f by Gauss-Hermite nodes (two of them)
  // or a fixed low-discrepancy set (more).
  double slack_improvement(const BeliefAt& belief, double best) const;
  double slack_mean(const BeliefAt& belief) const;
};

}  // namespace zeroth
