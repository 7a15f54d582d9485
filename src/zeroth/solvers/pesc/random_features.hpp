// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/random.hpp"
#include "zeroth/model/gp.hpp"

namespace zeroth {

// A draw from a Gaussian process as a finite sum of cosines, phi(x) = sqrt(2 amplitude / F) cos(W x + b) (Rahimi and
// Recht 2007; the distribution of W for Matern 5/2 is a multivariate t with 5 degrees of freedom), so that it can be
// evaluated and differentiated anywhere.
class FunctionSample {
 public:
  double operator()(const Eigen::Ref<const Vector>& x) const;
  double operator()(const Eigen::Ref<const Vector>& x, Vector& gradient) const;
  Vector at(const Matrix& points) const;

  // Posterior weights of the features given the data of `gp` (noise variance taken as its mean): with n < F the
  // matrices are n x n.
  static FunctionSample weight_space(const Gp& gp, Index features, Rng& rng);
  // A prior draw by features plus the exact correction k(x, X)(K + noise)^-1 (y - prior(X) - noise draw): Matheron's
  // rule (Wilson et al. 2020), which stays accurate where data are many.
  static FunctionSample pathwise(const Gp& gp, Index features, Rng& rng);

 private:
  void draw_features(const Kernel& kernel, Index dimension, Index features, Rng& rng);
  Matrix features_at(const Matrix& points) const;

  double mean_ = 0, scale_ = 1;
  Matrix frequencies_;  // F x d
  Vector phases_, weights_;
  Kernel kernel_;  // of the correction; no points in weight space
  Matrix points_;
  Vector correction_;
};

}  // namespace zeroth
