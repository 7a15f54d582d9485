// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// What an iteration costs and holds at n = 10^3 .. 10^7 variables, and what 1 .. 16 workers make of an oracle that
// sleeps.
void bench_scale(const BenchOptions& options);

// The last of its tables: how busy workers are when some evaluations take much longer than others, with and without a
// lag.
void print_busy_shares(bool reduced);

}  // namespace zeroth
