// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/problems/quadratic.hpp"

namespace zeroth {

struct QcqpOptimum {
  Vector x;
  double value = 0;
  Vector multipliers;      // of the m constraints
  double duality_gap = 0;  // value minus a certified lower bound (the dual function at the multipliers found)
};

// Primal log-barrier method with dense Newton steps; exact to 1e-8 max(1, |value|). The set is a box with half-width
// `size`, a ball with radius `size` (one more quadratic constraint), or the whole space (size infinite).
QcqpOptimum solve_convex_qcqp(const std::vector<Quadratic>& functions, const std::string& set, double size);

}  // namespace zeroth
