// SPDX-License-Identifier: MIT
#include "zeroth/model/gp.hpp"

#include <algorithm>
#include <cassert>

namespace zeroth {
namespace {

// Sum over data of slope_i * 2 (x - x_i)_k / l_k^2 * weight_i: the gradient of sum weight_i k(x_i, x) by x (through the
// mixing, if any).
Vector weighted_gradient(const Kernel& k, const Matrix& points, const Vector& slopes, const Vector& weights,
                         const Eigen::Ref<const Vector>& x) {
  const Vector w = slopes.cwiseProduct(weights);
  Vector g = x * w.sum() - points * w;
  if (k.mixed()) g = k.mixing * g;
  for (Index j = 0; j < g.size(); ++j) g[j] *= 2 / (k.length_of(j) * k.length_of(j));
  if (k.mixed()) g = k.mixing.transpose() * g;
  return g;
}

}  // namespace

Gp::Gp(Kernel kernel, double mean, Matrix points, Vector values, Vector noise)
    : kernel_(std::move(kernel)),
      mean_(mean),
      points_(std::move(points)),
      values_(std::move(values)),
      noise_(std::move(noise)) {
  assert(points_.cols() == values_.size() && noise_.size() == values_.size());
  Matrix k = kernel_(points_);
  k.diagonal() += noise_;
  factor_ = Cholesky(k);
  weights_ = factor_.solve(Vector(values_.array() - mean_));
}

Gp::Gp(Kernel kernel, double mean, Matrix points, Vector values, double noise)
    : Gp(std::move(kernel), mean, std::move(points), values, Vector::Constant(values.size(), noise)) {}

void Gp::append(const Eigen::Ref<const Vector>& x, double value, double noise) {
  factor_.append(kernel_.column(points_, x), kernel_.amplitude + noise);
  const Index n = values_.size();
  points_.conservativeResize(Eigen::NoChange, n + 1);
  points_.col(n) = x;
  values_.conservativeResize(n + 1);
  values_[n] = value;
  noise_.conservativeResize(n + 1);
  noise_[n] = noise;
  weights_ = factor_.solve(Vector(values_.array() - mean_));
}

Prediction Gp::at(const Eigen::Ref<const Vector>& x) const {
  const Vector k = kernel_.column(points_, x);
  return {mean_ + k.dot(weights_), std::max(0.0, kernel_.amplitude - factor_.half_solve(k).squaredNorm())};
}

Prediction Gp::with_gradients(const Eigen::Ref<const Vector>& x, Vector& mean_gradient,
                              Vector& variance_gradient) const {
  const Vector k = kernel_.column(points_, x);
  const Vector slopes = kernel_.slopes(points_, x);
  const Vector solved = factor_.solve(k);
  mean_gradient = weighted_gradient(kernel_, points_, slopes, weights_, x);
  variance_gradient = -2 * weighted_gradient(kernel_, points_, slopes, solved, x);
  return {mean_ + k.dot(weights_), std::max(0.0, kernel_.amplitude - k.dot(solved))};
}

void Gp::at_all(const Matrix& x, Vector& mean, Vector& variance) const {
  Matrix k = kernel_(points_, x);
  mean = (k.transpose() * weights_).array() + mean_;
  factor_.half_solve(k);
  variance = (kernel_.amplitude - k.colwise().squaredNorm().transpose().array()).max(0.0);
}

Vector Gp::means_at(const Matrix& x) const {
  return ((kernel_(points_, x).transpose() * weights_).array() + mean_).matrix();
}

Vector Gp::mean_gradient(const Eigen::Ref<const Vector>& x) const {
  return weighted_gradient(kernel_, points_, kernel_.slopes(points_, x), weights_, x);
}

void Gp::joint(const Matrix& x, Vector& mean, Matrix& covariance) const {
  Matrix k = kernel_(points_, x);
  mean = (k.transpose() * weights_).array() + mean_;
  factor_.half_solve(k);
  covariance = kernel_(x) - k.transpose() * k;
}

}  // namespace zeroth
