// SPDX-License-Identifier: MIT
#include "zeroth/model/site_gp.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/model/maximize.hpp"

namespace zeroth {
namespace {

constexpr double root5 = 2.2360679774997896964;
constexpr double least_variance = 1e-10;  // of standardised values: what rounding leaves

struct LogNormal {
  double center, spread;
  double density(double x, double& slope) const {
    const double z = (x - center) / spread;
    slope -= z / spread;
    return -0.5 * z * z;
  }
};
LogNormal length_prior(Index d) { return {std::log(0.5 * std::sqrt(static_cast<double>(d))), 0.7}; }
constexpr LogNormal a_prior{0, 1}, b_prior{-0.7, 1}, eta_prior{0, 0.3}, tau_prior{-3.912, 1.5};

Matrix scaled(const Matrix& points, const Vector& log_length) {
  return (-log_length.array()).exp().matrix().asDiagonal() * points;
}

Matrix squared_distances(const Matrix& u, const Matrix& v) {
  const Vector uu = u.colwise().squaredNorm(), vv = v.colwise().squaredNorm();
  Matrix r2 = -2 * u.transpose() * v;
  r2.colwise() += uu;
  r2.rowwise() += vv.transpose();
  return r2.cwiseMax(0.0);
}

Matrix linear_part(const Matrix& u, const Matrix& v) {
  const Matrix cu = u.array() - 0.5, cv = v.array() - 0.5;
  return ((4 * cu.transpose() * cv).array() + 1).matrix();
}

double matern(double r2) {
  const double r = std::sqrt(r2);
  return (1 + root5 * r + 5.0 / 3 * r2) * std::exp(-root5 * r);
}

}  // namespace

SiteKernel SiteKernel::typical(Index d, std::shared_ptr<const std::vector<Index>> length_of_row) {
  SiteKernel k;
  k.length_of_row = std::move(length_of_row);
  k.log_length = Vector::Constant(d, length_prior(d).center);
  return k;
}

Vector SiteKernel::packed() const {
  Vector p(log_length.size() + 4);
  p << log_length, log_a, log_b, log_eta, log_tau;
  return p;
}

SiteKernel SiteKernel::with(const Vector& p) const {
  const Index d = log_length.size();
  SiteKernel k;
  k.length_of_row = length_of_row;
  k.log_length = p.head(d);
  k.log_a = p[d];
  k.log_b = p[d + 1];
  k.log_eta = p[d + 2];
  k.log_tau = p[d + 3];
  return k;
}

Vector SiteKernel::row_lengths() const {
  if (!length_of_row) return log_length;
  Vector rows(static_cast<Index>(length_of_row->size()));
  for (Index j = 0; j < rows.size(); ++j) rows[j] = log_length[(*length_of_row)[static_cast<std::size_t>(j)]];
  return rows;
}

Matrix SiteKernel::operator()(const Matrix& u, const Matrix& v) const {
  const Vector lengths = row_lengths();
  Matrix k = squared_distances(scaled(u, lengths), scaled(v, lengths));
  const double a2 = std::exp(2 * log_a), b2 = std::exp(2 * log_b);
  k = (k.array().sqrt() * root5).eval();
  k = (a2 * (1 + k.array() + k.array().square() / 3) * (-k.array()).exp()).matrix().eval();
  k += b2 * linear_part(u, v);
  return k;
}

double SiteKernel::variance_at(const Eigen::Ref<const Vector>& u) const {
  return std::exp(2 * log_a) + std::exp(2 * log_b) * (1 + 4 * (u.array() - 0.5).square().sum());
}

double SiteKernel::difference_variance(const Eigen::Ref<const Vector>& u, const Eigen::Ref<const Vector>& v) const {
  const Vector delta = u - v;
  const double r2 = (delta.array() * (-row_lengths().array()).exp()).square().sum();
  return 2 * std::exp(2 * log_a) * (1 - matern(r2)) + 4 * std::exp(2 * log_b) * delta.squaredNorm();
}

double log_posterior(const SiteData& data, const SiteKernel& kernel, Vector* gradient) {
  const Index n = data.values.size(), d = kernel.log_length.size();
  const double a2 = std::exp(2 * kernel.log_a), b2 = std::exp(2 * kernel.log_b);
  const double eta2 = std::exp(2 * kernel.log_eta), tau2 = std::exp(2 * kernel.log_tau);
  const Matrix x = scaled(data.points, kernel.row_lengths());
  const Matrix s = root5 * squared_distances(x, x).cwiseSqrt();
  const Matrix decay = (-s.array()).exp().matrix();
  const Matrix m = (1 + s.array() + s.array().square() / 3).matrix().cwiseProduct(decay);
  const Matrix line = linear_part(data.points, data.points);
  Matrix k = a2 * m + b2 * line;
  k.diagonal().array() += eta2 * data.variance.array() + tau2 + least_variance;
  const Cholesky factor(k);
  const Vector w = factor.solve(data.values);
  double result = -0.5 * data.values.dot(w) - 0.5 * factor.log_determinant() - 0.918938533 * static_cast<double>(n);
  Vector slope = Vector::Zero(d + 4);
  for (Index j = 0; j < d; ++j) result += length_prior(d).density(kernel.log_length[j], slope[j]);
  result += a_prior.density(kernel.log_a, slope[d]);
  result += b_prior.density(kernel.log_b, slope[d + 1]);
  result += eta_prior.density(kernel.log_eta, slope[d + 2]);
  result += tau_prior.density(kernel.log_tau, slope[d + 3]);
  if (!gradient) return result;
  Matrix g = w * w.transpose() - factor.inverse();
  slope[d] += a2 * g.cwiseProduct(m).sum();
  slope[d + 1] += b2 * g.cwiseProduct(line).sum();
  slope[d + 2] += eta2 * g.diagonal().dot(data.variance);
  slope[d + 3] += tau2 * g.trace();
  // dk/dlog l_j = a^2 (5/3) (1 + s) exp(-s) (u_j - v_j)^2 / l_j^2
  g = (a2 * 5.0 / 3 * g.array() * (1 + s.array()) * decay.array()).matrix();
  const Vector rows = g.rowwise().sum();
  const Matrix xg = x * g;
  for (Index j = 0; j < x.rows(); ++j) {
    const Index length = kernel.length_of_row ? (*kernel.length_of_row)[static_cast<std::size_t>(j)] : j;
    slope[length] += x.row(j).array().square().matrix().dot(rows) - x.row(j).dot(xg.row(j));
  }
  *gradient = slope;
  return result;
}

SiteFit fit(const SiteData& data, const SiteKernel& start, int max_evaluations) {
  const Index d = start.log_length.size();
  Vector lower(d + 4), upper(d + 4);
  lower.head(d).setConstant(std::log(0.02));
  upper.head(d).setConstant(std::log(100.0));
  lower.tail(4) << -4, -5, -1, -11;
  upper.tail(4) << 4, 4, 1, 0;
  const Maximum best =
      maximize_lbfgs([&](const Vector& p, Vector* gradient) { return log_posterior(data, start.with(p), gradient); },
                     start.packed(), lower, upper, max_evaluations, 1e-5);
  return {start.with(best.x), best.value};
}

SiteGp::SiteGp(SiteData data, SiteKernel kernel) : data_(std::move(data)), kernel_(std::move(kernel)) {
  Matrix k = kernel_(data_.points, data_.points);
  k.diagonal().array() +=
      std::exp(2 * kernel_.log_eta) * data_.variance.array() + std::exp(2 * kernel_.log_tau) + least_variance;
  factor_ = std::make_shared<const Cholesky>(k);
  weights_ = factor_->solve(data_.values);
}

SiteGp::SiteGp(Vector values, const SiteGp& leader)
    : data_{leader.data_.points, std::move(values), leader.data_.variance},
      kernel_(leader.kernel_),
      factor_(leader.factor_),
      weights_(factor_->solve(data_.values)) {}

Index SiteGp::site_at(const Eigen::Ref<const Vector>& point) const {
  for (Index i = 0; i < size(); ++i)
    if (data_.points(0, i) == point[0] && data_.points.col(i) == point) return i;
  return -1;
}

SiteGp::Common SiteGp::common_at(const Matrix& points, bool variances, Part part) const {
  Common common{kernel_(data_.points, points), {}};
  Matrix& k = common.covariance;
  const double rough = part == Part::all ? std::exp(2 * kernel_.log_tau) : 0;
  for (Index i = 0; i < points.cols() && rough > 0; ++i)
    if (const Index site = site_at(points.col(i)); site >= 0) k(site, i) += rough;
  if (!variances) return common;
  Matrix half = k;
  factor_->half_solve(half);
  common.variance.resize(points.cols());
  for (Index i = 0; i < points.cols(); ++i)
    common.variance[i] =
        std::max(least_variance, kernel_.variance_at(points.col(i)) + rough - half.col(i).squaredNorm());
  return common;
}

void SiteGp::at(const Matrix& points, Vector& mean, Vector* variance, Part part) const {
  Common common = common_at(points, variance != nullptr, part);
  mean = this->mean(common);
  if (variance) *variance = std::move(common.variance);
}

double SiteGp::mean(const Vector& point, Vector* gradient) const {
  const Matrix delta = data_.points.colwise() - point;  // u_i - u
  const Vector lengths = kernel_.row_lengths();
  const Matrix z = scaled(delta, lengths);
  const double a2 = std::exp(2 * kernel_.log_a), b2 = std::exp(2 * kernel_.log_b);
  Vector s = root5 * z.colwise().norm().transpose();
  const Vector decay = (-s.array()).exp();
  const Vector line = linear_part(data_.points, point);
  const Vector k = (a2 * (1 + s.array() + s.array().square() / 3) * decay.array()).matrix() + b2 * line;
  if (gradient) {
    const Vector pull = (a2 * 5.0 / 3 * (1 + s.array()) * decay.array() * weights_.array()).matrix();
    *gradient = ((-2 * lengths.array()).exp() * (delta * pull).array()).matrix() +
                4 * b2 * (data_.points.array() - 0.5).matrix() * weights_;
  }
  return k.dot(weights_);
}

}  // namespace zeroth
