// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/report/bench.hpp"

namespace zeroth {

// Five families that are not quadratic, and noise that grows, multiplies or tilts: evaluations to 1 % of |f*|.
void bench_smooth(const BenchOptions& options);

}  // namespace zeroth
