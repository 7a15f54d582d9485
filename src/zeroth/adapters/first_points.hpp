// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// What is known before the search: `spec.known_points` are asked first, in their order, and join `spec.evaluated`; the
// search then begins, at the best of them unless a start was named, with what is left of the budget.
Search after_points(Spec spec, std::optional<Meaning> meaning, StartSolver start, std::uint64_t seed);

// The evaluated point with the least violation, and among those without any with the smallest objective; null if there
// is none. `meaning`, if not null, of what was measured.
const Evaluated* best_evaluated(const Spec& spec, const Meaning* meaning);

}  // namespace zeroth
