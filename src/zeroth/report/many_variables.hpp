// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/report/run_history.hpp"

namespace zeroth {

// A run with more variables than panels are good for, as JSON: where the recommended coordinates lie in their ranges,
// how many sit on a bound, which moved furthest, and the distance left to the last recommendation over the evaluations.
std::string wide_summary(const RunHistory& history);

}  // namespace zeroth
