// SPDX-License-Identifier: MIT
#include "zeroth/run/minimize.hpp"

#include <fmt/format.h>

#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/adapters/fence.hpp"
#include "zeroth/adapters/first_points.hpp"
#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/integer_solvers.hpp"
#include "zeroth/catalog/safe_option.hpp"
#include "zeroth/core/iterate.hpp"
#include "zeroth/run/loop.hpp"

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
    const auto place = static_cast<std::size_t>(k);
    v.type.push_back(spec.integer[place] ? VariableType::integer : VariableType::real);
    v.log_scale.push_back(false);
    all.push_back(k);
  }
  return Space::of(std::move(v), {spec.domain}, {all});
}

}  // namespace

Result minimize(const Problem& problem, const MinimizeOptions& options) {
  if (options.budget < 1) throw Error(fmt::format("the budget must be at least 1 evaluation, not {}", options.budget));
  if (!problem.oracle && !problem.partial) throw Error("the problem has no oracle");
  RunRequest request;
  request.solver = options.solver;
  request.budget = options.budget;
  request.seed = options.seed;
  request.safe = safe_probability(options.solver, options.settings);
  request.names.constraints = problem.constraint_names;
  Problem ready = problem;
  request.cost = problem.spec.cost;
  const double all = request.cost.size() > 0 ? request.cost.sum() : 1;
  if (request.cost.size() > 0 && (request.cost.size() != problem.spec.functions() || !(request.cost.minCoeff() >= 0) ||
                                  !(all > 0) || !std::isfinite(all)))
    throw Error(fmt::format("spec.cost must hold {} finite numbers >= 0, one per function, not all 0",
                            problem.spec.functions()));
  if (static_cast<double>(request.budget) < all)
    throw Error(fmt::format("the budget of {} is below the {} that one evaluation of all functions costs",
                            request.budget, all));
  ready.spec.plan_for(request.cost.size() > 0
                          ? affordable_evaluations(static_cast<double>(request.budget), request.cost)
                          : request.budget,
                      request.check_share);
  ready.spec.width = std::max(1, options.jobs);
  std::optional<Meaning> meaning;
  if (!options.constraints.empty() || !options.objective.empty()) {
    std::vector<std::string> names = problem.constraint_names;
    for (auto i = static_cast<Index>(names.size()) + 1; i <= problem.spec.constraints; ++i)
      names.push_back("c" + std::to_string(i));
    const std::vector<std::string>& declared = options.constraints.empty() ? names : options.constraints;
    meaning = read_meaning(declared, problem.spec.equalities, "", names, {options.objective, problem.maximize, ""});
    ready.spec.constraints = static_cast<Index>(declared.size());
    ready.spec.cost = cost_of_stated(problem.spec.cost, meaning);
    if (meaning) request.meaning = &*meaning;
    request.names.constraints = declared;
  }
  StartSolver start = [&](Spec spec, std::uint64_t seed) {
    return solver_named(options.solver).make(std::move(spec), options.settings, seed);
  };
  if (works_in_a_box(options.solver)) start = in_growing_box(std::move(start), ready.spec, options.spread);
  // Here coordinates are what the oracle gets.
  if (!ready.spec.integer.empty()) start = with_integer_variables(options.solver, start, space_of_values(ready.spec));
  if (!(request.safe > 0)) start = with_relaxation(options.solver, std::move(start));
  if (meaning)
    start = [inner = std::move(start), stated = *meaning, slopes = measures_slopes(options.solver),
             anywhere = !(request.safe > 0)](Spec spec, std::uint64_t seed) {
      return with_chance_constraints(std::move(spec), stated, inner, slopes, seed, anywhere);
    };
  if (!ready.spec.known_points.empty() || !ready.spec.evaluated.empty())
    start = [inner = std::move(start), meaning](Spec spec, std::uint64_t seed) {
      return after_points(std::move(spec), meaning, inner, seed);
    };
  // A set that is no box can lose a point to rounding.
  if (!ready.spec.integer.empty() && ready.spec.domain.cut())
    ready.spec.known = [domain = ready.spec.domain, space = space_of_values(ready.spec),
                        own = ready.spec.known](std::span<const double> x) {
      const Vector rounded = space.to_user(Vector(as_vector(x)));
      return domain.contains(rounded, 1e-9) && (!own || own(as_span(rounded)));
    };
  const bool guarded = static_cast<bool>(ready.spec.known);
  ready.spec.described_points = !meaning && nobody_reads_points(ready.spec);
  Search search = guarded ? fenced(Fence(ready.spec, ready.spec.integer.empty() ? Space::plain(ready.spec.dimension())
                                                                                : space_of_values(ready.spec)),
                                   ready.spec, start, options.seed)
                          : start(ready.spec, options.seed);
  const Problem& measured = problem;  // engines know what is measured, not what is stated of it
  const auto engine = options.jobs > 1 ? threads_engine(measured, options.jobs) : serial_engine(measured);
  return run(ready.spec, std::move(search), *engine, request);
}

}  // namespace zeroth
