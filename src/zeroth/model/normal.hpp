// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

// The standard normal distribution, with the tails that probabilities of feasibility and expectation propagation need.
namespace zeroth {

inline double normal_pdf(double x) { return 0.39894228040143267794 * std::exp(-0.5 * x * x); }

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x * 0.70710678118654752440); }

// Accurate in both tails: far left by the asymptotic series, where the cdf itself underflows.
inline double log_normal_cdf(double x) {
  if (x > 5) return -0.5 * std::erfc(x * 0.70710678118654752440);
  if (x > -30) return std::log(normal_cdf(x));
  const double z = 1 / (x * x);
  return -0.5 * x * x - 0.91893853320467274178 - std::log(-x) + std::log1p(-z * (1 - z * (3 - z * 15)));
}

// pdf / cdf, which tends to -x far left.
inline double normal_hazard(double x) { return std::exp(-0.5 * x * x - 0.91893853320467274178 - log_normal_cdf(x)); }

// log(1 - e^x) for x <= 0 without cancellation.
inline double log_one_minus_exp(double x) {
  return x > -0.69314718055994530942 ? std::log(-std::expm1(x)) : std::log1p(-std::exp(x));
}

inline double log_add_exp(double a, double b) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

}  // namespace zeroth
