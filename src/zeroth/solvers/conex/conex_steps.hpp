// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/estimator.hpp"

namespace zeroth {

// Steps for Algorithm 1 from what the run has seen, in place of constants. With the step's direction
// g_t = G_0 + sum y_i G_i and s_t of step 3,
//   eta_t = sqrt(sum_{k<=t} |g_k|^2) / r_t,      r_t = max_{k<=t} sqrt(2 W(x_k, x_0)), which is |x_k - x_0|
//                                                     where W is Euclidean, from 1/500 of X's width on
//   tau_t = sqrt(sum_{k<=t} |s_k|^2) / R_t,      R_t = root-mean-square slope of f_0 over that of the constraints
//   gamma_t = r_t (t + 1),                       theta_t = gamma_{t-1} / gamma_t, as the analysis asks
// The first is AdaGrad's step in one number (Streeter and McMahan 2010; Duchi, Hazan and Singer 2011) with the distance
// from the start in the place of the unknown distance to the optimum (Ivgi, Hinder and Carmon 2023). The second is the
// same for the multipliers: at a solution the slopes balance, so that |y*| is of the order of their ratio.
class AdaptiveSteps {
 public:
  AdaptiveSteps(const Spec& spec, const Vector& start);

  void begin(const GradientSample& G);  // iteration t, its slopes known
  double theta() const { return theta_; }
  double gamma() const { return gamma_; }
  double tau(const Vector& s);          // s[0] is not used
  double eta(double squared_gradient);  // |g_t|^2
  void moved(double distance);          // W(x_{t+1}, x_0)
  const Vector& start() const { return start_; }

 private:
  Index functions_;
  Vector start_;
  double largest_;   // X's own size: r_t never exceeds it
  double distance_;  // r_t
  double gamma_ = 0, theta_ = 1, t_ = 0;
  double gradients_ = 0, levels_ = 0, objective_slopes_ = 0, constraint_slopes_ = 0;
};

}  // namespace zeroth
