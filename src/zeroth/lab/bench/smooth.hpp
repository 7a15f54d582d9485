// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/problems/smooth.hpp"

namespace zeroth {

// Five families that are not quadratic, and noise that grows, multiplies or tilts: evaluations to 1 % of |f*|.
void bench_smooth(const BenchOptions& options);

// How many evaluations differences around x* ask for even where curvatures are known and the best radius r is. N
// evaluations along n orthonormal directions leave the Lagrangian's slope along each with variance n sd^2 (1 + y^2) /
// (N r^2), which costs half of that over the curvature; on top comes what does not average out, the difference b
// between the slopes seen from r away and those at x*, which costs at least |b|^2 / 2 over the curvature along b. So
// the expected gap is share |f*| no sooner than at
//   N = min over r of  n sd^2 (1 + y^2) tr(H_r^-1) / (2 r^2 (share |f*| - gap of b)),   tr(H_r^-1) >= n^2 / tr(H_r).
// Beside it the level of the constraint asks for (y sd / (share |f*|))^2. Noise that multiplies asks for nothing.
// It is about expectations: first arrivals may be sooner, by luck; answers that stay seldom are.
double smooth_limit(const SmoothOptions& options, const Problem& problem, double share = 0.01);

}  // namespace zeroth
