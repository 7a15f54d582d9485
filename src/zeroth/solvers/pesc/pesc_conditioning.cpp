// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/pesc_conditioning.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "zeroth/model/normal.hpp"

// Section numbers in comments are those of the paper's appendix in words: cavity, moment matching, damping.

namespace zeroth {
namespace {

using Eigen::Matrix2d;
using Eigen::Vector2d;

constexpr double least_precision = 1e-6;
constexpr double converged = 1e-4;
constexpr int max_sweeps = 200;

bool is_positive_definite(const Matrix& precision) {
  Matrix lowered = precision;
  lowered.diagonal().array() -= least_precision;
  return Eigen::LLT<Matrix>(lowered).info() == Eigen::Success;
}

bool is_positive_definite(const Matrix2d& p) {
  const double trace = p.trace(), determinant = p.determinant();
  return 0.5 * (trace - std::sqrt(std::max(0.0, trace * trace - 4 * determinant))) >= least_precision;
}

Matrix inverse(const Matrix& k) { return Eigen::LLT<Matrix>(k).solve(Matrix::Identity(k.rows(), k.cols())); }

struct Scalar {
  double mean, variance;
};

Scalar cavity(double mean, double variance, double a, double b) {
  const double v = 1 / (1 / variance - a);
  return {v * (mean / variance - b), v};
}

// The site that a factor with log-derivative r (in units of the sd) and curvature D leaves on one Gaussian.
void scalar_site(const Scalar& c, double r, double& a, double& b) {
  const double alpha = c.mean / std::sqrt(c.variance);
  const double D = -r * (alpha + r) / c.variance;
  const double denominator = 1 / D + c.variance;
  a = -1 / denominator;
  b = -(c.mean / denominator + std::sqrt(c.variance) / (-c.variance / r + (alpha + r) * c.variance));
  if (!std::isfinite(a) || !std::isfinite(b)) a = b = 0;  // the factor says nothing here
}

}  // namespace

PescConditioning::PescConditioning(PescFunction objective, std::vector<PescFunction> constraints, Vector minimiser)
    : objective_(std::move(objective)), constraints_(std::move(constraints)), minimiser_(std::move(minimiser)) {
  const Index n = objective_.evaluations.size();
  inputs_.resize(minimiser_.size(), n + 1);
  inputs_ << objective_.evaluations.points, minimiser_;
  f_ = prior(objective_);
  for (const auto& c : constraints_) {
    c_.push_back(prior(c));
    Matrix extended(minimiser_.size(), n + 1 + c.evaluations.size());
    extended << inputs_, c.evaluations.points;
    Matrix k = c.kernel(extended);
    k.diagonal().array() += jitter;
    extended_inverse_.push_back(inverse(k));
    extended_inputs_.push_back(std::move(extended));
  }
  const Index K = static_cast<Index>(constraints_.size());
  sites_.A.assign(static_cast<std::size_t>(n), Matrix2d::Zero());
  sites_.B.assign(static_cast<std::size_t>(n), Vector2d::Zero());
  sites_.a_h = sites_.b_h = Matrix::Zero(K, n);
  sites_.a_g = sites_.b_g = Vector::Zero(K);
  run();
  build_predictors();
}

PescConditioning::Marginal PescConditioning::prior(const PescFunction& function) const {
  Matrix k = function.kernel(function.evaluations.points);
  k.diagonal().array() += jitter + function.noises().array();
  const Cholesky factor(k);
  Matrix cross = function.kernel(function.evaluations.points, inputs_);
  Marginal m;
  m.mean = cross.transpose() * factor.solve(function.evaluations.values);
  factor.half_solve(cross);
  m.covariance = function.kernel(inputs_) - cross.transpose() * cross;
  m.covariance.diagonal().array() += jitter;
  m.prior_precision = inverse(m.covariance);
  m.prior_shift = m.prior_precision * m.mean;
  return m;
}

PescSites PescConditioning::refreshed() const {
  PescSites next = sites_;
  const Index n = objective_.evaluations.size();
  const std::size_t K = constraints_.size();
  std::vector<Scalar> cavities(K);
  for (Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    Matrix2d S;
    S << f_.covariance(i, i), f_.covariance(i, n), f_.covariance(n, i), f_.covariance(n, n);
    const Vector2d mu(f_.mean[i], f_.mean[n]);
    const Matrix2d S_inverse = S.inverse(), P = S_inverse - sites_.A[at], V = P.inverse();
    const Vector2d eta = S_inverse * mu - sites_.B[at], m = V * eta;
    double log_pi = 0;
    for (std::size_t k = 0; k < K; ++k) {
      const Index row = static_cast<Index>(k);
      cavities[k] = cavity(c_[k].mean[i], c_[k].covariance(i, i), sites_.a_h(row, i), sites_.b_h(row, i));
      log_pi += log_normal_cdf(cavities[k].mean / std::sqrt(cavities[k].variance));
    }
    const double s = std::max(V(0, 0) - 2 * V(0, 1) + V(1, 1), 1e-300);
    const double alpha = (m[0] - m[1]) / std::sqrt(s);
    const double log_z = log_add_exp(log_pi + log_normal_cdf(alpha), log_one_minus_exp(log_pi));
    const double outside = -std::expm1(-log_z);  // (Z - 1)/Z
    for (std::size_t k = 0; k < K; ++k) {
      const Index row = static_cast<Index>(k);
      const double r = normal_hazard(cavities[k].mean / std::sqrt(cavities[k].variance)) * outside;
      scalar_site(cavities[k], r, next.a_h(row, i), next.b_h(row, i));
    }
    const double q = std::exp(log_pi - 0.5 * alpha * alpha - 0.91893853320467274178 - log_z);
    const Vector2d gradient = q / std::sqrt(s) * Vector2d(1, -1);
    Matrix2d G;
    G << 1, -1, -1, 1;
    G *= -q * alpha / (2 * s);
    const Vector2d matched_mean = m + V * gradient;
    const Matrix2d matched = V - V * (gradient * gradient.transpose() - 2 * G) * V;
    if (!(matched(0, 0) > 0 && matched.determinant() > 0)) continue;  // not a Gaussian: the site stays
    const Matrix2d matched_inverse = matched.inverse();
    next.A[at] = matched_inverse - P;
    next.B[at] = matched_inverse * matched_mean - eta;
  }
  for (std::size_t k = 0; k < K; ++k) {
    const Index row = static_cast<Index>(k);
    const Scalar c = cavity(c_[k].mean[n], c_[k].covariance(n, n), sites_.a_g[row], sites_.b_g[row]);
    scalar_site(c, normal_hazard(c.mean / std::sqrt(c.variance)), next.a_g[row], next.b_g[row]);
  }
  return next;
}

Matrix PescConditioning::extended_precision(std::size_t k, const PescSites& sites) const {
  const Index n = objective_.evaluations.size(), row = static_cast<Index>(k);
  Matrix precision = extended_inverse_[k];
  precision.diagonal().head(n) += sites.a_h.row(row).transpose();
  precision(n, n) += sites.a_g[row];
  precision.diagonal().tail(constraints_[k].evaluations.size()) += constraints_[k].noises().cwiseInverse();
  return precision;
}

// Takes the sites if everything stays a proper Gaussian; otherwise nothing changes.
bool PescConditioning::accept(const PescSites& sites) {
  const Index n = objective_.evaluations.size();
  Marginal f = f_;
  Matrix precision = f.prior_precision;
  Vector shift = f.prior_shift;
  for (Index i = 0; i < n; ++i) {
    const Matrix2d& A = sites.A[static_cast<std::size_t>(i)];
    const Vector2d& B = sites.B[static_cast<std::size_t>(i)];
    precision(i, i) += A(0, 0);
    precision(i, n) += A(0, 1);
    precision(n, i) += A(0, 1);
    precision(n, n) += A(1, 1);
    shift[i] += B[0];
    shift[n] += B[1];
  }
  if (!is_positive_definite(precision)) return false;
  f.covariance = inverse(precision);
  f.mean = f.covariance * shift;
  std::vector<Marginal> c = c_;
  for (std::size_t k = 0; k < c.size(); ++k) {
    const Index row = static_cast<Index>(k);
    precision = c[k].prior_precision;
    precision.diagonal().head(n) += sites.a_h.row(row).transpose();
    precision(n, n) += sites.a_g[row];
    if (!is_positive_definite(precision) || !is_positive_definite(extended_precision(k, sites))) return false;
    shift = c[k].prior_shift;
    shift.head(n) += sites.b_h.row(row).transpose();
    shift[n] += sites.b_g[row];
    c[k].covariance = inverse(precision);
    c[k].mean = c[k].covariance * shift;
  }
  std::swap(f, f_);
  std::swap(c, c_);
  if (cavities_proper(sites)) return true;
  std::swap(f, f_);
  std::swap(c, c_);
  return false;
}

bool PescConditioning::cavities_proper(const PescSites& sites) const {
  const Index n = objective_.evaluations.size();
  for (Index i = 0; i < n; ++i) {
    Matrix2d S;
    S << f_.covariance(i, i), f_.covariance(i, n), f_.covariance(n, i), f_.covariance(n, n);
    if (!is_positive_definite(Matrix2d(S.inverse() - sites.A[static_cast<std::size_t>(i)]))) return false;
  }
  for (std::size_t k = 0; k < c_.size(); ++k) {
    const Index row = static_cast<Index>(k);
    for (Index i = 0; i <= n; ++i)
      if (1 / c_[k].covariance(i, i) - (i < n ? sites.a_h(row, i) : sites.a_g[row]) < least_precision) return false;
  }
  return true;
}

void PescConditioning::run() {
  double step = 1;
  for (sweeps_ = 1; sweeps_ <= max_sweeps; ++sweeps_) {
    const PescSites target = refreshed();
    const Marginal f_before = f_;
    const std::vector<Marginal> c_before = c_;
    bool accepted = false;
    for (; step >= 1e-5; step *= 0.5) {
      PescSites damped = sites_;
      const auto mix = [step](auto& to, const auto& from) { to = step * from + (1 - step) * to; };
      for (std::size_t i = 0; i < damped.A.size(); ++i) {
        mix(damped.A[i], target.A[i]);
        mix(damped.B[i], target.B[i]);
      }
      mix(damped.a_h, target.a_h);
      mix(damped.b_h, target.b_h);
      mix(damped.a_g, target.a_g);
      mix(damped.b_g, target.b_g);
      if (accept(damped)) {
        sites_ = std::move(damped);
        accepted = true;
        break;
      }
    }
    if (!accepted) return;  // keep the last proper state
    double change = (f_.mean - f_before.mean).cwiseAbs().maxCoeff();
    change = std::max(change, (f_.covariance - f_before.covariance).cwiseAbs().maxCoeff());
    for (std::size_t k = 0; k < c_.size(); ++k) {
      change = std::max(change, (c_[k].mean - c_before[k].mean).cwiseAbs().maxCoeff());
      change = std::max(change, (c_[k].covariance - c_before[k].covariance).cwiseAbs().maxCoeff());
    }
    if (change < converged && sweeps_ > 2) return;
    step *= 0.99;
  }
}

void PescConditioning::build_predictors() {
  const auto predictor = [](const Matrix& inputs, const Matrix& k_inverse, const Vector& mean,
                            const Matrix& covariance) {
    Predictor p;
    p.inputs = inputs;
    p.alpha = k_inverse * mean;
    p.M = k_inverse - k_inverse * covariance * k_inverse;
    return p;
  };
  Matrix k = objective_.kernel(inputs_);
  k.diagonal().array() += jitter;
  const Matrix k_inverse = inverse(k);
  f_predictor_ = predictor(inputs_, k_inverse, f_.mean, f_.covariance);
  const Vector w = k_inverse * objective_.kernel.column(inputs_, minimiser_);
  f_predictor_.beta = w - k_inverse * (f_.covariance * w);
  const Index n = objective_.evaluations.size();
  for (std::size_t j = 0; j < constraints_.size(); ++j) {
    const Index row = static_cast<Index>(j);
    const Matrix covariance = inverse(extended_precision(j, sites_));
    Vector shift = Vector::Zero(covariance.rows());
    shift.head(n) = sites_.b_h.row(row).transpose();
    shift[n] = sites_.b_g[row];
    shift.tail(constraints_[j].evaluations.size()) =
        constraints_[j].evaluations.values.cwiseQuotient(constraints_[j].noises());
    c_predictors_.push_back(predictor(extended_inputs_[j], extended_inverse_[j], covariance * shift, covariance));
  }
}

Matrix PescConditioning::acquisition(const Matrix& points) const {
  const std::size_t K = constraints_.size();
  const Index count = points.cols();
  const auto predict = [&](const PescFunction& function, const Predictor& p, Vector& mean, Vector& variance) {
    const Matrix k = function.kernel(p.inputs, points);
    mean = k.transpose() * p.alpha;
    variance =
        (function.kernel.amplitude + jitter - k.cwiseProduct(p.M * k).colwise().sum().transpose().array()).max(1e-12);
    return k;
  };
  const auto unconditioned = [&](const PescFunction& function) {
    Matrix k = function.kernel(function.evaluations.points);
    k.diagonal().array() += jitter + function.noises().array();
    Matrix cross = function.kernel(function.evaluations.points, points);
    Cholesky(k).half_solve(cross);
    return Vector((function.kernel.amplitude + jitter - cross.colwise().squaredNorm().transpose().array()).max(1e-12));
  };

  Vector mf, vf;
  const Matrix k = predict(objective_, f_predictor_, mf, vf);
  const Index n = objective_.evaluations.size();
  const double mo = f_.mean[n], vo = f_.covariance(n, n);
  Vector cov = objective_.kernel.column(points, minimiser_) - k.transpose() * f_predictor_.beta;
  Matrix mc(K, count), vc(K, count);
  for (std::size_t j = 0; j < K; ++j) {
    Vector mean, variance;
    predict(constraints_[j], c_predictors_[j], mean, variance);
    mc.row(static_cast<Index>(j)) = mean.transpose();
    vc.row(static_cast<Index>(j)) = variance.transpose();
  }

  Matrix result(K + 1, count);
  const Vector prior_f = unconditioned(objective_);
  std::vector<Vector> prior_c;
  for (const auto& c : constraints_) prior_c.push_back(unconditioned(c));
  for (Index p = 0; p < count; ++p) {
    // The factor h at the point itself, matched once.
    double kappa = 1 - 1e-4;
    do {
      cov[p] *= kappa;
      kappa *= kappa;
    } while (vf[p] - 2 * cov[p] + vo < 1e-10);
    const double s = vf[p] - 2 * cov[p] + vo, alpha = (mf[p] - mo) / std::sqrt(s);
    double log_pi = 0;
    for (Index j = 0; j < mc.rows(); ++j) log_pi += log_normal_cdf(mc(j, p) / std::sqrt(vc(j, p)));
    const double log_z = log_add_exp(log_pi + log_normal_cdf(alpha), log_one_minus_exp(log_pi));
    const double q = std::exp(log_pi - 0.5 * alpha * alpha - 0.91893853320467274178 - log_z);
    double v = vf[p] - q / s * (q + alpha) * std::pow(vf[p] - cov[p], 2);
    if (!(v > 0)) v = vf[p];
    result(0, p) = 0.5 * (std::log(prior_f[p] + objective_.noise) - std::log(v + objective_.noise));
    for (Index j = 0; j < mc.rows(); ++j) {
      const auto& c = constraints_[static_cast<std::size_t>(j)];
      const Scalar at{mc(j, p), vc(j, p)};
      double a = 0, b = 0;
      scalar_site(at, -std::expm1(-log_z) * normal_hazard(at.mean / std::sqrt(at.variance)), a, b);
      double w = 1 / (1 / at.variance + a);
      if (!(w > 0)) w = at.variance;
      result(j + 1, p) = 0.5 * (std::log(prior_c[static_cast<std::size_t>(j)][p] + c.noise) - std::log(w + c.noise));
    }
  }
  return result;
}

}  // namespace zeroth
