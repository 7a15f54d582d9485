// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/problems/qcqp.hpp"

namespace zeroth {

// The two quadratic instances on which the original implementations of the compared methods were measured:
//   min x'A_0 x + b_0'x  s.t.  x'A_1 x + b_1'x + c_1 - 1 <= 0,  x in [-2,2]^n, n = 4 or 10.
struct ReferenceQcqp {
  std::vector<Quadratic> functions;
  double best_value = 0, multiplier = 0;
  Vector best_point;
};

ReferenceQcqp reference_qcqp(Index n);

}  // namespace zeroth
