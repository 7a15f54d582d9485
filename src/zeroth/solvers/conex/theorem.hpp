// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/problem.hpp"

namespace zeroth {

// Theorem 3.1 as arithmetic: from the constants of Assumptions 2.1 to 2.3 to step sizes, radii, bounds and the number
// of oracle calls. Where statement and proof of the paper disagree, the proof is followed (docs/theory.md lists the
// places).
struct TheoremPlan {
  double T = 0;             // iterations; a double, since honest values pass 2^63
  double eta = 0, tau = 0;  // eta_t = L_0 + L_f + eta, tau_t = tau, gamma_t = theta_t = 1
  double step_offset = 0;   // L_0 + L_f
  Vector nu;                // radii of (nunot) and (eq:nui)
  Vector sigma_nu;          // sigma_{i,nu_i} of Lemma 2.2, i = 0..m
  double sigma_f_nu = 0;    // Lemma 2.1
  double sigma_X_f = 0, zeta = 0, H = 0;
  double bias = 0;                 // nu_0^2 L_0 n + M_X n (sum nu_i^4 L_i^2)^(1/2)
  double objective_bound = 0;      // right-hand side of (1.61)
  double violation_bound = 0;      // right-hand side of (1.62)
  double calls_per_iteration = 0;  // of single functions: 4m + 2
  double calls() const { return T * calls_per_iteration; }
};

TheoremPlan plan_for_iterations(const Constants& constants, Index dimension, double T);

// The smallest T whose two bounds are both at most epsilon.
TheoremPlan plan_for_accuracy(const Constants& constants, Index dimension, double epsilon);

// The closed form of T at the end of the proof, for comparison; infinite where its denominator vanishes.
double iterations_of_the_proof(const Constants& constants, Index dimension, double epsilon);

// Proposition 3.1 gives only the order of K. The constant here is that of the proximal-point argument with exact
// subproblems: sum_k mu_0 |x_k - x_{k-1}|^2 <= f_0(x_0) - f_0* and stationarity at x_k up to
// 2 (mu_0 + |y| mu_max) |x_k - x_{k-1}|, so that K = 4 (mu_0 + |y| mu_max)^2 (f_0(x_0) - f_0*) / (mu_0 epsilon).
struct NonconvexPlan {
  double K = 0;
  TheoremPlan inner;  // for the subproblems, whose constants grow by 2 mu_i
  double calls() const { return K * inner.calls(); }
};
NonconvexPlan plan_nonconvex(const Constants& constants, Index dimension, const Vector& mu, double epsilon);

// Constants of f_i + 2 mu_i W(., x_{k-1}).
Constants regularized(const Constants& constants, const Vector& mu);

}  // namespace zeroth
