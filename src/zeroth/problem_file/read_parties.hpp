// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/problem_file/document.hpp"
#include "zeroth/problem_file/resolved_problem.hpp"

namespace zeroth {

// [[party]] tables: who owns which of the problem's functions. `base` has what [problem] says of every evaluator.
std::vector<Party> read_parties(const Document& document, const ResolvedProblem& problem, const Evaluator& base);

}  // namespace zeroth
