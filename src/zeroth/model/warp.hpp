// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <limits>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// What a model sees instead of a function's values: h(y) = s asinh((y - c) / s), the identity for infinite s. One wall
// then does not set the scale of everything else. It is monotone, so constraints keep their limits.
struct OutputWarp {
  double center = 0, scale = std::numeric_limits<double>::infinity();

  double operator()(double y) const {
    return std::isinf(scale) ? y - center : scale * std::asinh((y - center) / scale);
  }
  double slope(double y) const { return std::isinf(scale) ? 1 : 1 / std::hypot(1.0, (y - center) / scale); }
  double back(double h) const { return std::isinf(scale) ? h + center : center + scale * std::sinh(h / scale); }
};

// What a model sees instead of coordinates of the unit cube: log(1 + u / e) on those with an offset e > 0, scaled to
// [0, 1]. e = lower / (upper - lower) makes it the logarithm of the variable itself.
struct InputWarp {
  Vector offset;  // 0: left as it is; empty: all of them

  bool active() const { return offset.size() > 0; }
  double at(Index k, double u) const {
    return active() && offset[k] > 0 ? std::log1p(u / offset[k]) / std::log1p(1 / offset[k]) : u;
  }
  double slope(Index k, double u) const {
    return active() && offset[k] > 0 ? 1 / ((u + offset[k]) * std::log1p(1 / offset[k])) : 1;
  }
  double back(Index k, double w) const {
    return active() && offset[k] > 0 ? offset[k] * std::expm1(w * std::log1p(1 / offset[k])) : w;
  }
  Matrix operator()(const Matrix& units) const {
    if (!active()) return units;
    Matrix w = units;
    for (Index k = 0; k < w.rows(); ++k)
      if (offset[k] > 0)
        for (Index i = 0; i < w.cols(); ++i) w(k, i) = at(k, units(k, i));
    return w;
  }
};

}  // namespace zeroth
