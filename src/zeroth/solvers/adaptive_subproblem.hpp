// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "zeroth/solvers/adaptive_model.hpp"

namespace zeroth::adaptive {

struct Subproblem {
  Index constraints = 0, equalities = 0;
  Vector margin;    // c_i(d) <= -margin_i
  double prox = 0;  // weight of |d|^2 / 2
  double multiplier_cap = 1e6;
  int rounds = 4;
  Vector noise;                            // a draw of the error of the Lagrangian's slopes
  std::function<void(Vector& w)> project;  // onto X, in the model's coordinates
};

struct Proposal {
  Vector d;
  Vector multipliers;
  double worth = 0;           // d'Wd: twice what the step is to gain
  double worth_by_noise = 0;  // what it would be from errors of the slopes alone: noise' W^{-1} noise
};

// min y'My/2 - q'y over 0 <= y <= cap (within +-cap for equalities, which come last), by cyclic coordinate descent from
// y.
Vector solve_dual(const Matrix& m, const Vector& q, Index inequalities, double cap, Vector y);

// min over d of the model's objective plus prox |d|^2/2 under the model's constraints, by Newton's method on the
// optimality conditions (sequential quadratic programming on the model): with W = B_0 + sum y_i B_i + prox I,
//   min  g'p + p'Wp/2   s.t.  c + G'p <= -margin
// whose dual has one variable per constraint: max over 0 <= y <= cap of a concave quadratic with matrix G'W^{-1}G. The
// cap makes the constraints elastic, so that there is always a solution. Where that solution leaves X, X comes in by
// the alternating direction method: the same problem with a pull rho |w + p - z + u|^2/2 toward a copy z, which is
// projected onto X, until the two agree; w + d is then the copy.
Proposal propose(const LocalModel& model, const Matrix& g, const Subproblem& problem, const Vector& multipliers);

}  // namespace zeroth::adaptive
