// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth {

// How a solver is started on a problem with whole variables: one of the two ways around `start`, which
// is told the options that the inner solver gets.
StartSolver in_whole_numbers(const std::string& solver, const Settings& options, const Space& space);

// Whether this solver lives by slopes alone, which integer variables do not have.
bool measures_slopes(const std::string& solver);

}  // namespace zeroth
