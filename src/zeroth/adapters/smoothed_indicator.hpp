// SPDX-License-Identifier: MIT
#pragma once

namespace zeroth {

// The indicator of excess > 0 with its edge smoothed: its mean is P(excess + width * Z > 0) for Z with density
// 15/16 (1 - z^2)^2 on [-1, 1], which differs from P(excess > 0) by width^2 / 14 times the slope of the excess's
// density at 0, to first order. From `ramp` on it rises, by `slope` per unit once it has bent that way over `bend`, so
// that there is a way down from far away. Without height the ramp alone is left: a hinge with a smooth joint. `tilt`
// adds a straight line.
struct SmoothedIndicator {
  double height = 1, width = 1;
  double ramp = 0, slope = 0, bend = 1;
  double tilt = 0;
  double operator()(double excess) const;
};
inline constexpr double smoothing = 0.75;  // the width, in standard deviations of the noise

}  // namespace zeroth
