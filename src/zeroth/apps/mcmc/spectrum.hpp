// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace zeroth::mcmc {

// The spectral density of a series at frequency zero, as R's coda estimates it (spectrum0.ar): an autoregressive model
// is fitted by Yule-Walker with its order chosen by AIC, as R's ar() does, and its density at zero is
//   S(0) = sigma^2 / (1 - sum phi)^2.
// n S(0) / n^2 is then the variance of the mean of n correlated draws. Plummer, Best, Cowles, Vines (2006), R News
// 6(1).
struct Spectrum {
  double at_zero = 0;  // 0 for a series that is constant, or a straight line in time
  int order = 0;
};
Spectrum spectrum_ar(std::span<const double> series);

double mean(std::span<const double> series);
double squared_deviations(std::span<const double> series);  // sum of (x - mean)^2; exactly 0 for a constant series
double variance(std::span<const double> series);            // divisor n - 1

}  // namespace zeroth::mcmc
