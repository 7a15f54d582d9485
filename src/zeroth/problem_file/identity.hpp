// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "zeroth/problem_file/document.hpp"
#include "zeroth/problem_file/resolved_problem.hpp"

namespace zeroth {

// All that decides a run as canonical JSON: the file's keys, the solver's options with their defaults filled in, seed,
// width and budget. Where the file lies, its comments and its layout are not part of it.
std::string identity_of(const Document& document, const ResolvedProblem& problem);

// What differs between two identities, one "key: old -> new" per line; the budget alone is left out.
std::vector<std::string> identity_changes(const std::string& before, const std::string& after);
std::int64_t identity_budget(const std::string& identity);

}  // namespace zeroth
