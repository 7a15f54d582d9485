// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/model/kernel.hpp"
#include "zeroth/model/likelihood.hpp"

namespace zeroth {

// Gaussian processes conditioned on "x* is the constrained minimiser" by expectation propagation (Hernandez-Lobato,
// Gelbart, Hoffman, Adams and Ghahramani, "Predictive entropy search for Bayesian optimization with unknown
// constraints", ICML 2015, and JMLR 17, 2016). The objective is minimised; feasible means c_k >= 0. All processes have
// mean zero; every latent value carries a white jitter.
struct PescFunction {
  Kernel kernel;
  double noise = 1e-6;  // variance of a new evaluation
  Evaluations evaluations;

  Vector noises() const { return noise * evaluations.spreads(); }  // of those that there are
};

// What EP is after: with f = [f(x_1)..f(x_n), f(x*)] at the objective's inputs and c_k likewise, the factors
//   g_k = 1[c_k(x*) >= 0],   h_i = prod_k 1[c_k(x_i) >= 0] 1[f(x_i) >= f(x*)] + (1 - prod_k 1[c_k(x_i) >= 0])
// become exp(-a_k c^2/2 + b_k c) and exp(-v'A_i v/2 + v'B_i) prod_k exp(-a_ik c^2/2 + b_ik c), v = (f(x_i), f(x*)).
struct PescSites {
  std::vector<Eigen::Matrix2d> A;
  std::vector<Eigen::Vector2d> B;
  Matrix a_h, b_h;  // constraint x data point
  Vector a_g, b_g;
};

class PescConditioning {
 public:
  static constexpr double jitter = 1e-6;

  PescConditioning(PescFunction objective, std::vector<PescFunction> constraints, Vector minimiser);

  // One row per function (objective first): half the log of how much the predictive variance at every column of
  // `points` shrinks under the conditioning.
  Matrix acquisition(const Matrix& points) const;

  int sweeps() const { return sweeps_; }
  const PescSites& sites() const { return sites_; }
  const Vector& objective_mean() const { return f_.mean; }
  const Matrix& objective_covariance() const { return f_.covariance; }
  const Vector& constraint_mean(std::size_t k) const { return c_[k].mean; }
  const Matrix& constraint_covariance(std::size_t k) const { return c_[k].covariance; }

 private:
  // A Gaussian over [values at the objective's inputs, value at x*]: prior given the data, and with the sites.
  struct Marginal {
    Matrix prior_precision;
    Vector prior_shift;  // precision * mean
    Vector mean;
    Matrix covariance;
  };
  // The prediction at new points: mean k'alpha, variance amplitude + jitter - k'M k, covariance with x* k(x*, x) -
  // k'beta.
  struct Predictor {
    Matrix inputs;
    Vector alpha, beta;
    Matrix M;
  };

  Marginal prior(const PescFunction& function) const;
  PescSites refreshed() const;
  bool accept(const PescSites& sites);
  bool cavities_proper(const PescSites& sites) const;
  Matrix extended_precision(std::size_t k, const PescSites& sites) const;
  void run();
  void build_predictors();

  PescFunction objective_;
  std::vector<PescFunction> constraints_;
  Vector minimiser_;
  Matrix inputs_;  // the objective's points, then x*
  Marginal f_;
  std::vector<Marginal> c_;
  std::vector<Matrix> extended_inputs_, extended_inverse_;
  PescSites sites_;
  int sweeps_ = 0;
  Predictor f_predictor_;
  std::vector<Predictor> c_predictors_;
};

}  // namespace zeroth
