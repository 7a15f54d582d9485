// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/cost.hpp"

namespace zeroth {

// Functions in the order in which they are asked where each has its cost: one list of flags per stage, the cheapest
// functions first. One stage: nothing is gained by asking some before others.
std::vector<std::vector<std::uint8_t>> stages_of(const Spec& spec);

// What single functions cost, to a solver whose model can do without some values: every question is asked in stages,
// and what is left is not asked where a constraint surely fails by what the solver's model believed before and by what
// was measured now. The solver is told NaN for what was not asked. Questions that are `whole`, that want some functions
// only or a sum of them pass as they are.
//
// Surely: with posterior probability `surely`, the belief's standard deviation widened (models are surer than they
// should be); as long as there is no belief, by replicates and Student's t. The first points are asked in full, so that
// a model has something to begin with.
//
// `learns`: the solver takes earlier evaluations as data (Spec::evaluated). It then begins with the cheap functions all
// over the set, for about what one evaluation costs, and with all functions where these look best.
Search ask_cheap_first(Spec spec, StartSolver start, std::uint64_t seed, bool learns);

}  // namespace zeroth
