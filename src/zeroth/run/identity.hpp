// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/run/problem_file.hpp"

namespace zeroth {

// All that decides a run as canonical JSON: the file's keys, the solver's options with their defaults filled in, seed,
// width and budget. Where the file lies, its comments and its layout are not part of it.
std::string identity_of(const Document& document, const ResolvedProblem& problem);

}  // namespace zeroth
