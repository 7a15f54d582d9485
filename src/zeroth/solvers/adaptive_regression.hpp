// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth::adaptive {

// In few dimensions every look serves: a quadratic in all of them, by Bayesian least squares around the present point.
//   y_k = theta'phi(d_k) + noise_k,   phi(d) = (1, d_j, d_j^2/2, d_i d_j),   d = w_k - w,
// with a prior on the Hessian's entries only, N(mean curvature on the diagonal, tau_0^2), whose two numbers are learned
// from the fit (empirical Bayes), and noise of variance v_k + c^2 |d_k|^6: functions are quadratic only nearby, and c
// is learned from how far new looks are from what the last fit expected of them. Under shared noise a row is the
// difference of two looks with one key.
class Regression {
 public:
  Regression(Index n, Index functions);
  Index parameters() const { return p_; }

  // A look at w, or (with `base` not empty) its difference from the look at base; variances per function.
  // is_level: a mean of looks at the solver's own point.
  void add(const Vector& w, const Vector& base, const Vector& values, const Vector& variances, bool is_level);
  void set_prior(Index i, double curvature, double tau2);
  // Fits every function around w. False until there are looks enough to try.
  bool fit(const Vector& w);

  Vector level, level_variance, tau_squared;  // tau^2: mean posterior variance of the Hessian's entries
  Matrix slope, slope_variance;
  std::vector<Matrix> hessian;

 private:
  struct Row {
    Vector w, base, values, variances;
    Vector features;   // around centre_
    double cubic = 0;  // |d|^3, or its change between base and w
    bool is_level = false;
  };
  void features(const Vector& d, Vector& phi) const;
  void place(Row& row) const;
  void expect(const Row& row);
  void fit_one(Index i);

  Index n_, p_, functions_;
  Vector centre_;
  std::vector<Row> rows_;
  Vector prior_curvature_, prior_tau2_, cubic2_, cubic_sum_, cubic_weight_;
  std::vector<Vector> theta_;
  std::vector<Matrix> covariance_;
  bool fitted_ = false;
};

}  // namespace zeroth::adaptive
