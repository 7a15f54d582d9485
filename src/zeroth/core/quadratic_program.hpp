// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// min x'Hx/2 + c'x  subject to  row_lower <= A x <= row_upper,  lower <= x <= upper.
//
// Ends may be infinite; equal ends make an equality. With a finite penalty a row is elastic: it may be violated at that
// price per unit (an exact l1 penalty), so that there is a solution whenever the bounds and the hard rows have one.
struct QuadraticProgram {
  Matrix hessian;       // H, symmetric and positive semidefinite; one column: its diagonal; empty: the identity
  Vector linear;        // c
  Matrix rows;          // A, one row each; may have none
  Vector row_lower;     // ends of the rows
  Vector row_upper;     // ends of the rows
  Vector lower, upper;  // both empty: x is free
  Vector penalty;       // one per row; empty: every row is hard
  // Of one row; infinite where it is hard.
  double penalty_of(Index row) const { return penalty.size() > 0 ? penalty[row] : infinity; }
};

// Which constraints held x where it is: one entry per row, then one per variable. +1 at the upper end, -1 at the lower,
// 0 not at all. From one solution it goes into the next, similar problem.
using WorkingSet = std::vector<std::int8_t>;

struct QuadraticSolution {  // What `solve` ends with.
  // How it ended.
  enum class Status : std::uint8_t {
    solved,
    infeasible,  // the rows and bounds contradict each other; `conflict` proves it
    unbounded,   // H is singular and the objective has no smallest value
    stalled      // too many changes of the working set: x is the best known, and need not be feasible
  };
  Status status = Status::stalled;  // how it ended
  Vector x;                         // the solution
  double value = 0;                 // of the objective, penalties included
  // Hx + c + A' row_multipliers + bound_multipliers = 0; positive at an upper end, negative at a lower one.
  Vector row_multipliers;
  Vector bound_multipliers;  // of the bounds, see above
  WorkingSet working_set;
  // Farkas' certificate: sum of weight * row (and of weight * variable) is zero, while the sum of what the rows allow
  // is negative. Weights are positive where an upper end is used and negative where a lower one is. Empty unless
  // infeasible.
  struct Conflict {
    std::vector<Index> rows;               // in conflict
    std::vector<Index> variables;          // whose bounds are in conflict
    std::vector<double> row_weights;       // one per row
    std::vector<double> variable_weights;  // one per variable
  };
  Conflict conflict;  // empty unless infeasible
  int changes = 0;    // of the working set

  // There is a solution, and x is it.
  bool solved() const { return status == Status::solved; }
};

// A dual active-set method: D. Goldfarb and A. Idnani, A numerically stable dual method for solving strictly convex
// quadratic programs, Mathematical Programming 27, 1983. With H = LL' and w = L'x the problem is to find the point of a
// polyhedron nearest to -inv(L) c; multipliers of elastic rows stop at their penalty. The normals of the working set
// are kept as an orthonormal basis times a triangle, updated by one column at a time. A singular H is handled by
// proximal-point steps, each such a problem again. Exact to rounding; the same bits for the same input.
QuadraticSolution solve(const QuadraticProgram& program, const WorkingSet& guess = {});

}  // namespace zeroth
