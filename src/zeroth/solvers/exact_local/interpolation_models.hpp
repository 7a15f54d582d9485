// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/LU>
#include <algorithm>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Quadratic models of several functions that agree with their values at the same points, from n + 1 up to as many as
// determine them. What the values leave open is settled by the least change of the second derivatives in the Frobenius
// norm (M. J. D. Powell, Least Frobenius norm updating of quadratic models that satisfy interpolation conditions,
// Mathematical Programming 100, 2004). One factorisation serves all functions.
class InterpolationModels {
 public:
  InterpolationModels(Index dimension, Index functions);

  Index size() const { return static_cast<Index>(points_.size()); }
  // As many as determine a quadratic, or as are worth solving for; 2n + 1 at least.
  Index most() const {
    constexpr Index affordable = 270;
    const Index n = dimension_;
    return std::max(2 * n + 1, std::min((n + 1) * (n + 2) / 2, affordable - n - 1));
  }
  const Vector& point(Index k) const { return points_[static_cast<std::size_t>(k)]; }
  const Vector& values(Index k) const { return values_[static_cast<std::size_t>(k)]; }

  void clear();
  // Points further from `center` than `radius` go, the furthest first, as long as 2n + 1 remain.
  void forget_beyond(const Vector& center, double radius);
  void add(const Vector& point, const Vector& values);
  void replace(Index k, const Vector& point, const Vector& values);
  // Takes the points in, seen from `center`, lengths in units of `radius`. False if they lie so badly that they
  // determine no models.
  bool update(const Vector& center, double radius);

  double value(Index i, const Vector& x) const;
  Vector gradient(Index i, const Vector& x) const;
  const Matrix& hessian(Index i) const { return hessians_[static_cast<std::size_t>(i)]; }

  // Values at x of the functions that are 1 at one point and 0 at all others: how much each point matters there.
  Vector lagrange(const Vector& x) const;
  // Gradient at the center of the k-th of them.
  Vector lagrange_gradient(Index k) const;

 private:
  Vector right_hand_side(const Vector& x) const;

  Index dimension_, functions_;
  std::vector<Vector> points_, values_;
  Vector center_, constants_;
  double radius_ = 1;
  Matrix gradients_;  // at the center, one column per function
  std::vector<Matrix> hessians_;
  Eigen::PartialPivLU<Matrix> system_;
};

}  // namespace zeroth
