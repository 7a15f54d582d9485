// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/problem.hpp"
#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// Integer variables: knapsacks whose weights are only seen with noise (optimum by dynamic programming), and staffing
// levels of a simulated queue with a service level (optimum by enumeration).
void bench_integer_variables(const BenchOptions& options);

// Largest total value of items whose expected weights fit; every evaluation sees weights with an error of 10 % each.
Problem noisy_knapsack(Index items, std::uint64_t instance);

// Clerks in three shifts of a day, 1 to `most` each, against a rush at noon; at most 10 % of the customers may wait for
// more than 3 minutes. One evaluation is one simulated day.
Problem staffing(int most);

}  // namespace zeroth
