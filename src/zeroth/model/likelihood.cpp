// SPDX-License-Identifier: MIT
#include "zeroth/model/likelihood.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

constexpr double log_two_pi = 1.8378770664093454836;

Matrix mixing_of(const Hyperparameters& h) {
  if (h.mixing.size() == 0) return {};
  const Index d = h.log_length.size();
  Matrix mixing = Matrix::Identity(d, d);
  for (Index k = 0, next = 0; k < d; ++k)
    for (Index j = k + 1; j < d; ++j) mixing(k, j) = h.mixing[next++];
  return mixing;
}

Kernel kernel_of(Kernel::Form form, const Hyperparameters& h) {
  return {form, h.log_length.array().exp(), std::exp(h.log_amplitude), mixing_of(h)};
}

double trend_mean(Trend trend, const Cholesky& factor, const Vector& y) {
  if (trend == Trend::zero) return 0;
  const Vector ones = factor.half_solve(Vector(Vector::Ones(y.size())));
  return ones.dot(factor.half_solve(y)) / ones.squaredNorm();
}

// By the lengths and then, if there is one, by the mixing T. With z = T x / l:
//   1/2 sum_ij Q_ij dK_ij/d log l_k = -sum_ij Q_ij slope_ij (z_ik - z_jk)^2,
//   1/2 sum_ij Q_ij dK_ij/d T_kc = sum_ij Q_ij slope_ij (z_ik - z_jk) (x_ic - x_jc) / l_k.
// The squared exponential's slopes are its values halved, so they need no second pass.
Vector shape_gradient(const Kernel& kernel, const Matrix& points, const Matrix& signal, const Matrix& q) {
  const bool smooth = kernel.form == Kernel::Form::squared_exponential;
  const Matrix weighted =
      smooth ? Matrix(-0.5 * q.cwiseProduct(signal)) : Matrix(q.cwiseProduct(kernel.slopes(points)));
  const Vector sums = weighted.rowwise().sum();
  const Index d = points.rows();
  // sum_ij W_ij (a_i - a_j)(b_i - b_j) = 2 sum_i a_i b_i W_i. - 2 a'Wb; centred first, so that little cancels.
  const Matrix x = (points.colwise() - points.rowwise().mean()).transpose();
  Matrix z = kernel.mixed() ? Matrix(x * kernel.mixing.transpose()) : x;
  for (Index k = 0; k < d; ++k) z.col(k) /= kernel.length_of(k);
  const Matrix weighted_z = weighted * z;
  Vector g(d);
  for (Index k = 0; k < d; ++k) g[k] = -2 * (z.col(k).cwiseAbs2().dot(sums) - z.col(k).dot(weighted_z.col(k)));
  if (kernel.isotropic()) return Vector::Constant(1, g.sum());
  if (!kernel.mixed()) return g;
  g.conservativeResize(d + d * (d - 1) / 2);
  for (Index k = 0, next = d; k < d; ++k)
    for (Index c = k + 1; c < d; ++c)
      g[next++] =
          2 * (z.col(k).cwiseProduct(x.col(c)).dot(sums) - weighted_z.col(k).dot(x.col(c))) / kernel.length_of(k);
  return g;
}

}  // namespace

void Evaluations::add(const Eigen::Ref<const Vector>& x, double value) {
  const Index n = size();
  points.conservativeResize(x.size(), n + 1);
  points.col(n) = x;
  values.conservativeResize(n + 1);
  values[n] = value;
}

Vector spread_of_stated(const Vector& standard_errors) {
  constexpr double least = 1e-4;  // nobody is that much surer than the others
  double sum = 0;
  Index count = 0;
  for (const double se : standard_errors)
    if (std::isfinite(se)) {
      sum += se * se;
      ++count;
    }
  if (!(sum > 0) || !std::isfinite(sum)) return {};
  Vector spread = Vector::Ones(standard_errors.size());
  for (Index i = 0; i < spread.size(); ++i)
    if (const double se = standard_errors[i]; std::isfinite(se))
      spread[i] = std::max(least, se * se * static_cast<double>(count) / sum);
  return spread;
}

Vector Hyperparameters::packed() const {
  Vector p(log_length.size() + mixing.size() + 2);
  p << log_length, mixing, log_amplitude, log_noise;
  return p;
}

Hyperparameters Hyperparameters::unpacked(const Vector& p, Index lengths) {
  return {p.head(lengths), p[p.size() - 2], p[p.size() - 1], p.segment(lengths, p.size() - 2 - lengths)};
}

double log_likelihood(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& h,
                      Vector* gradient) {
  const Kernel kernel = kernel_of(form, h);
  const double noise = std::exp(h.log_noise);
  const Vector spread = evaluations.spreads();
  const Matrix signal = kernel(evaluations.points);
  Matrix k = signal;
  k.diagonal() += noise * spread;
  const Cholesky factor(k);
  const Vector residual = evaluations.values.array() - trend_mean(trend, factor, evaluations.values);
  const Vector alpha = factor.solve(residual);
  const double n = static_cast<double>(evaluations.size());
  const double value = -0.5 * (residual.dot(alpha) + factor.log_determinant() + n * log_two_pi);
  if (gradient) {
    Matrix q = -factor.inverse();
    q.noalias() += alpha * alpha.transpose();
    const Vector by_shape = shape_gradient(kernel, evaluations.points, signal, q);
    gradient->resize(by_shape.size() + 2);
    *gradient << by_shape, 0.5 * q.cwiseProduct(signal).sum(), 0.5 * noise * q.diagonal().dot(spread);
  }
  return value;
}

Gp make_gp(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& h) {
  const Kernel kernel = kernel_of(form, h);
  const Vector noise = std::exp(h.log_noise) * evaluations.spreads();
  double mean = 0;
  if (trend == Trend::constant && evaluations.size() > 0) {
    Matrix k = kernel(evaluations.points);
    k.diagonal() += noise;
    mean = trend_mean(trend, Cholesky(k), evaluations.values);
  }
  return Gp(kernel, mean, evaluations.points, evaluations.values, noise);
}

double scale_free_log_posterior(const Evaluations& evaluations, const Vector& d, double nugget,
                                const ScaleFreePrior& prior, Vector* gradient) {
  const Kernel kernel{Kernel::Form::squared_exponential, (0.5 * d).cwiseSqrt(), 1};
  const Matrix signal = kernel(evaluations.points);
  Matrix k = signal;
  k.diagonal() += nugget * evaluations.spreads();
  const Cholesky factor(k);
  const Vector alpha = factor.solve(evaluations.values);
  const double phi = evaluations.values.dot(alpha);
  const double n = static_cast<double>(evaluations.size());
  double value = -0.5 * (n * std::log(phi / 2) + factor.log_determinant());
  value += ((prior.shape - 1) * d.array().log() - prior.rate * d.array()).sum() +
           static_cast<double>(d.size()) * (prior.shape * std::log(prior.rate) - std::lgamma(prior.shape));
  if (gradient) {
    Matrix q = -factor.inverse();
    q.noalias() += (n / phi) * alpha * alpha.transpose();
    // l^2 = d/2, so d/d(d) = (1/(2d)) d/d(log l).
    *gradient = (shape_gradient(kernel, evaluations.points, signal, q).array() * 0.5 + prior.shape - 1) / d.array() -
                prior.rate;
  }
  return value;
}

Gp scale_free_gp(const Evaluations& evaluations, const Vector& d, double nugget) {
  Kernel kernel{Kernel::Form::squared_exponential, (0.5 * d).cwiseSqrt(), 1};
  const Vector nuggets = nugget * evaluations.spreads();
  const Gp unit(kernel, 0, evaluations.points, evaluations.values, nuggets);
  const double tau2 = evaluations.values.dot(unit.weights()) / static_cast<double>(evaluations.size());
  // A constant zero response has no scale; any tiny one predicts it.
  kernel.amplitude = std::max(tau2, 1e-300);
  return Gp(kernel, 0, evaluations.points, evaluations.values, Vector(nuggets * kernel.amplitude));
}

}  // namespace zeroth
