// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

namespace zeroth {

// Mean and variance of numbers that come one by one (Welford 1962): no sum of squares that cancels.
struct RunningMoments {
  double count = 0, mean = 0, squares = 0;  // squares: the sum of squared deviations from the mean

  void add(double v) {
    const double delta = v - mean;
    mean += delta / ++count;
    squares += delta * (v - mean);
  }
  double variance() const { return squares / (count - 1); }
  double deviation() const { return std::sqrt(variance()); }
  double standard_error() const {
    return count > 1 ? std::sqrt(variance() / count) : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace zeroth
