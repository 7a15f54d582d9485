// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/problems/constrained_bo.hpp"

namespace zeroth {

// All solvers on the constrained Bayesian literature's problems. Without noise: the best truly feasible point evaluated
// so far. With noise: the point recommended so far, judged by noiseless values. A point that is not truly feasible
// counts as worse than any number, so medians and quartiles need no penalty constant.
void bench_constrained_bo(const BenchOptions& options);

// One cell of it, for tests and studies: what one run is worth after each of `checkpoints` evaluations (infinity while
// infeasible), best evaluated and recommended.
struct BoTrial {
  std::vector<double> best_evaluated, recommended;
  std::vector<double> violation;  // of the recommended point
  std::vector<double> objective;  // of the recommended point, feasible or not
  double seconds = 0;
};
BoTrial run_bo_trial(Problem problem, const std::string& solver, const Settings& settings, std::uint64_t seed,
                     const std::vector<int>& checkpoints);
BoTrial run_bo_trial(const ConstrainedBoOptions& problem, const std::string& solver, const Settings& settings,
                     std::uint64_t seed, const std::vector<int>& checkpoints);

}  // namespace zeroth
