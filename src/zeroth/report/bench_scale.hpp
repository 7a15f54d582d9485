// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/report/bench.hpp"

namespace zeroth {

// What an iteration costs and holds at n = 10^3 .. 10^7 variables, and what 1 .. 16 workers make of an oracle that
// sleeps.
void bench_scale(const BenchOptions& options);

}  // namespace zeroth
