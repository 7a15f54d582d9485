// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Deterministic local searches in a box, by NLopt. None of them throws for numerical trouble: what comes back is the
// best point that was seen, at worst the start. Values that are not finite count as bad.

// The value at x; fills the gradient unless it is null.
using Differentiable = std::function<double(const Vector& x, Vector* gradient)>;

struct Maximum {
  Vector x;
  double value = 0;
  int evaluations = 0;
};

Maximum maximize_lbfgs(const Differentiable& function, Vector start, const Vector& lower, const Vector& upper,
                       int max_evaluations, double relative_tolerance = 1e-7);

// The same for a function without derivatives (NLopt's BOBYQA, COBYLA in one dimension).
Maximum maximize_derivative_free(const std::function<double(const Vector&)>& function, Vector start,
                                 const Vector& lower, const Vector& upper, double first_step, int max_evaluations,
                                 double x_tolerance);

// min objective s.t. every constraint <= 0 (equal to 0 in `equalities`), by SLSQP. The result is the best point seen
// whose worst violation is at most `tolerance`; the start, whatever its violation, if there was none.
struct ConstrainedMinimum {
  Vector x;
  double value = 0;
  bool feasible = false;
};
ConstrainedMinimum minimize_constrained(const Differentiable& objective,
                                        const std::vector<Differentiable>& inequalities,
                                        const std::vector<Differentiable>& equalities, Vector start,
                                        const Vector& lower, const Vector& upper, int max_evaluations,
                                        double tolerance = 1e-9);

}  // namespace zeroth
