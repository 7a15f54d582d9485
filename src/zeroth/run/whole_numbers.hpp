// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/run/space.hpp"
#include "zeroth/run/statement.hpp"

namespace zeroth {

// Whole variables for solvers that know real ones only; docs/how-to/integer-variables.md argues both ways.

// For solvers that measure slopes: every question is rounded up or down at random, without bias, by thresholds that
// hang on the noise key alone, so that neighbours share them. What the solver sees is then the multilinear
// interpolation of the true function, which has slopes. Half of the budget goes to that; then the levels around the
// rounded answer race each other under shared noise; then, if there are real variables, the solver once more with the
// whole ones held.
Search by_random_rounding(Spec spec, Space space, StartSolver start, std::uint64_t seed);

// For solvers with a model: whole coordinates are given to them as numbers 1, 2, ... of levels, which they round before
// they model, so that all points of one level are the same to them. Levels on a log scale stay as they are.
Search by_levels(Spec spec, Space space, StartSolver start, std::uint64_t seed);

// How a solver of the catalog is started on a problem with whole variables: one of the two ways around `start`, which
// is told the options that the inner solver gets.
StartSolver in_whole_numbers(const std::string& solver, const Settings& options, const Space& space);

// Of the catalog: whether this solver would measure slopes on this problem; `auto` decides as it would by itself.
bool measures_slopes(const std::string& solver, const Spec& spec, const Settings& options);

}  // namespace zeroth
