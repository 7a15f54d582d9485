// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/core/vector.hpp"
#include "zeroth/solvers/adaptive_conex/tuning.hpp"

namespace zeroth::adaptive {

// In few dimensions every evaluation serves: a polynomial in all of them, by Bayesian least squares around the present
// point,
//   y_k = theta'phi(d_k) + noise_k,   phi(d) = (1, d_j, d_j^2/2, d_i d_j, ...),   d = w_k - w,
// of second to fourth order. Priors are on the Hessian's entries, N(mean curvature on the diagonal, tau_0^2), and on
// the coefficients of every higher order, N(0, c^2), with variances that are learned from the fit (empirical Bayes).
// Noise has variance v_k + K l^2 |d_k|^(2 degree + 2): functions are polynomials only nearby, and l is learned from how
// far new evaluations are from what the last fit expected of them. What is left out does not average out as noise does:
// K, rows per parameter, keeps it from seeming to, and narrows the fit as evaluations come in. Under shared noise a row
// is the difference of two evaluations with one key.
class Regression {
 public:
  // degree: 2 to 4; memory: rows that are kept; caution: standard errors that are taken off the estimate of what is
  // left out, so that only what is beyond doubt narrows the fit.
  Regression(Index n, Index functions, int degree, Index memory, double caution, const Tuning& tuning = default_tuning);
  std::size_t rows() const { return rows_.size(); }
  int order() const { return degree_; }

  // An evaluation at w, or (with `base` not empty) its difference from the evaluation at base; variances per function.
  // level_evaluations: how many evaluations at the solver's own point are in it, 0 if it was taken elsewhere.
  void add(const Vector& w, const Vector& base, const Vector& values, const Vector& variances,
           double level_evaluations);
  void set_prior(Index i, double curvature, double tau2);
  // Fits every function around w. False until there are evaluations enough to try. Rows that were added while little
  // was known of their noise count for no more than `level_noise`, variance of an evaluation at the solver's own point,
  // and `slope_noise`, variance of a difference per square of its length, allow.
  bool fit(const Vector& w, const Vector& level_noise, const Vector& slope_noise);

  // Mean square error of function i's slopes if all evaluations went to distance r with noise variance v: noise falls
  // with r, derivatives beyond the degree grow.
  double slope_error(Index i, double r, double v) const {
    const double noise = static_cast<double>(n_) / static_cast<double>(p_) * v / (r * r);
    double left_out = lack2_[i];
    for (int k = 0; k < 2 * degree_; ++k) left_out *= r;
    return noise / crowd_[i] + left_out;
  }

  Vector level, level_variance, tau_squared;  // tau^2: mean posterior variance of the Hessian's entries
  Matrix slope, slope_variance;
  std::vector<Matrix> hessian;

 private:
  struct Row {
    Vector w, base, values, variances;
    Vector features;    // around centre_
    double beyond = 0;  // |d|^(degree + 1), or its change between base and w
    double level_evaluations = 0;
  };
  void features(const Vector& d, Vector& phi) const;
  void place(Row& row) const;
  void expect(const Row& row);
  void fit_one(Index i, double level_noise, double slope_noise);

  Tuning tune_;
  int degree_;
  Index n_, p_, memory_, functions_;
  double caution_;
  Vector centre_;
  std::vector<Row> rows_;
  Vector prior_curvature_, prior_tau2_, lack2_, lack_sum_, lack_weight_, crowd_;
  Matrix prior_high2_;  // per function, of coefficients of order 3 and 4
  std::vector<Vector> theta_;
  std::vector<Matrix> covariance_;
  bool fitted_ = false;
};

}  // namespace zeroth::adaptive
