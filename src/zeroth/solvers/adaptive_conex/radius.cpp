// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/radius.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zeroth::adaptive {
namespace {
double grown(double r) { return r * std::sqrt(r); }
}  // namespace

RadiusRule::RadiusRule(Index functions, double largest, double keep)
    : largest_(largest),
      keep_(keep),
      odd_{Vector::Zero(functions), Vector::Zero(functions)},
      even_{Vector::Zero(functions), Vector::Zero(functions)} {}

// Each probe is weighted by the inverse variance of its square as it was expected, so that probes too near for the
// noise do not drown the others; not as it came out, or large gaps would count for nothing.
void RadiusRule::Coefficient::add(Index i, double gap, double r, double s, double variance) {
  const double reach = std::pow(grown(r) - grown(s), 2);
  const double known = weight[i] > 0 ? std::max(0.0, sum[i] / weight[i]) : 0;
  const double scale = variance + known * reach + 1e-300;
  sum[i] += reach * (gap * gap - variance) / (scale * scale);
  weight[i] += reach * reach / (scale * scale);
}

// Only what is beyond doubt: a standard error of the estimate is taken off.
double RadiusRule::Coefficient::squared(Index i) const {
  return weight[i] > 0 ? std::max(0.0, sum[i] / weight[i] - std::sqrt(2 / weight[i])) : 0;
}

void RadiusRule::forget() {
  for (Coefficient* c : {&odd_, &even_}) {
    c->sum *= keep_;
    c->weight *= keep_;
  }
}

double RadiusRule::slope_bias_squared(Index i, double r) const { return odd_.squared(i) * std::pow(grown(r), 2); }

double RadiusRule::bias_squared(Index i, double r) const {
  return slope_bias_squared(i, r) + even_.squared(i) * std::pow(grown(r) * r / 4, 2);
}

double RadiusRule::choose(const Vector& weight, const Vector& near, const Vector& far, double present,
                          double repeats) const {
  double best = std::numeric_limits<double>::infinity(), chosen = largest_;
  for (double r = largest_; r > 1e-4 * largest_; r *= 0.85) {
    double error = 0;
    for (Index i = 0; i < weight.size(); ++i) {
      const double noise = near[i] + std::max(0.0, far[i] - near[i]) * (r * r) / (present * present);
      error += weight[i] * (noise / (2 * r * r) / repeats + bias_squared(i, r));
    }
    if (error < best) {
      best = error;
      chosen = r;
    }
  }
  return chosen;
}

}  // namespace zeroth::adaptive
