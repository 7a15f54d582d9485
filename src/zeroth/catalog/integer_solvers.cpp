// SPDX-License-Identifier: MIT
#include "zeroth/catalog/integer_solvers.hpp"

#include <algorithm>
#include <vector>

#include "zeroth/adapters/integer_variables.hpp"
#include "zeroth/catalog/catalog.hpp"

namespace zeroth {

bool measures_slopes(const std::string& solver) {
  static const std::vector<std::string> slopes{"adaptive-conex", "conex", "proximal-conex"};
  return std::ranges::find(slopes, solver) != slopes.end();
}

StartSolver in_whole_numbers(const std::string& solver, const Settings& options, const Space& space) {
  return [solver, options, space](Spec spec, std::uint64_t seed) {
    const SolverEntry& entry = solver_named(solver);
    if (!measures_slopes(solver))
      return by_levels(
          std::move(spec), space,
          [&entry, options](Spec inner, std::uint64_t key) { return entry.make(std::move(inner), options, key); },
          seed);
    if (!spec.categories.empty())
      return within_best_categories(
          std::move(spec), space,
          [](Spec inner, std::uint64_t key) { return solver_named("trust-bo").make(std::move(inner), {}, key); },
          [&entry, options](Spec inner, std::uint64_t key) { return entry.make(std::move(inner), options, key); },
          seed);
    return by_random_rounding(
        std::move(spec), space,
        [&entry, options](Spec inner, std::uint64_t key) { return entry.make(std::move(inner), options, key); }, seed);
  };
}

}  // namespace zeroth
