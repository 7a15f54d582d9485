// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/report/run_history.hpp"

namespace zeroth {

// What a model of all evaluations says beyond the answer, as JSON: how much of each function's variation each variable
// explains (Sobol' indices, with errors), slices and contours around the answer, and the best objective for other
// limits. `functions`: those to model, the objective first; `x`: the answer in the user's units. Empty where there are
// too few evaluations, too many variables or no bounds.
//
// The model rests on a few hundred points, those nearest to the answer and others spread over the run, so that the time
// it takes does not grow with the run.
std::string page_model(const RunHistory& history, const std::vector<std::size_t>& functions,
                       const std::vector<double>& x);

}  // namespace zeroth
