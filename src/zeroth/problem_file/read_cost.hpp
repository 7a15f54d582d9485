// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/problem_file/document.hpp"
#include "zeroth/problem_file/resolved_problem.hpp"

namespace zeroth {

// Names of what is measured, as evaluators and [cost] call it: objective, constraints, equalities.
std::vector<std::string> measured_names(const ResolvedProblem& problem);

// `partial` under [problem] and the section [cost]: sets problem.cost and spec.cost.
void read_cost(const Document& document, ResolvedProblem& problem);

// Refuses a budget that pays for no evaluation of all functions.
void require_affordable(const ResolvedProblem& problem, const std::string& where);

}  // namespace zeroth
