// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/random_features.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace zeroth {
namespace {

// cos of every entry, written so that it vectorises: reduce to [-pi, pi], then to sin^2 of the half angle by its series
// up to the 19th power. Accurate to about 1e-12, which is far below the error of the features themselves.
void cosine_in_place(Eigen::Ref<Matrix> x_) {
  auto x = x_.array();
  constexpr double two_pi = 2 * std::numbers::pi;
  x -= two_pi * (x * (1 / two_pi)).rint();
  x *= 0.5;
  const Eigen::ArrayXXd z = x.square();
  x *= 1 + z * (-1.0 / 6 +
                z * (1.0 / 120 + z * (-1.0 / 5040 +
                                      z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                               z * (1.0 / 6227020800.0 +
                                                                    z * (-1.0 / 1307674368000.0 +
                                                                         z * (1.0 / 355687428096000.0 +
                                                                              z * (-1.0 / 121645100408832000.0)))))))));
  x = 1 - 2 * x.square();
}

}  // namespace

void FunctionSample::draw_features(const Kernel& kernel, Index dimension, Index features, Rng& rng) {
  frequencies_.resize(features, dimension);
  phases_.resize(features);
  for (Index i = 0; i < features; ++i) {
    const double g = kernel.form == Kernel::Form::matern52 ? rng.gamma(2.5) * 0.4 : 1;
    for (Index k = 0; k < dimension; ++k) frequencies_(i, k) = rng.normal() / (kernel.length_of(k) * std::sqrt(g));
    phases_[i] = rng.uniform(0, 2 * std::numbers::pi);
  }
  scale_ = std::sqrt(2 * kernel.amplitude / static_cast<double>(features));
}

Matrix FunctionSample::features_at(const Matrix& points) const {
  Matrix angles = frequencies_ * points;
  angles.colwise() += phases_;
  cosine_in_place(angles);
  angles *= scale_;
  return angles;
}

FunctionSample FunctionSample::weight_space(const Gp& gp, Index features, Rng& rng) {
  FunctionSample s;
  s.mean_ = gp.mean();
  s.draw_features(gp.kernel(), gp.points().rows(), features, rng);
  s.weights_.resize(features);
  for (Index i = 0; i < features; ++i) s.weights_[i] = rng.normal();
  if (gp.size() == 0) return s;
  const double nu = gp.noise().mean();
  const Matrix phi = s.features_at(gp.points());  // F x n
  const Vector y = gp.values().array() - gp.mean();
  const Matrix gram = phi.transpose() * phi;
  // B = Phi'Phi + nu I = U D U'; theta = xi - Phi U diag(R) U'Phi' xi + Phi B^-1 y, R_i =
  // 1/(sqrt(D_i)(sqrt(D_i)+sqrt(nu))).
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(gram);
  const Eigen::ArrayXd d = eigen.eigenvalues().array().max(0.0) + nu;
  const Matrix& u = eigen.eigenvectors();
  const Vector projected = u.transpose() * (phi.transpose() * s.weights_);
  const Vector shrunk = projected.array() / (d.sqrt() * (d.sqrt() + std::sqrt(nu)));
  const Vector mean = (u.transpose() * y).array() / d;
  s.weights_ += phi * (u * (mean - shrunk));
  return s;
}

FunctionSample FunctionSample::pathwise(const Gp& gp, Index features, Rng& rng) {
  FunctionSample s;
  s.mean_ = gp.mean();
  s.draw_features(gp.kernel(), gp.points().rows(), features, rng);
  s.weights_.resize(features);
  for (Index i = 0; i < features; ++i) s.weights_[i] = rng.normal();
  if (gp.size() == 0) return s;
  s.kernel_ = gp.kernel();
  s.points_ = gp.points();
  Vector residual = (gp.values().array() - gp.mean()).matrix() - s.features_at(gp.points()).transpose() * s.weights_;
  for (Index i = 0; i < residual.size(); ++i) residual[i] -= std::sqrt(gp.noise()[i]) * rng.normal();
  s.correction_ = gp.factor().solve(residual);
  return s;
}

double FunctionSample::operator()(const Eigen::Ref<const Vector>& x) const { return at(x)[0]; }

double FunctionSample::operator()(const Eigen::Ref<const Vector>& x, Vector& gradient) const {
  const Vector angles = frequencies_ * x + phases_;
  double value = mean_;
  Vector pulled(angles.size());
  for (Index i = 0; i < angles.size(); ++i) {
    value += scale_ * weights_[i] * std::cos(angles[i]);
    pulled[i] = -scale_ * weights_[i] * std::sin(angles[i]);
  }
  gradient = frequencies_.transpose() * pulled;
  if (correction_.size() > 0) {
    value += kernel_.column(points_, x).dot(correction_);
    const Vector w = kernel_.slopes(points_, x).cwiseProduct(correction_);
    const Vector difference = x * w.sum() - points_ * w;
    for (Index k = 0; k < gradient.size(); ++k)
      gradient[k] += 2 * difference[k] / (kernel_.length_of(k) * kernel_.length_of(k));
  }
  return value;
}

// A few points at a time, so that features and covariances stay in the cache: allocating and clearing them for all
// points at once took as long as the cosines.
Vector FunctionSample::at(const Matrix& points) const {
  constexpr Index at_a_time = 16;
  Vector values(points.cols());
  for (Index first = 0; first < points.cols(); first += at_a_time) {
    const Matrix some = points.middleCols(first, std::min(at_a_time, points.cols() - first));
    auto out = values.segment(first, some.cols());
    out = features_at(some).transpose() * weights_;
    if (correction_.size() > 0) out += kernel_(points_, some).transpose() * correction_;
  }
  values.array() += mean_;
  return values;
}

}  // namespace zeroth
