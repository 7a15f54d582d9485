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
  request.names.constraints = problem.constraint_names;
  Problem ready = problem;
  ready.spec.budget = search_budget(request.budget, request.check_share);
  ready.spec.width = std::max(1, options.jobs);
  std::optional<Meaning> meaning;
  if (!options.constraints.empty()) {
    std::vector<std::string> names = problem.constraint_names;
    for (auto i = static_cast<Index>(names.size()) + 1; i <= problem.spec.constraints; ++i)
      names.push_back("c" + std::to_string(i));
    meaning = read_meaning(options.constraints, problem.spec.equalities, "", names);
    ready.spec.constraints = static_cast<Index>(options.constraints.size());
    if (meaning) request.meaning = &*meaning;
    request.names.constraints = options.constraints;
  }
  const auto start = [&](Spec spec, std::uint64_t seed) {
    return solver_named(options.solver).make(std::move(spec), options.settings, seed);
  };
  Search search = meaning ? as_meant(ready.spec, *meaning, start, options.seed) : start(ready.spec, options.seed);
  const Problem& measured = problem;  // engines know what is measured, not what is meant
  const auto engine = options.jobs > 1 ? threads_engine(measured, options.jobs) : serial_engine(measured);
  return run(ready.spec, std::move(search), *engine, request);
}

}  // namespace zeroth
