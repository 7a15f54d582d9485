// SPDX-License-Identifier: MIT
#include "zeroth/run/minimize.hpp"

#include <fmt/format.h>

#include "zeroth/run/catalog.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {

Result minimize(const Problem& problem, const MinimizeOptions& options) {
  if (options.budget < 1) throw Error(fmt::format("the budget must be at least 1 evaluation, not {}", options.budget));
  if (!problem.oracle) throw Error("the problem has no oracle");
  RunRequest request;
  request.solver = options.solver;
  request.budget = options.budget;
  request.seed = options.seed;
  Problem ready = problem;
  ready.spec.budget = search_budget(request.budget, request.check_share);
  ready.spec.width = std::max(1, options.jobs);
  const auto engine = options.jobs > 1 ? threads_engine(ready, options.jobs) : serial_engine(ready);
  return run(ready.spec, solver_named(options.solver).make(ready.spec, options.settings, options.seed), *engine,
             request);
}

}  // namespace zeroth
