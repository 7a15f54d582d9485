// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

// Logarithm and exponential from IEEE arithmetic alone: libm's last bit differs between systems, and a random number
// must not. Accurate to about 2 units in the last place, used only on the rare paths of the generators.
namespace zeroth::portable {

inline constexpr double ln2_high = 0x1.62e42feep-1;
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;

// log x = k ln 2 + 2 atanh(s), s = (m - 1)/(m + 1), m in [sqrt(1/2), sqrt(2)): the series converges as 0.0295^j.
inline double log(double x) {
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double series = 0;
  for (int j = 21; j >= 3; j -= 2) series = (series + 1.0 / j) * z;
  return k * ln2_high + (k * ln2_low + 2 * (s + s * series));
}

// exp x = 2^k exp r with |r| <= ln2/2, Taylor to degree 14.
inline double exp(double x) {
  if (x < -700) return 0;
  const double k = std::floor(x / (ln2_high + ln2_low) + 0.5);
  const double r = (x - k * ln2_high) - k * ln2_low;
  double sum = 1;
  for (int j = 14; j >= 1; --j) sum = 1 + sum * r / j;
  return std::ldexp(sum, static_cast<int>(k));
}

}  // namespace zeroth::portable
