// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/quadratic_program.hpp"
#include "zeroth/solvers/adaptive_conex/frame.hpp"
#include "zeroth/solvers/adaptive_conex/local_model.hpp"

namespace zeroth::adaptive {

struct Subproblem {
  Index constraints = 0, equalities = 0;
  Vector margin;    // c_i(d) <= -margin_i
  double prox = 0;  // weight of |d|^2 / 2
  Vector price;     // of a unit by which c_i is violated, see elastic_prices
  int rounds = 4;
  double accuracy = 1e-3;        // of d and the multipliers, where rounds end
  Vector noise;                  // a draw of the error of the Lagrangian's slopes
  const Frame* frame = nullptr;  // knows X in the model's coordinates
};

// What held the last step: where the search for the next working set begins.
struct Held {
  WorkingSet constraints;
  std::vector<std::int8_t> walls;  // of X, as Frame numbers them
};

struct Proposal {
  Vector d;
  Vector multipliers;
  std::vector<bool> elastic;  // constraints that the model cannot meet: their multipliers are prices, no multipliers
  double worth = 0;           // d'Wd: twice what the step is to gain
  double worth_by_noise = 0;  // what it would be from errors of the slopes alone: noise' W^{-1} noise
};

// min y'My/2 - q'y over 0 <= y <= cap (within +-cap for equalities, which come last).
Vector solve_dual(const Matrix& m, const Vector& q, Index inequalities, double cap);

// Prices that make the constraints elastic: as forces, price times slope, they are far beyond what pulls the other way,
// which is the objective's slope here, or across X, and the constraints that have held so far.
Vector elastic_prices(const LocalModel& model, const Matrix& g, const Vector& multipliers,
                      const Tuning& tuning = default_tuning);

// min over d of the model's objective plus prox |d|^2/2 under the model's constraints and within X, by sequential
// quadratic programming on the model: with W = B_0 + sum y_i B_i + prox I,
//   min  g'p + p'Wp/2   s.t.  c + G'p <= -margin,  w + p in X
// each a quadratic program (core/quadratic_program.hpp) whose constraints are elastic, so that there is always a
// solution. Bounds and rows of X come in once a solution violates them. Where X has round or cornered pieces (balls,
// hulls) these come in by the alternating direction method: the same problem with a pull rho |w + p - z + u|^2/2 toward
// a copy z, which is projected onto X, until the two agree; w + d is then the copy.
Proposal propose(const LocalModel& model, const Matrix& g, const Subproblem& problem, const Vector& multipliers,
                 Held& held);

}  // namespace zeroth::adaptive
