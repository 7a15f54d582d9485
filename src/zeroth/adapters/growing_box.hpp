// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// Variables without bounds. Bent into [0, 1] (adapters/space.hpp) their ends are hundreds of millions of spreads away,
// where no model should go, and what lies a hundred spreads away is crowded into the last hundredth. So a solver works
// in a box in which these variables are scaled evenly: some spreads around the start and around what was evaluated
// before. When what it recommends lies near an end that is none of the set's, that side grows to several times its
// width, and the solver begins anew in the larger box with all evaluations so far. Where its model does not see that
// the point near the end is better than one further inside, nothing grows: a variable that does not matter stays where
// it is. As `start` if all variables have bounds.
StartSolver in_growing_box(StartSolver start, const Space& space);
// The same where the domain is a box some of whose bounds are infinite, in the user's own units; `spread` holds one
// number for each variable, or none: 1.
StartSolver in_growing_box(StartSolver start, const Spec& spec, const Vector& spread);

}  // namespace zeroth
