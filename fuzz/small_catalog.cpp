// SPDX-License-Identifier: MIT
//
// A catalog of one solver and one problem: the readers are under test, not what they start.
#include "zeroth/adapters/fence.hpp"
#include "zeroth/adapters/first_points.hpp"
#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/adapters/statement.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/integer_solvers.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/solvers/random_search.hpp"

namespace zeroth {
namespace {

struct SphereOptions {
  std::int64_t n = 3;
  double noise_sd = 1;
  std::string set = "box";
};

OptionList options_of(SphereOptions& o) {
  return {{"n", o.n, "variables", Range{.lower = 1, .upper = 100}},
          {"noise_sd", o.noise_sd, "scale", nonnegative},
          {"set", o.set, "the set X", Choices{{"box", "ball"}}}};
}

// Read, but never started: clang 14 cannot compile a coroutine under all of its sanitizers.
const SolverEntry the_solver{"random", "", "",
                             [](const auto& lend) {
                               RandomSearchOptions defaults;
                               lend(options_of(defaults));
                             },
                             nullptr};

const ProblemEntry the_problem{"sphere", "", "",
                               [](const auto& lend) {
                                 SphereOptions defaults;
                                 lend(options_of(defaults));
                               },
                               [](const Settings& settings) {
                                 SphereOptions options;
                                 apply(settings, options_of(options), "problem");
                                 Problem problem;
                                 problem.name = "sphere";
                                 problem.spec.domain = Domain::box(options.n, -1, 1);
                                 return problem;
                               }};

}  // namespace

const SolverEntry& solver_named(const std::string& name, const std::string& where) {
  if (name != "random") throw Error(where, "there is no such solver");
  return the_solver;
}

const ProblemEntry& problem_named(const std::string& name, const std::string& where) {
  if (name != "sphere") throw Error(where, "there is no such problem");
  return the_problem;
}

// Nor are these, for the same reason: they stand between a solver and its problem.
Search with_chance_constraints(Spec, Meaning, StartSolver, bool, std::uint64_t) {
  throw Error("the fuzzers only read");
}
Search fenced(Fence, Spec, StartSolver, std::uint64_t) { throw Error("the fuzzers only read"); }
Search after_points(Spec, std::optional<Meaning>, StartSolver, std::uint64_t) { throw Error("the fuzzers only read"); }
StartSolver with_known_limits(StartSolver, const Space&) { throw Error("the fuzzers only read"); }
bool measures_slopes(const std::string&) { return false; }
bool works_in_a_box(const std::string&) { return false; }
StartSolver in_growing_box(StartSolver, const Space&) { throw Error("the fuzzers only read"); }
StartSolver with_integer_variables(const std::string&, StartSolver, const Space&) {
  throw Error("the fuzzers only read");
}

}  // namespace zeroth
