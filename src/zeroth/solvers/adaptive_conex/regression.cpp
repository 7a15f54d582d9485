// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/regression.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeroth::adaptive {

namespace {

Index terms_up_to(Index n, int degree) {
  Index terms = 1;
  for (int k = 1; k <= degree; ++k) terms = terms * (n + k) / k;
  return terms;
}

}  // namespace

Regression::Regression(Index n, Index functions, int degree, Index memory, double caution, const Tuning& tuning)
    : level(Vector::Zero(functions)),
      level_variance(Vector::Zero(functions)),
      tau_squared(Vector::Zero(functions)),
      slope(Matrix::Zero(n, functions)),
      slope_variance(Matrix::Zero(n, functions)),
      hessian(static_cast<std::size_t>(functions), Matrix::Zero(n, n)),
      tune_(tuning),
      degree_(degree),
      n_(n),
      p_(terms_up_to(n, degree)),
      memory_(std::max(3 * p_, memory)),
      functions_(functions),
      caution_(caution),
      prior_curvature_(Vector::Zero(functions)),
      prior_tau2_(Vector::Ones(functions)),
      lack2_(Vector::Zero(functions)),
      lack_sum_(Vector::Zero(functions)),
      lack_weight_(Vector::Zero(functions)),
      crowd_(Vector::Ones(functions)),
      prior_high2_(Matrix::Ones(functions, 2)),
      theta_(static_cast<std::size_t>(functions), Vector::Zero(p_)),
      covariance_(static_cast<std::size_t>(functions)) {}

void Regression::features(const Vector& d, Vector& phi) const {
  phi.resize(p_);
  phi[0] = 1;
  phi.segment(1, n_) = d;
  phi.segment(1 + n_, n_) = 0.5 * d.array().square();
  Index k = 1 + 2 * n_;
  for (Index i = 0; i < n_; ++i)
    for (Index j = i + 1; j < n_; ++j) phi[k++] = d[i] * d[j];
  if (degree_ < 3) return;
  // Monomials weighed by the roots of their multinomial coefficients: with these, one prior variance for all of an
  // order is the same in whichever directions the coordinates point.
  for (Index a = 0; a < n_; ++a)
    for (Index b = a; b < n_; ++b)
      for (Index c = b; c < n_; ++c) {
        const int equal = (a == b) + (b == c);
        phi[k++] = std::sqrt(equal == 2 ? 1.0 : equal == 1 ? 3.0 : 6.0) * d[a] * d[b] * d[c];
      }
  if (degree_ < 4) return;
  for (Index a = 0; a < n_; ++a)
    for (Index b = a; b < n_; ++b)
      for (Index c = b; c < n_; ++c)
        for (Index e = c; e < n_; ++e) {
          double ways = 24, run = 1;
          for (const bool same : {a == b, b == c, c == e}) {
            run = same ? run + 1 : 1;
            ways /= run;
          }
          phi[k++] = std::sqrt(ways) * d[a] * d[b] * d[c] * d[e];
        }
}

void Regression::place(Row& row) const {
  const Vector d = row.w - centre_;
  features(d, row.features);
  row.beyond = std::pow(d.norm(), degree_ + 1);
  if (row.base.size() > 0) {
    const Vector b = row.base - centre_;
    Vector phi;
    features(b, phi);
    row.features -= phi;
    const double far = std::max(d.norm(), b.norm());
    row.beyond = (degree_ + 1) * far * std::pow(far, degree_ - 1) * (d - b).norm();
  }
}

// What the last fit expected of a new evaluation, for c: e^2 = known variances + c^2 cubic^2.
void Regression::expect(const Row& row) {
  for (Index i = 0; i < functions_; ++i) {
    const auto f = static_cast<std::size_t>(i);
    const double known = row.variances[i] + std::max(0.0, row.features.dot(covariance_[f] * row.features));
    const double e = row.values[i] - row.features.dot(theta_[f]);
    const double b = row.beyond * row.beyond, total = known + lack2_[i] * b;
    if (!(total > 0) || b == 0) continue;
    const double square = std::min(e * e, std::pow(tune_.regression_clip, 2) * total);
    lack_sum_[i] += b * (square - known) / (total * total);
    lack_weight_[i] += b * b / (total * total);
  }
}

void Regression::add(const Vector& w, const Vector& base, const Vector& values, const Vector& variances,
                     double level_evaluations) {
  Row row{w, base, values, variances, {}, 0, level_evaluations};
  if (fitted_) {
    place(row);
    expect(row);
  }
  rows_.push_back(std::move(row));
}

void Regression::set_prior(Index i, double curvature, double tau2) {
  prior_curvature_[i] = curvature;
  prior_tau2_[i] = tau2;
  prior_high2_.row(i).setConstant(tune_.order_prior * tau2);
}

bool Regression::fit(const Vector& w, const Vector& level_noise, const Vector& slope_noise) {
  const auto enough = static_cast<std::size_t>(n_ + 1);
  if (rows_.size() < enough) return false;
  centre_ = w;
  const std::size_t most = static_cast<std::size_t>(memory_);
  for (Row& row : rows_) place(row);
  if (rows_.size() > most + most / 4) {
    // Evaluations at one point are precious, they hold the levels; of the others go those that what is left out drowns,
    // then the oldest.
    std::vector<std::pair<double, std::size_t>> worth;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const double beyond = rows_[k].beyond * rows_[k].beyond;
      double drowned = 0;
      for (Index i = 0; i < functions_; ++i) drowned = std::max(drowned, lack2_[i] * beyond / rows_[k].variances[i]);
      const bool lately = k + most / 2 > rows_.size();
      worth.push_back({lately ? -1 : rows_[k].level_evaluations > 0 ? drowned - 1 : std::max(drowned, 1.0), k});
    }
    std::stable_sort(worth.begin(), worth.end(), [](const auto& a, const auto& b) {
      return a.first < b.first || (a.first == b.first && a.second > b.second);
    });
    std::vector<std::size_t> keep;
    for (std::size_t k = 0; k < most; ++k) keep.push_back(worth[k].second);
    std::sort(keep.begin(), keep.end());
    std::vector<Row> kept;
    for (const std::size_t k : keep) kept.push_back(std::move(rows_[k]));
    rows_ = std::move(kept);
  }
  for (Index i = 0; i < functions_; ++i) {
    if (lack_weight_[i] > 0) {
      lack2_[i] = std::max(0.0, lack_sum_[i] / lack_weight_[i] - caution_ * std::sqrt(2 / lack_weight_[i]));
      lack_sum_[i] *= tune_.lack_keep;
      lack_weight_[i] *= tune_.lack_keep;
    }
    fit_one(i, level_noise[i], slope_noise[i]);
  }
  fitted_ = true;
  return true;
}

void Regression::fit_one(Index i, double level_noise, double slope_noise) {
  const auto f = static_cast<std::size_t>(i);
  Matrix information = Matrix::Zero(p_, p_);
  Vector right = Vector::Zero(p_);
  Matrix scaled(p_, static_cast<Index>(rows_.size()));
  Vector values(static_cast<Index>(rows_.size()));
  const double lack2 = crowd_[i] * lack2_[i];
  double effective = 0;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Row& row = rows_[k];
    double noise = row.variances[i];
    if (row.level_evaluations > 0) noise = std::max(noise, level_noise / row.level_evaluations);
    if (row.base.size() > 0) noise = std::max(noise, slope_noise * (row.w - row.base).squaredNorm());
    const double total = noise + lack2 * row.beyond * row.beyond + 1e-300;
    effective += noise / total;
    const double weight = 1 / std::sqrt(total);
    scaled.col(static_cast<Index>(k)) = weight * row.features;
    values[static_cast<Index>(k)] = weight * row.values[i];
  }
  crowd_[i] = std::max(1.0, effective / static_cast<double>(p_));
  information.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  right = scaled * values;
  const Index hessian_at = 1 + n_;
  // Level and slopes each in their own units: exact levels must not pin down the slopes.
  information(0, 0) *= 1 + 1e-13;
  information.diagonal().segment(1, n_).array() += 1e-13 * information.diagonal().segment(1, n_).maxCoeff();
  for (int order = 3; order <= degree_; ++order) {
    const Index from = terms_up_to(n_, order - 1);
    information.diagonal().segment(from, terms_up_to(n_, order) - from).array() += 1 / prior_high2_(i, order - 3);
  }
  for (Index k = hessian_at; k < terms_up_to(n_, 2); ++k) {
    const bool diagonal = k < hessian_at + n_;
    const double precision = 1 / (prior_tau2_[i] * (diagonal ? 2 : 1));
    information(k, k) += precision;
    if (diagonal) right[k] += precision * prior_curvature_[i];
  }
  const Eigen::LDLT<Matrix, Eigen::Lower> factor(information);
  theta_[f] = factor.solve(right);
  covariance_[f] = factor.solve(Matrix::Identity(p_, p_));
  const Vector& theta = theta_[f];
  const Matrix& covariance = covariance_[f];

  level[i] = theta[0];
  level_variance[i] = std::max(0.0, covariance(0, 0));
  slope.col(i) = theta.segment(1, n_);
  slope_variance.col(i) = covariance.diagonal().segment(1, n_).cwiseMax(0);
  Matrix& h = hessian[f];
  h.diagonal() = theta.segment(hessian_at, n_);
  double variance = 0, spread = 0, count = 0;
  Index k = hessian_at + n_;
  for (Index a = 0; a < n_; ++a)
    for (Index b = a + 1; b < n_; ++b, ++k) {
      h(a, b) = h(b, a) = theta[k];
      const double own = std::max(0.0, covariance(k, k));
      variance += own;
      spread += theta[k] * theta[k] + own;
      ++count;
    }
  prior_curvature_[i] = h.diagonal().mean();
  for (Index a = 0; a < n_; ++a) {
    const double own = std::max(0.0, covariance(hessian_at + a, hessian_at + a));
    variance += 0.5 * own;
    spread += 0.5 * (std::pow(h(a, a) - prior_curvature_[i], 2) + own);
    ++count;
  }
  tau_squared[i] = variance / count;
  const double scale = prior_curvature_[i] * prior_curvature_[i];
  prior_tau2_[i] = std::max({spread / count, tune_.prior_spread * scale / static_cast<double>(n_), 1e-300});
  for (int order = 3; order <= degree_; ++order) {
    const Index from = terms_up_to(n_, order - 1), terms = terms_up_to(n_, order) - from;
    const double squares = theta.segment(from, terms).squaredNorm() + covariance.diagonal().segment(from, terms).sum();
    prior_high2_(i, order - 3) = std::max(squares / static_cast<double>(terms), 1e-300);
  }
}

}  // namespace zeroth::adaptive
