// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth {

struct Quadratic {
  Matrix A;
  Vector b;
  double c = 0;
  double value(const Eigen::Ref<const Vector>& x) const { return x.dot(A * x + b) + c; }
  Vector gradient(const Eigen::Ref<const Vector>& x) const { return 2 * (A * x) + b; }
};

}  // namespace zeroth
