// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/report/run_history.hpp"

namespace zeroth {

// Which evaluations a page shows of a run with more of them than fit.

// Equal intervals of the evaluations; of each, every function's smallest and largest value, and what is between.
struct Stretch {
  std::size_t begin = 0, end = 0;  // numbers, end excluded
  std::size_t answered = 0, infeasible = 0, failed = 0;
  std::vector<std::size_t> lowest, highest;  // number of the evaluation, per function; `end` if there is none
  std::vector<double> mean, se;              // per function, of the evaluations in it
};
std::vector<Stretch> intervals(const RunHistory& history, std::size_t count);

// At most `limit` evaluations (a few more where one interval has many functions) that keep every extreme of every
// function and every interval with a failure; all of them if they are no more than `limit`. Ascending.
std::vector<std::size_t> keep_extremes(const RunHistory& history, std::size_t limit);

// At most `limit` evaluations at even distance: their density is that of all. Ascending.
std::vector<std::size_t> keep_even(const RunHistory& history, std::size_t limit);

}  // namespace zeroth
