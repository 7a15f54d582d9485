// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// How a solver, which `start` starts, works on a problem with integer variables: by one of the ways of
// adapters/integer_variables.hpp.
StartSolver with_integer_variables(const std::string& solver, StartSolver start, const Space& space);

// Whether this solver lives by slopes alone, which integer variables do not have.
bool measures_slopes(const std::string& solver);

// Whether variables without bounds are searched in a box that grows (adapters/growing_box.hpp): by solvers that go
// where evaluations lead them, not by those that sample the whole set or take the steps of a theorem.
bool works_in_a_box(const std::string& solver);

// The search for the least relaxation, of our own solvers; those of others stay what their papers say.
StartSolver with_relaxation(const std::string& solver, StartSolver start);

}  // namespace zeroth
