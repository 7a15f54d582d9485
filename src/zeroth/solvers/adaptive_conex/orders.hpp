// SPDX-License-Identifier: MIT
#pragma once

#include <utility>
#include <vector>

#include "zeroth/solvers/adaptive_conex/regression.hpp"

namespace zeroth::adaptive {

// Regressions of several orders through the same evaluations. Each knows by its own surprises how far it can be
// believed, and so how well its slopes are known: a bent valley asks for a high order, kinks for a low one and
// evaluations nearby.
class Orders {
 public:
  explicit Orders(std::vector<Regression> orders) : orders_(std::move(orders)) {}

  void add(const Vector& w, const Vector& base, const Vector& values, const Vector& variances,
           double level_evaluations) {
    for (Regression& r : orders_) r.add(w, base, values, variances, level_evaluations);
  }
  void set_prior(Index i, double curvature, double tau2) {
    for (Regression& r : orders_) r.set_prior(i, curvature, tau2);
  }
  // Fits all of them (see there); best() is then the one with the least variance in the slopes of the functions
  // together, each weighed by `weight`, where the variance of all but the first counts `handicap` times.
  bool fit(const Vector& w, const Vector& level_noise, const Vector& slope_noise, const Vector& weight,
           double handicap);
  const Regression& best() const { return orders_[best_]; }

 private:
  std::vector<Regression> orders_;
  std::size_t best_ = 0;
};

}  // namespace zeroth::adaptive
