// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/problem.hpp"
#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

// Equality constraints, two questions. How many of the Hock-Schittkowski problems with equalities are solved under
// noise, as they are and with every equality written as two inequalities within the tolerance (what one does with a
// solver that knows none)? How near do the Bayesian solvers come on Picheny's two problems?
void bench_equalities(const BenchOptions& options);

struct EqualityTrial {
  double gap = 0;        // f_0(x) - f*, of either sign: breaking an equality can pay
  double violation = 0;  // max(f_i, |h_j|), without noise
  Result result;
};
EqualityTrial run_with_equalities(const Problem& problem, const std::string& solver, std::int64_t budget,
                                  std::uint64_t seed);

// The same problem for solvers that know inequalities alone: h <= tolerance and -h <= tolerance.
Problem as_inequalities(Problem problem, double tolerance);

}  // namespace zeroth
