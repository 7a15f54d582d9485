// SPDX-License-Identifier: MIT
#include "zeroth/run/minimize.hpp"

#include <fmt/format.h>

#include "zeroth/run/catalog.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/whole_numbers.hpp"

namespace zeroth {
namespace {

Space space_of_values(const Spec& spec) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Variables v;
  v.lower = Vector::Constant(spec.dimension(), -infinity);
  v.upper = Vector::Constant(spec.dimension(), infinity);
  v.start = Vector::Constant(spec.dimension(), std::nan(""));
  std::vector<Index> all;
  for (Index k = 0; k < spec.dimension(); ++k) {
    v.type.push_back(spec.integer[static_cast<std::size_t>(k)] ? VariableType::integer : VariableType::real);
    v.log_scale.push_back(false);
    all.push_back(k);
  }
  return Space::of(std::move(v), {spec.domain}, {all});
}

}  // namespace

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
  StartSolver start = [&](Spec spec, std::uint64_t seed) {
    return solver_named(options.solver).make(std::move(spec), options.settings, seed);
  };
  // Here coordinates are what the oracle gets.
  if (!ready.spec.integer.empty())
    start = in_whole_numbers(options.solver, options.settings, space_of_values(ready.spec));
  Search search = meaning ? as_meant(ready.spec, *meaning, start, options.seed) : start(ready.spec, options.seed);
  const Problem& measured = problem;  // engines know what is measured, not what is meant
  const auto engine = options.jobs > 1 ? threads_engine(measured, options.jobs) : serial_engine(measured);
  return run(ready.spec, std::move(search), *engine, request);
}

}  // namespace zeroth
