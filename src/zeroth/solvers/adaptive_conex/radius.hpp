// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "zeroth/core/vector.hpp"

namespace zeroth::adaptive {

// How far away to evaluate. A difference at radius r errs by noise, sd / (sqrt(2) r), by what a quadratic leaves out, c
// r^1.5, and, where one evaluation must do and the curvature was measured at another radius, by q r^2.5 / 4. (By Taylor
// third derivatives cost c r^2 and fourth ones q r^3 / 4; across kinks it is c sqrt(r). Functions that people have are
// in between: beyond some way third derivatives do not go on growing.) The noise is known from replicates; c_i and q_i
// are learned from probes, differences along one direction at two radii r > s: first differences differ by c (r^1.5 -
// s^1.5), second ones by q (r^1.5 - s^1.5). The best radius minimises the errors of the Lagrangian's slope together:
//   sum_i weight_i ( noise_i(r) / (2 r^2) / repeats + c_i^2 r^3 + q_i^2 r^5 / 16 ),
// where `repeats` says over how many visits a slope is averaged by now, so that the bias must shrink along with the
// noise.
class RadiusRule {
 public:
  RadiusRule(Index functions, double largest, double keep);

  // First or second differences at radii r > s along one direction, and the variance of their gap.
  void probe_slope(Index i, double wide, double narrow, double r, double s, double variance) {
    odd_.add(i, wide - narrow, r, s, variance);
  }
  void probe_curvature(Index i, double wide, double narrow, double r, double s, double variance) {
    even_.add(i, wide - narrow, r, s, variance);
  }
  void forget();  // the surroundings have changed: older probes count for less
  // near and far: variance of evaluations at x and of evaluations at the present radius; what is more far away grows
  // like r^2.
  double choose(const Vector& weight, const Vector& near, const Vector& far, double present, double repeats) const;
  double bias_squared(Index i, double r) const;
  double slope_bias_squared(Index i, double r) const;  // of a pair
  double largest() const { return largest_; }
  void limit(double radius) { largest_ = std::min(largest_, radius); }

 private:
  // Least squares of gap^2 - variance on (r^1.5 - s^1.5)^2.
  struct Coefficient {
    Vector sum, weight;
    void add(Index i, double gap, double r, double s, double variance);
    double squared(Index i) const;
  };
  double largest_, keep_;  // keep: of older probes per newer ones
  Coefficient odd_, even_;
};

}  // namespace zeroth::adaptive
