// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/run/stored/session.hpp"

namespace zeroth::cli {

// A result for people.
std::string summary(const SolveOutcome& outcome, const ResolvedProblem& problem, const std::string& store);

}  // namespace zeroth::cli
