// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// Chance constraints with known optimum: min |x - 1|^2 on [-2, 2]^2 where x_0 + x_1 - 1 + noise exceeds 0 at most once
// in twenty evaluations. Statements of chances against what people do without them.
void bench_chance(const BenchOptions& options);

}  // namespace zeroth
