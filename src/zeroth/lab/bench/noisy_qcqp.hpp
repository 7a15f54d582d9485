// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// The four systems of the paper beside their original implementations, on two small quadratic problems with noise of
// 0.1 on both outputs. The gap is f(recommended) - f* by noiseless values, feasible or not, as it was measured of the
// originals; how many recommendations are truly feasible stands beside it.
void bench_noisy_qcqp(const BenchOptions& options);

}  // namespace zeroth
