// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// Every constant of adaptive-conex (solvers/adaptive_conex/tuning.hpp) halved and doubled: what becomes of the median
// evaluations to 1 % on a small set of problems. `only` chooses constants by name.
void bench_sensitivity(const BenchOptions& options);

}  // namespace zeroth
