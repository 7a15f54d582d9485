// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// Constraints that cost 1 each and an objective that costs 100: what is spent until the recommendation is good for
// good, when the functions are asked together and when cheap ones are asked first.
void bench_costs(const BenchOptions& options);

}  // namespace zeroth
