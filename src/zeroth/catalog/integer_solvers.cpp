// SPDX-License-Identifier: MIT
#include "zeroth/catalog/integer_solvers.hpp"

#include <algorithm>
#include <vector>

#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/adapters/integer_variables.hpp"
#include "zeroth/adapters/least_relaxation.hpp"
#include "zeroth/catalog/catalog.hpp"

namespace zeroth {

bool measures_slopes(const std::string& solver) {
  static const std::vector<std::string> slopes{"adaptive-conex", "conex", "proximal-conex"};
  return std::ranges::find(slopes, solver) != slopes.end();
}

bool works_in_a_box(const std::string& solver) {
  static const std::vector<std::string> boxed{"auto",   "trust-bo", "adaptive-conex", "albo", "slack-al",
                                              "admmbo", "pesc"};
  return std::ranges::find(boxed, solver) != boxed.end();
}

StartSolver with_integer_variables(const std::string& solver, StartSolver start, const Space& space) {
  return [solver, start = std::move(start), space](Spec spec, std::uint64_t seed) {
    if (!measures_slopes(solver)) return by_levels(std::move(spec), space, start, seed);
    if (spec.categories.empty()) return by_random_rounding(std::move(spec), space, start, seed);
    const StartSolver global = [](Spec inner, std::uint64_t key) {
      return solver_named("trust-bo").make(std::move(inner), {}, key);
    };
    return within_best_categories(std::move(spec), space, in_growing_box(global, space), start, seed);
  };
}

StartSolver with_relaxation(const std::string& solver, StartSolver start) {
  if (solver != "auto" && solver != "trust-bo" && solver != "adaptive-conex") return start;
  return [start = std::move(start)](Spec spec, std::uint64_t seed) {
    // Where points are large they are not kept.
    constexpr Index most_variables = 200;
    const bool possible = spec.constraints > 0 && spec.equalities == 0 && spec.lag == 0 && spec.cost.size() == 0 &&
                          spec.dimension() <= most_variables;
    return possible ? with_least_relaxation(std::move(spec), start, seed) : start(std::move(spec), seed);
  };
}

}  // namespace zeroth
