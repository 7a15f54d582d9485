// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth::adaptive {

// How far to look. A central difference at radius r errs by noise, sd / (sqrt(2) r), and by third derivatives, c r^2.
// The noise is known from replicates; c_i is learned from probes, pairs of differences along one direction at two
// radii, whose gap is c (r^2 - s^2). The best radius minimises the two errors of the Lagrangian's slope together:
//   sum_i weight_i ( noise_i(r) / (2 r^2) / repeats + c_i^2 r^4 ),
// where `repeats` says over how many visits a slope is averaged by now, so that the bias must shrink along with the
// noise.
class RadiusRule {
 public:
  RadiusRule(Index functions, double largest);

  // Differences at radii r > s along one direction and the variance of their gap.
  void probe(Index i, double wide, double narrow, double r, double s, double variance);
  void forget();  // the surroundings have changed: older probes count for less
  // near and far: variance of looks at x and of looks at the present radius; what is more far away grows like r^2.
  double choose(const Vector& weight, const Vector& near, const Vector& far, double present, double repeats) const;
  double bias(Index i, double r) const;  // of a slope, as a standard deviation
  double largest() const { return largest_; }
  void limit(double radius) { largest_ = std::min(largest_, radius); }

 private:
  double largest_;
  Vector sum_, weight_;
};

}  // namespace zeroth::adaptive
