// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/adapters/space.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/problem_file/document.hpp"
#include "zeroth/problem_file/identity.hpp"
#include "zeroth/problem_file/resolved_problem.hpp"

namespace zeroth {

// `must_run`: the evaluator's program must exist; not when a stored run is read again elsewhere. `known`: the functions
// that the file names under known_functions, which only a caller can have.
ResolvedProblem resolve(const Document& document, bool must_run = true, const std::vector<KnownLimit>& known = {});

// Why a point in the user's units may not be evaluated, in words; empty if it may.
std::string why_outside(const ResolvedProblem& problem, const Vector& user_x);

// The solver that the file names, started.
Search start_solver(const ResolvedProblem& problem, bool evaluated_by_others = false);

}  // namespace zeroth
