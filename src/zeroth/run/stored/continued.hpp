// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/run/stored/session.hpp"

namespace zeroth {

// A run with a larger budget goes on from an earlier one of the same problem: what that one measured is known from the
// start, by the same mechanism as imported evaluations, and counts toward the budget. So it does not matter which
// questions the solver would ask under the new budget. Only for solvers that learn from earlier evaluations; the others
// ask again, and are answered from the store where the question is the same.
//
// Changes `source` if there is such a run (or one that was begun this way already) and returns what to tell people;
// empty: nothing changed, and `source` is to be solved as it is.
std::string continue_earlier_run(ProblemSource& source, const std::string& store, const ResolvedProblem& problem);

}  // namespace zeroth
