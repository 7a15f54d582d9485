// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

std::string version();

// Known only of benchmark problems: how good the recommended point really is.
struct TrueQuality {
  double objective, gap, violation;  // f0(x); f0(x) - best, NaN if the best is unknown; max(0, f_i(x), |h_j(x)|)
  double duality_gap = 0;            // of the optimum that the gap is measured from; NaN if it carries no certificate
};
std::optional<TrueQuality> true_quality(const ResolvedProblem& problem, const Vector& x);

// The result as --json prints it and the store keeps it: user's units, user's sign; null where nothing is known.
std::string result_json(const Result& result, const ResolvedProblem& problem);

}  // namespace zeroth
