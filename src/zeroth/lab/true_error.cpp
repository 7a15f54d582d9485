// SPDX-License-Identifier: MIT
#include "zeroth/lab/true_error.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {

double TrueError::worst() const { return std::max(std::abs(gap), violation); }

TrueError true_error(const Problem& problem, const std::string& solver, const Settings& settings,
                     std::int64_t evaluations, std::uint64_t seed) {
  Spec spec = problem.spec;
  spec.budget = evaluations;
  RunRequest request;
  request.budget = evaluations;
  request.check_share = 0;
  const auto engine = serial_engine(problem);
  const Result result = run(spec, solver_named(solver).make(spec, settings, seed), *engine, request);
  std::vector<double> f(static_cast<std::size_t>(spec.functions()));
  problem.truth->expected(as_span(result.x), f);
  TrueError e;
  e.gap = f[0] - problem.truth->best_value;
  for (Index i = 1; i < spec.functions(); ++i) {
    const double v = f[static_cast<std::size_t>(i)];
    e.violation = std::max(e.violation, i <= spec.constraints ? v : std::abs(v));
  }
  e.calls = std::accumulate(result.function_calls.begin(), result.function_calls.end(), std::int64_t{0});
  return e;
}

}  // namespace zeroth
