// SPDX-License-Identifier: MIT
#include "zeroth/solvers/augmented_lagrangian/al_surrogates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/model/fit.hpp"

namespace zeroth {

void AlSurrogates::add(const Vector& unit, const Answer& answer) {
  const std::vector<double>& values = answer.values;
  const Index n = size(), functions = spec_.functions();
  points_.conservativeResize(unit.size(), n + 1);
  points_.col(n) = unit;
  evaluations_.conservativeResize(functions, n + 1);
  evaluations_.col(n) = as_vector(values);
  stated_.conservativeResize(functions, n + 1);
  stated_.col(n).setConstant(std::nan(""));
  if (static_cast<Index>(answer.se.size()) == functions) stated_.col(n) = as_vector(answer.se);
  f_.conservativeResize(n + 1);
  f_[n] = values[0];
  c_.conservativeResize(functions - 1, n + 1);
  c_.col(n) = evaluations_.col(n).tail(functions - 1);
  for (std::size_t i = 0; i < gps_.size(); ++i) {
    const Vector spread = spread_of(static_cast<Index>(i));
    const double share = spread.size() > 0 ? spread[n] : 1;
    const double nugget = share * nugget_[i] * gps_[i].kernel().amplitude;
    gps_[i].append(unit, values[i] / norm_[static_cast<Index>(i)], nugget);
  }
  if (!gps_.empty()) smooth();
}

// As published the noise is no more than a fixed nugget, which has no place for errors of single evaluations.
Vector AlSurrogates::spread_of(Index function) const {
  return options_.noise == "estimated" ? spread_of_stated(stated_.row(function).transpose()) : Vector{};
}

void AlSurrogates::fit() {
  const Index functions = spec_.functions();
  const bool first = d_.empty();
  if (first) {
    d_.assign(static_cast<std::size_t>(functions), Vector::Constant(points_.rows(), 0.1));
    nugget_.assign(static_cast<std::size_t>(functions), options_.nugget);
  }
  norm_ = evaluations_.cwiseAbs().rowwise().maxCoeff().cwiseMax(1e-300);
  gps_.clear();
  for (Index i = 0; i < functions; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const Evaluations evaluations{points_, evaluations_.row(i).transpose() / norm_[i], spread_of(i)};
    const bool estimate = options_.noise == "estimated";
    if (estimate && first) nugget_[k] = 0.01;
    if (evaluations.values.cwiseAbs().maxCoeff() > 0) {
      d_[k] = fit_scale_free(evaluations, d_[k], nugget_[k], {}, 1e-6);
      if (estimate) {  // by turns: two rounds settle
        nugget_[k] = fit_nugget(evaluations, d_[k], {}, nugget_[k]);
        d_[k] = fit_scale_free(evaluations, d_[k], nugget_[k], {}, 1e-6);
        nugget_[k] = fit_nugget(evaluations, d_[k], {}, nugget_[k]);
      }
    }
    gps_.push_back(scale_free_gp(evaluations, d_[k], nugget_[k]));
  }
  smooth();
}

void AlSurrogates::smooth() {
  if (options_.noise != "estimated") return;
  f_ = norm_[0] * gps_[0].means_at(points_);
  for (Index j = 0; j < c_.rows(); ++j)
    c_.row(j) = norm_[j + 1] * gps_[static_cast<std::size_t>(j + 1)].means_at(points_).transpose();
}

bool AlSurrogates::valid(Index i) const {
  for (Index j = 0; j < c_.rows(); ++j) {
    const double c = c_(j, i);
    if (j < spec_.constraints ? c > 0 : std::abs(c) >= options_.equality_tolerance) return false;
  }
  return true;
}

std::optional<Index> AlSurrogates::best_valid() const {
  std::optional<Index> best;
  for (Index i = 0; i < size(); ++i)
    if (valid(i) && (!best || f_[i] < f_[*best])) best = i;
  return best;
}

Index AlSurrogates::best() const {
  if (const auto valid = best_valid()) return *valid;
  Index best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < size(); ++i) {
    double worst = 0;
    for (Index j = 0; j < c_.rows(); ++j)
      worst = std::max(worst, j < spec_.constraints ? c_(j, i) : std::abs(c_(j, i)));
    if (worst < least) {
      least = worst;
      best = i;
    }
  }
  return best;
}

std::vector<BeliefAt> AlSurrogates::beliefs(const Matrix& units) const {
  std::vector<BeliefAt> all(static_cast<std::size_t>(units.cols()));
  Vector mean, variance;
  for (std::size_t i = 0; i < gps_.size(); ++i) {
    gps_[i].at_all(units, mean, variance);
    const double norm = norm_[static_cast<Index>(i)], nugget = nugget_[i] * gps_[i].kernel().amplitude;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const Index at = static_cast<Index>(k);
      const Prediction p{norm * mean[at], norm * norm * (variance[at] + nugget)};
      if (i == 0) all[k].objective = p;
      else all[k].constraints.push_back(p);
    }
  }
  return all;
}

BeliefAt AlSurrogates::belief(const Eigen::Ref<const Vector>& unit) const {
  BeliefAt b;
  for (std::size_t i = 0; i < gps_.size(); ++i) {
    const double norm = norm_[static_cast<Index>(i)], nugget = nugget_[i] * gps_[i].kernel().amplitude;
    const Prediction g = gps_[i].at(unit);
    const Prediction p{norm * g.mean, norm * norm * (g.variance + nugget)};
    if (i == 0) b.objective = p;
    else b.constraints.push_back(p);
  }
  return b;
}

double AlSurrogates::automatic_rho() const {
  const Index first = std::min<Index>(10, size());
  std::vector<double> all(f_.data(), f_.data() + first);
  std::ranges::sort(all);
  const std::size_t half = all.size() / 2;
  double scale = all.size() % 2 == 1 ? all[half] : 0.5 * (all[half - 1] + all[half]);
  double best = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < first; ++i)
    if (valid(i)) best = std::min(best, f_[i]);
  if (std::isfinite(best)) scale = best;
  scale = std::max({std::abs(scale), 0.1 * (all.back() - all.front()), 1e-12});
  double smallest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < size(); ++i) {
    if (valid(i)) continue;
    double squares = 0;
    for (Index j = 0; j < c_.rows(); ++j)
      squares += std::pow(j < spec_.constraints ? std::max(0.0, c_(j, i)) : c_(j, i), 2);
    smallest = std::min(smallest, squares);
  }
  return std::isfinite(smallest) ? std::max(smallest / (2 * scale), 1e-12) : 0.5;
}

bool update_without_valid_point(const AlSurrogates& data, AugmentedLagrangian& al) {
  if (data.best_valid()) return true;
  al.lambda.setZero();
  const double target = data.automatic_rho();
  al.rho = target >= al.rho ? 0.9 * al.rho : std::max(target, 0.5 * al.rho);
  return false;
}

}  // namespace zeroth
