// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth::cli {

// What is known of the set beyond bounds, and of the evaluator, as it was understood; a line each on stdout.
void print_limits(const ResolvedProblem& problem);

// A problem file as it was understood; nothing is run.
void describe_problem(const std::string& file);

}  // namespace zeroth::cli
