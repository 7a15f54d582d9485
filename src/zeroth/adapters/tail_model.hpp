// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// An evaluation of a value, turned into an evaluation of something whose expectation is CVaR, the mean of the worst
// `share`:
//   q(x) + (v - q(x))+ / share,
// which is never below CVaR and equal to it where q(x) is the quantile at x; an error of q counts only squared. q is
// learned from all evaluations so far: quadratics without cross terms for the middle and for the spread around it, and
// the quantile of what they leave.
class TailModel {
 public:
  explicit TailModel(double share) : share_(share) {}

  void observe(std::span<const double> x, double value);
  void update();  // after observations: learns anew where they have grown enough
  double of(std::span<const double> x, double value) const;

 private:
  double middle(std::span<const double> x) const;
  double spread(std::span<const double> x) const;
  Vector fitted(std::size_t first, const std::vector<double>& targets) const;  // ridge regression on the features
  Vector features(std::span<const double> x) const;

  double share_;
  std::vector<std::vector<double>> points_;  // not kept where there are many variables
  std::vector<double> values_;
  std::size_t learned_ = 0;
  Vector weights_, spread_weights_;
  Vector low_, width_;  // of the points seen
  double center_ = 0, scale_ = 1, typical_spread_ = 1, quantile_ = 0;
};

}  // namespace zeroth
