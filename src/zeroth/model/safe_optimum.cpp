// SPDX-License-Identifier: MIT
#include "zeroth/model/safe_optimum.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/model/maximize.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

constexpr int starts = 3;
constexpr double slsqp_leaves = 1e-7;  // of a constraint's scale: what SLSQP may leave

// Failures are learnt from +-1, so their boundary is never sharp: one posterior standard deviation off it, if any is
// asked.
double failure_margin(double z) { return std::min(1.0, z); }

// mean + z sd, with its gradient.
double upper_bound(const Gp& gp, double z, const Vector& x, Vector* gradient) {
  if (!gradient) {
    const Prediction p = gp.at(x);
    return p.mean + z * std::sqrt(p.variance);
  }
  Vector variance_gradient;
  const Prediction p = gp.with_gradients(x, *gradient, variance_gradient);
  const double sd = std::sqrt(p.variance);
  if (z != 0) *gradient += (0.5 * z / std::sqrt(p.variance + 1e-12 * gp.kernel().amplitude)) * variance_gradient;
  return p.mean + z * sd;
}

}  // namespace

double SafeOptimizer::scale(std::size_t i) const {
  const Vector& y = gps_[i]->values();
  const double variance = (y.array() - y.mean()).square().mean();
  return variance > 0 ? std::sqrt(variance) : 1;
}

SafeOptimizer::Scores SafeOptimizer::score(const Matrix& points, double z, double caution) const {
  Scores s;
  Vector mean, variance;
  gps_[0]->at_all(points, mean, variance);
  s.value = mean + caution * variance.cwiseSqrt();
  s.violation = (normal_cdf(failure_margin(z)) - failures_.probabilities_answered(points).array()).max(0.0);
  for (std::size_t i = 1; i < gps_.size(); ++i) {
    gps_[i]->at_all(points, mean, variance);
    if (static_cast<Index>(i) <= constraints_) {
      s.violation.array() += (mean + z * variance.cwiseSqrt()).array().max(0.0) / scale(i);
    } else {
      s.violation.array() +=
          (mean.array().abs() - tolerance_[static_cast<Index>(i) - 1 - constraints_]).max(0.0) / scale(i);
    }
  }
  return s;
}

SafeOptimum SafeOptimizer::polished(const Vector& start, double z, double caution, double reach) const {
  const double unit_of_value = scale(0);
  const Differentiable objective = [&](const Vector& x, Vector* gradient) {
    const double value = upper_bound(*gps_[0], caution, x, gradient);
    if (gradient) *gradient /= unit_of_value;
    return value / unit_of_value;
  };
  std::vector<Differentiable> inequalities, equalities;
  double allowed = slsqp_leaves;  // an equality need not be solved to the last digit, only well within its tolerance
  for (std::size_t i = 1; i < gps_.size(); ++i) {
    const bool inequality = static_cast<Index>(i) <= constraints_;
    const Gp* gp = gps_[i];
    const double unit = scale(i), margin = inequality ? z : 0;
    if (!inequality) allowed = std::max(allowed, 0.2 * tolerance_[static_cast<Index>(i) - 1 - constraints_] / unit);
    (inequality ? inequalities : equalities).push_back([gp, unit, margin](const Vector& x, Vector* gradient) {
      const double value = upper_bound(*gp, margin, x, gradient);
      if (gradient) *gradient /= unit;
      return value / unit;
    });
  }
  if (failures_.any()) {
    inequalities.push_back([this, z](const Vector& x, Vector* gradient) {
      return upper_bound(failures_.gp(), failure_margin(z), x, gradient);
    });
  }
  Vector lower = (start.array() - reach).max(0.0), upper = (start.array() + reach).min(1.0);
  for (Index k = 0; k < start.size(); ++k)
    if (box_.whole(k)) lower[k] = upper[k] = start[k];
  const auto best = minimize_constrained(objective, inequalities, equalities, start, lower, upper, 60, allowed);
  return {box_.snap(best.x), best.value * unit_of_value, z, best.feasible};
}

SafeOptimum SafeOptimizer::solve(const Matrix& pool, double z, double caution, bool polish, double reach) const {
  SafeOptimum best;
  for (const double margin : {z, 0.5 * z, 0.0}) {
    const Scores s = score(pool, margin, caution);
    std::vector<Index> order(static_cast<std::size_t>(pool.cols()));
    std::iota(order.begin(), order.end(), Index{0});
    const auto better = [&](Index a, Index b) {
      const bool fa = s.violation[a] <= 0, fb = s.violation[b] <= 0;
      if (fa != fb) return fa;
      return fa ? s.value[a] < s.value[b] : s.violation[a] < s.violation[b];
    };
    const std::size_t count = std::min<std::size_t>(starts, order.size());
    std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count), better);
    const Index first = order[0];
    best = {pool.col(first), s.value[first], margin, s.violation[first] <= 0};
    if (polish) {
      for (std::size_t k = 0; k < count; ++k) {
        const SafeOptimum local = polished(pool.col(order[k]), margin, caution, reach);
        if (local.feasible && (!best.feasible || local.value < best.value)) best = local;
      }
    }
    if (best.feasible) return best;
  }
  return best;
}

Vector SafeOptimizer::least_violating(const Matrix& pool, double z) const {
  const Scores s = score(pool, z, 0);
  Index best = 0;
  for (Index i = 1; i < pool.cols(); ++i)
    if (s.violation[i] < s.violation[best] || (s.violation[i] == s.violation[best] && s.value[i] < s.value[best]))
      best = i;
  return pool.col(best);
}

Vector SafeOptimizer::multipliers(const Vector& unit, double z) const {
  const Index m = static_cast<Index>(gps_.size()) - 1;
  Vector y = Vector::Zero(m);
  Vector residual = gps_[0]->mean_gradient(unit);
  std::vector<bool> free(static_cast<std::size_t>(unit.size()));
  for (Index k = 0; k < unit.size(); ++k) {
    free[static_cast<std::size_t>(k)] = unit[k] > 1e-6 && unit[k] < 1 - 1e-6 && !box_.whole(k);
    if (!free[static_cast<std::size_t>(k)]) residual[k] = 0;
  }
  std::vector<Vector> gradients(static_cast<std::size_t>(m));
  std::vector<bool> active(static_cast<std::size_t>(m));
  for (Index j = 0; j < m; ++j) {
    const auto i = static_cast<std::size_t>(j);
    Vector& g = gradients[i];
    g = gps_[i + 1]->mean_gradient(unit);
    for (Index k = 0; k < unit.size(); ++k)
      if (!free[static_cast<std::size_t>(k)]) g[k] = 0;
    const Prediction p = gps_[i + 1]->at(unit);
    const double reach = 0.02 * scale(i + 1);
    active[i] =
        (j >= constraints_ || p.mean + std::max(z, 0.0) * std::sqrt(p.variance) > -reach) && g.squaredNorm() > 0;
  }
  // Coordinate descent on |residual + sum y_j g_j|^2: a handful of constraints at most.
  for (int sweep = 0; sweep < 200; ++sweep)
    for (Index j = 0; j < m; ++j) {
      const auto i = static_cast<std::size_t>(j);
      if (!active[i]) continue;
      double next = y[j] - gradients[i].dot(residual) / gradients[i].squaredNorm();
      if (j < constraints_) next = std::max(0.0, next);
      residual += (next - y[j]) * gradients[i];
      y[j] = next;
    }
  return y;
}

}  // namespace zeroth
