// SPDX-License-Identifier: MIT
#include "zeroth/solvers/conex/conex_steps.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {

AdaptiveSteps::AdaptiveSteps(const Spec& spec, const Vector& start) : functions_(spec.functions()), start_(start) {
  const double across = std::sqrt(2.0) * spec.domain.diameter();  // D_X is in units of sqrt(W)
  largest_ = across;
  distance_ = std::isfinite(across) ? 0.002 * across : 0.002 * (1 + start.norm());
}

void AdaptiveSteps::begin(const GradientSample& G) {
  const double before = gamma_;
  gamma_ = distance_ * ++t_;
  theta_ = before > 0 ? before / gamma_ : 1;
  double steepest = 0;
  for (Index i = 1; i < functions_; ++i) steepest = std::max(steepest, G.squared_slope(i));
  objective_slopes_ += G.squared_slope(0);
  constraint_slopes_ += steepest;
}

double AdaptiveSteps::tau(const Vector& s) {
  levels_ += s.tail(functions_ - 1).squaredNorm();
  const double ratio = std::sqrt(objective_slopes_ / std::max(constraint_slopes_, 1e-300));
  const double tau = std::sqrt(levels_) / std::max(ratio, 1e-300);
  return tau > 0 && std::isfinite(tau) ? tau : 1;
}

double AdaptiveSteps::eta(double squared_gradient) {
  gradients_ += squared_gradient;
  return std::max(std::sqrt(gradients_) / distance_, 1e-300);
}

void AdaptiveSteps::moved(double distance) {
  distance_ = std::min(largest_, std::max(distance_, std::sqrt(2 * distance)));
}

}  // namespace zeroth
