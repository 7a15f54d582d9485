// SPDX-License-Identifier: MIT
#include "zeroth/adapters/tail_model.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/core/statistics/binomial.hpp"

namespace zeroth {
namespace {

constexpr std::size_t most_variables = 100, most_evaluations_in_model = 4000;
constexpr double growth = 1.25;  // of the evaluations, from one fit to the next
constexpr double furthest = 4;   // of the middle, in units of the spread of all evaluations: huge ones must not bend it
constexpr double least_spread = 0.05;  // of the mean one
constexpr std::size_t recent =
    40;  // evaluations at least that the quantile rests on: the latest, which are near the answer

}  // namespace

void TailModel::observe(std::span<const double> x, double value) {
  if (!std::isfinite(value)) return;
  values_.push_back(value);
  if (x.size() <= most_variables) points_.emplace_back(x.begin(), x.end());
}

Vector TailModel::features(std::span<const double> x) const {
  const Index d = low_.size();
  Vector f(1 + 2 * d);
  f[0] = 1;
  for (Index k = 0; k < d; ++k) {
    const double u = std::clamp(2 * (x[static_cast<std::size_t>(k)] - low_[k]) / width_[k] - 1, -2.0, 2.0);
    f[1 + k] = u;
    f[1 + d + k] = u * u;
  }
  return f;
}

double TailModel::middle(std::span<const double> x) const {
  return weights_.size() == 0 ? center_ : center_ + scale_ * weights_.dot(features(x));
}

double TailModel::spread(std::span<const double> x) const {
  if (spread_weights_.size() == 0) return typical_spread_;
  return typical_spread_ * std::clamp(spread_weights_.dot(features(x)), least_spread, 1 / least_spread);
}

Vector TailModel::fitted(std::size_t first, const std::vector<double>& targets) const {
  const Index p = 1 + 2 * low_.size();
  Matrix squares = Matrix::Identity(p, p);
  squares(0, 0) = 1e-6;
  Vector products = Vector::Zero(p);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const Vector f = features(points_[first + i]);
    squares.selfadjointView<Eigen::Lower>().rankUpdate(f);
    products += f * std::clamp(targets[i], -furthest, furthest);
  }
  Vector weights = squares.selfadjointView<Eigen::Lower>().ldlt().solve(products);
  if (!weights.allFinite()) weights.resize(0);
  return weights;
}

double TailModel::of(std::span<const double> x, double value) const {
  const double q = learned_ == 0 ? value : middle(x) + quantile_ * spread(x);
  return q + std::max(0.0, value - q) / share_;
}

void TailModel::update() {
  const std::size_t count = values_.size();
  if (count == 0 || static_cast<double>(count) < growth * static_cast<double>(learned_)) return;
  learned_ = count;
  const std::size_t first = count > most_evaluations_in_model ? count - most_evaluations_in_model : 0;
  const std::vector<double> used(values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end());
  center_ = sample_quantile(used, 0.5);
  const double low = sample_quantile(used, 0.1), high = sample_quantile(used, 0.9);
  scale_ = high > low ? high - low : 1;
  weights_.resize(0);
  if (points_.size() == count && count > 4) {
    const auto d = static_cast<Index>(points_[0].size());
    low_ = Vector::Constant(d, infinity);
    Vector top = Vector::Constant(d, -infinity);
    for (std::size_t i = first; i < count; ++i)
      for (Index k = 0; k < d; ++k) {
        low_[k] = std::min(low_[k], points_[i][static_cast<std::size_t>(k)]);
        top[k] = std::max(top[k], points_[i][static_cast<std::size_t>(k)]);
      }
    width_ = (top - low_).cwiseMax(1e-12);
    std::vector<double> targets;
    for (const double v : used) targets.push_back((v - center_) / scale_);
    weights_ = fitted(first, targets);
  }
  const auto at = [&](std::size_t k) {
    return points_.size() == count ? std::span<const double>(points_[k]) : std::span<const double>();
  };
  std::vector<double> sizes;
  for (std::size_t k = first; k < count; ++k) sizes.push_back(std::abs(values_[k] - middle(at(k))));
  typical_spread_ = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
  spread_weights_.resize(0);
  if (!(typical_spread_ > 0)) typical_spread_ = 1;
  else if (weights_.size() > 0) {
    for (double& size : sizes) size /= typical_spread_;
    spread_weights_ = fitted(first, sizes);
  }
  std::vector<double> left;
  for (std::size_t k = std::min(count / 2, count > recent ? count - recent : 0); k < count; ++k)
    left.push_back((values_[k] - middle(at(k))) / spread(at(k)));
  quantile_ = sample_quantile(left, 1 - share_);
}

}  // namespace zeroth
