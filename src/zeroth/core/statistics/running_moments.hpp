// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

namespace zeroth {

// One step of Welford (1962), for who keeps the moments elsewhere: v becomes the `count`th number behind the mean and
// the sum of squared deviations from it, to which it adds what is returned. No sum of squares that cancels.
inline double take_in(double v, double count, double& mean) {
  const double delta = v - mean;
  mean += delta / count;
  return delta * (v - mean);
}

// Mean and variance of numbers that come one by one.
struct RunningMoments {
  double count = 0, mean = 0, squares = 0;  // squares: the sum of squared deviations from the mean

  void add(double v) {
    ++count;
    squares += take_in(v, count, mean);
  }
  double variance() const { return squares / (count - 1); }
  double deviation() const { return std::sqrt(variance()); }
  double standard_error() const {
    return count > 1 ? std::sqrt(variance() / count) : std::numeric_limits<double>::quiet_NaN();
  }
};

}  // namespace zeroth
