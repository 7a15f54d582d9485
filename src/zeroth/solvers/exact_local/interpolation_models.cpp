// SPDX-License-Identifier: MIT
#include "zeroth/solvers/exact_local/interpolation_models.hpp"

#include <cmath>

namespace zeroth {

InterpolationModels::InterpolationModels(Index dimension, Index functions)
    : dimension_(dimension),
      functions_(functions),
      center_(Vector::Zero(dimension)),
      constants_(Vector::Zero(functions)),
      gradients_(Matrix::Zero(dimension, functions)),
      hessians_(static_cast<std::size_t>(functions), Matrix::Zero(dimension, dimension)) {}

void InterpolationModels::clear() {
  points_.clear();
  values_.clear();
}

void InterpolationModels::forget_beyond(const Vector& center, double radius) {
  while (size() > 2 * dimension_ + 1) {
    const auto distance = [&](const Vector& p) { return (p - center).lpNorm<Eigen::Infinity>(); };
    const auto far = std::ranges::max_element(points_, {}, distance);
    if (distance(*far) <= radius) return;
    values_.erase(values_.begin() + (far - points_.begin()));
    points_.erase(far);
  }
}

void InterpolationModels::add(const Vector& point, const Vector& values) {
  points_.push_back(point);
  values_.push_back(values);
}

void InterpolationModels::replace(Index k, const Vector& point, const Vector& values) {
  points_[static_cast<std::size_t>(k)] = point;
  values_[static_cast<std::size_t>(k)] = values;
}

Vector InterpolationModels::right_hand_side(const Vector& x) const {
  const Index p = size(), n = dimension_;
  const Vector s = (x - center_) / radius_;
  Vector w(p + 1 + n);
  for (Index k = 0; k < p; ++k) {
    const double product = s.dot(point(k) - center_) / radius_;
    w[k] = 0.5 * product * product;
  }
  w[p] = 1;
  w.tail(n) = s;
  return w;
}

bool InterpolationModels::update(const Vector& center, double radius) {
  const Index p = size(), n = dimension_;
  // The models as they were, seen from the new center.
  const Vector shift = center - center_;
  for (Index i = 0; i < functions_; ++i) {
    const Matrix& h = hessians_[static_cast<std::size_t>(i)];
    const Vector hs = h * shift;
    constants_[i] += gradients_.col(i).dot(shift) + 0.5 * shift.dot(hs);
    gradients_.col(i) += hs;
  }
  center_ = center;
  radius_ = radius;
  Matrix y(n, p);
  for (Index k = 0; k < p; ++k) y.col(k) = (point(k) - center_) / radius_;
  Matrix w = Matrix::Zero(p + 1 + n, p + 1 + n);
  w.topLeftCorner(p, p) = (0.5 * (y.transpose() * y).array().square()).matrix();
  w.block(p, 0, 1, p).setOnes();
  w.block(0, p, p, 1).setOnes();
  w.block(p + 1, 0, n, p) = y;
  w.block(0, p + 1, p, n) = y.transpose();
  system_.compute(w);
  Matrix residual = Matrix::Zero(p + 1 + n, functions_);
  for (Index k = 0; k < p; ++k)
    for (Index i = 0; i < functions_; ++i) residual(k, i) = values(k)[i] - value(i, point(k));
  const Matrix solved = system_.solve(residual);
  if (!solved.allFinite()) return false;
  // What the equations leave over tells whether the points determine anything.
  if ((w * solved - residual).cwiseAbs().maxCoeff() > 1e-6 * (1e-300 + residual.cwiseAbs().maxCoeff())) return false;
  for (Index i = 0; i < functions_; ++i) {
    constants_[i] += solved(p, i);
    gradients_.col(i) += solved.col(i).tail(n) / radius_;
    hessians_[static_cast<std::size_t>(i)] +=
        y * solved.col(i).head(p).asDiagonal() * y.transpose() / (radius_ * radius_);
  }
  return true;
}

double InterpolationModels::value(Index i, const Vector& x) const {
  const Vector s = x - center_;
  return constants_[i] + gradients_.col(i).dot(s) + 0.5 * s.dot(hessian(i) * s);
}

Vector InterpolationModels::gradient(Index i, const Vector& x) const {
  return gradients_.col(i) + hessian(i) * (x - center_);
}

Vector InterpolationModels::lagrange(const Vector& x) const { return system_.solve(right_hand_side(x)).head(size()); }

Vector InterpolationModels::lagrange_gradient(Index k) const {
  const Vector solved = system_.solve(Vector::Unit(size() + 1 + dimension_, k));
  return solved.tail(dimension_) / radius_;
}

}  // namespace zeroth
