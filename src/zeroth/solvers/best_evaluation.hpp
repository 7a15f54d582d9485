// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// The best single evaluation: least violated first, then lowest objective. What methods without a noise model
// recommend.
class BestEvaluation {
 public:
  BestEvaluation(Index constraints, double equality_tolerance = 0)
      : constraints_(constraints), equality_tolerance_(equality_tolerance) {}

  double violation(std::span<const double> values) const {
    double worst = 0;
    for (std::size_t i = 1; i < values.size(); ++i) {
      const bool inequality = static_cast<Index>(i) <= constraints_;
      worst = std::max(worst, inequality ? values[i] : std::max(0.0, std::abs(values[i]) - equality_tolerance_));
    }
    return worst;
  }

  double value() const { return value_; }
  double violation() const { return violation_; }

  // Whether these values are the best so far, which they then are. Some that were not asked for are no numbers: a
  // constraint that surely fails made them dispensable.
  bool offer(std::span<const double> values) {
    if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return false;
    const double v = violation(values);
    if (!(v < violation_ || (v == violation_ && values[0] < value_))) return false;
    violation_ = v;
    value_ = values[0];
    return true;
  }

 private:
  Index constraints_;
  double equality_tolerance_;
  double violation_ = std::numeric_limits<double>::infinity();
  double value_ = std::numeric_limits<double>::infinity();
};

}  // namespace zeroth
