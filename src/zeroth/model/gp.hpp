// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/model/cholesky.hpp"
#include "zeroth/model/kernel.hpp"

namespace zeroth {

struct Prediction {
  double mean = 0;
  double variance = 0;  // of the function itself, not of a noisy evaluation at it
};

// Gaussian-process regression with known hyperparameters: y_i = g(x_i) + N(0, noise_i), g ~ GP(mean, kernel).
class Gp {
 public:
  Gp() = default;
  Gp(Kernel kernel, double mean, Matrix points, Vector values, Vector noise);
  Gp(Kernel kernel, double mean, Matrix points, Vector values, double noise);

  Index size() const { return values_.size(); }
  const Kernel& kernel() const { return kernel_; }
  double mean() const { return mean_; }
  const Matrix& points() const { return points_; }
  const Vector& values() const { return values_; }
  const Vector& noise() const { return noise_; }
  const Cholesky& factor() const { return factor_; }
  const Vector& weights() const { return weights_; }  // (K + noise)^-1 (y - mean)

  void append(const Eigen::Ref<const Vector>& x, double value, double noise);  // O(n^2)

  Prediction at(const Eigen::Ref<const Vector>& x) const;
  Prediction with_gradients(const Eigen::Ref<const Vector>& x, Vector& mean_gradient, Vector& variance_gradient) const;
  void at_all(const Matrix& x, Vector& mean, Vector& variance) const;
  Vector means_at(const Matrix& x) const;
  Vector mean_gradient(const Eigen::Ref<const Vector>& x) const;
  void joint(const Matrix& x, Vector& mean, Matrix& covariance) const;

 private:
  Kernel kernel_;
  double mean_ = 0;
  Matrix points_;
  Vector values_, noise_, weights_;
  Cholesky factor_;
};

}  // namespace zeroth
