// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_radius.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zeroth::adaptive {

RadiusRule::RadiusRule(Index functions, double largest)
    : largest_(largest), sum_(Vector::Zero(functions)), weight_(Vector::Zero(functions)) {}

// Least squares of gap^2 - variance on (r^2 - s^2)^2, each probe weighted by the inverse variance of its square as it
// was expected, so that probes too near for the noise do not drown the others; not as it came out, or large gaps would
// count for nothing.
void RadiusRule::probe(Index i, double wide, double narrow, double r, double s, double variance) {
  const double reach = std::pow(r * r - s * s, 2);
  const double gap = (wide - narrow) * (wide - narrow);
  const double known = weight_[i] > 0 ? std::max(0.0, sum_[i] / weight_[i]) : 0;
  const double scale = variance + known * reach + 1e-300;
  sum_[i] += reach * (gap - variance) / (scale * scale);
  weight_[i] += reach * reach / (scale * scale);
}

void RadiusRule::forget() {
  sum_ *= 0.6;
  weight_ *= 0.6;
}

double RadiusRule::bias(Index i, double r) const {
  return weight_[i] > 0 ? std::sqrt(std::max(0.0, sum_[i] / weight_[i])) * r * r : 0;
}

double RadiusRule::choose(const Vector& weight, const Vector& near, const Vector& far, double present,
                          double repeats) const {
  double best = std::numeric_limits<double>::infinity(), chosen = largest_;
  for (double r = largest_; r > 1e-4 * largest_; r *= 0.85) {
    double error = 0;
    for (Index i = 0; i < weight.size(); ++i) {
      const double noise = near[i] + std::max(0.0, far[i] - near[i]) * (r * r) / (present * present);
      error += weight[i] * (noise / (2 * r * r) / repeats + std::pow(bias(i, r), 2));
    }
    if (error < best) {
      best = error;
      chosen = r;
    }
  }
  return chosen;
}

}  // namespace zeroth::adaptive
