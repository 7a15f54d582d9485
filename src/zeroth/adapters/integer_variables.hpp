// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// Integer variables for solvers that know real ones only; docs/how-to/integer-variables.md argues both ways.

// For solvers that measure slopes: every question is rounded up or down at random, without bias, by thresholds that
// hang on the noise key alone, so that neighbours share them. What the solver sees is then the multilinear
// interpolation of the true function, which has slopes. Half of the budget goes to that; then the levels around the
// rounded answer race each other under shared noise; then, if there are real variables, the solver once more with the
// integers held.
Search by_random_rounding(Spec spec, Space space, StartSolver start, std::uint64_t seed);

// For solvers with a model: whole coordinates are given to them as numbers 1, 2, ... of levels, which they round before
// they model, so that all points of one level are the same to them. Levels on a log scale stay as they are.
Search by_levels(Spec spec, Space space, StartSolver start, std::uint64_t seed);

// For solvers that measure slopes, where some variables are categories: `global`, which knows them, gets a third of the
// search; then the combinations that may be best race each other, each with a `local` search of the other variables.
Search within_best_categories(Spec spec, Space space, StartSolver global, StartSolver local, std::uint64_t seed);

}  // namespace zeroth
