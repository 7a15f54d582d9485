// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// Algorithm 1 on random quadratics with its steps from four sources: the theorem's constants, a grid searched by hand
// on other instances, the defaults, and schedule = adaptive, which asks for nothing.
void bench_schedules(const BenchOptions& options);

}  // namespace zeroth
