// SPDX-License-Identifier: MIT
#include "zeroth/adapters/cost.hpp"

#include <algorithm>

namespace zeroth {

double cost_of(const Vector& cost, const Query& query) {
  if (cost.size() == 0) return 1;
  double sum = 0;
  for (Index i = 0; i < cost.size(); ++i)
    if (query.wants(i)) sum += cost[i];
  return sum;
}

std::int64_t affordable_evaluations(double units, const Vector& cost) {
  constexpr double most = 1e15;
  constexpr double rounding = 1e-9;  // sums of costs that are no integers are off by some last digits
  return static_cast<std::int64_t>(std::clamp(units / cost.sum() + rounding, 0.0, most));
}

Vector cost_of_stated(const Vector& measured, const std::optional<Meaning>& meaning) {
  if (!meaning || measured.size() == 0) return measured;
  const auto statements = static_cast<Index>(meaning->statements.size());
  Vector cost(1 + statements + meaning->equalities);
  cost[0] = measured[0];
  for (Index i = 0; i < statements; ++i)
    cost[1 + i] = measured[static_cast<Index>(meaning->statements[static_cast<std::size_t>(i)].place())];
  cost.tail(meaning->equalities) = measured.tail(meaning->equalities);
  return cost;
}

}  // namespace zeroth
