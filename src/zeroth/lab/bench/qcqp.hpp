// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/problems/qcqp.hpp"

namespace zeroth {

// The paper's random quadratics under five kinds of noise: evaluations to 1 % of |f*|.
void bench_qcqp(const BenchOptions& options);

// What the gap alone asks for where evaluations go no further than `radius`: N evaluations spread over n orthonormal
// directions leave the Lagrangian's slope along each with variance n sd^2 (1 + |y|^2) / (N radius^2), which costs half
// of that over the curvature; with the Hessians known, the expected gap is share |f*| at
//   N = n sd^2 (1 + |y|^2) tr(H^-1) / (2 radius^2 share |f*|),   H = 2 (A_0 + sum y_i A_i).
// Beside it the level of an active constraint, y_i sd / sqrt(N), asks for (y_i sd / (share |f*|))^2 evaluations. The
// larger of the two comes back. Longer evaluations (which a quadratic allows and others may not) need fewer.
double qcqp_limit(const QcqpOptions& options, const Problem& problem, double radius = 2, double share = 0.01);

}  // namespace zeroth
