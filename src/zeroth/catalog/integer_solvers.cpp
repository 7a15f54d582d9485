// SPDX-License-Identifier: MIT
#include "zeroth/catalog/integer_solvers.hpp"

#include <algorithm>
#include <vector>

#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/adapters/integer_variables.hpp"
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

}  // namespace zeroth
