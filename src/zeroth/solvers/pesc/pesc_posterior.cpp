// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/pesc_posterior.hpp"

#include <cmath>

#include "zeroth/solvers/pesc/pesc_conditioning.hpp"

namespace zeroth {
namespace {

constexpr double smallest_noise = 1e-9;
// With fewer coordinates the exponentials cost more than the distances.
constexpr Index many_coordinates = 32;

}  // namespace

PescPosterior::PescPosterior(const Evaluations& evaluations, bool noisy) : evaluations_(evaluations), noisy_(noisy) {
  const Index d = evaluations.points.rows();
  known_lengths_.setConstant(d, -1);
  length_terms_.setZero(d);
  if (d > many_coordinates) distances_.emplace(evaluations.points);
}

double PescPosterior::log_prior(const Vector& state) {
  const Index d = state.size() - 2;
  double value = 0;
  for (Index k = 0; k < d; ++k) {
    if (state[k] != known_lengths_[k]) {
      const double share = state[k] / 5;
      if (!(share > 0 && share < 1)) return -infinity;
      known_lengths_[k] = state[k];
      length_terms_[k] = 0.5 * std::log(share) + 6 * std::log1p(-share);
    }
    value += length_terms_[k];
  }
  if (!(state[d] > 0)) return -infinity;
  value -= 0.5 * (state[d] - 1) * (state[d] - 1);
  if (noisy_) {
    const double log_nu = state[d + 1];
    if (log_nu < std::log(smallest_noise) || log_nu > 0) return -infinity;
    value += std::log(std::log1p(3 * std::pow(0.1 / std::exp(log_nu), 2))) + log_nu;  // sampled on the log scale
  }
  return value;
}

Matrix PescPosterior::covariance(const Vector& state) {
  const Index d = state.size() - 2, n = evaluations_.size();
  const Kernel kernel{Kernel::Form::matern52, state.head(d), state[d]};
  if (!distances_) return kernel(evaluations_.points);
  Vector pairs = distances_->squared(state.head(d));
  kernel.from_squared_distances(pairs);
  Matrix k = Matrix::Identity(n, n) * state[d];
  for (Index j = 0, next = 0; j < n; next += n - 1 - j, ++j) k.col(j).tail(n - 1 - j) = pairs.segment(next, n - 1 - j);
  return k;  // the factorisation reads the lower triangle only
}

double PescPosterior::operator()(const Vector& state) {
  const double prior = log_prior(state);
  if (!std::isfinite(prior)) return -infinity;
  Matrix k = covariance(state);
  k.diagonal().array() += PescConditioning::jitter + std::exp(state[state.size() - 1]) * evaluations_.spreads().array();
  const Cholesky factor(k);
  return prior - 0.5 * (factor.half_solve(evaluations_.values).squaredNorm() + factor.log_determinant());
}

}  // namespace zeroth
