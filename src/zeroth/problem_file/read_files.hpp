// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "zeroth/problem_file/document.hpp"
#include "zeroth/problem_file/resolved_problem.hpp"

namespace zeroth {

// [files] and [files.constraints], for protocol = "files". `must_run`: the template must exist. Makes the words of
// `command` that name files beside the problem file absolute, since the program runs elsewhere.
std::shared_ptr<const FileExchange> read_files(const Document& document, const ResolvedProblem& problem, bool must_run,
                                               Evaluator& evaluator);

}  // namespace zeroth
