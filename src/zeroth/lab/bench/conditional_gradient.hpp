// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/problem.hpp"
#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// conex-cg on four sets: its error against T beside that of conex with prox steps, and what a step costs either way.
void bench_conditional_gradient(const BenchOptions& options);

// min |x - a|^2 / 2 over X s.t. <b, x> <= c, with noise; X one of simplex, l1-ball, nuclear-ball, polytope. The optimum
// is P_X(a - lambda b) with lambda found by bisection.
Problem nearest_point(const std::string& set, std::int64_t size);

}  // namespace zeroth
