// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// A solver that has kept no evaluation of every inequality when three fifths of its evaluations are spent goes on as
// one that looks for the least relaxation: it minimises the sum of the limits that are broken where least is, each in
// units of the range that its values have had, subject to the others (the elastic mode of sequential quadratic
// programming). Should a feasible point turn up, the problem itself goes on from there. For inequalities alone, and
// where no questions stay open (Spec::lag) and functions are not asked one by one (Spec::cost).
Search with_least_relaxation(Spec spec, StartSolver start, std::uint64_t seed);

}  // namespace zeroth
