// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/units.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zeroth::adaptive {

// A function that is constant so far counts in its own size.
void Units::choose(std::span<const Answer> answers, std::size_t function) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Answer& a : answers) {
    if (a.failed() || !std::isfinite(a.values[function])) continue;
    low = std::min(low, a.values[function]);
    high = std::max(high, a.values[function]);
  }
  if (!(low <= high)) return;
  const double spread = 0.5 * high - 0.5 * low, size = std::max(std::abs(low), std::abs(high));
  if (spread > 0) exponent_[function] = std::ilogb(spread) + 1;
  else if (size > 0) exponent_[function] = std::ilogb(size);
}

std::vector<Answer> Units::inside(std::span<const Answer> answers) {
  constexpr double most = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < exponent_.size(); ++i)
    if (!exponent_[i]) choose(answers, i);
  std::vector<Answer> scaled(answers.begin(), answers.end());
  for (Answer& a : scaled) {
    if (a.failed()) continue;
    for (std::size_t i = 0; i < exponent_.size(); ++i) {
      if (std::isfinite(a.values[i])) a.values[i] = std::clamp(std::scalbn(a.values[i], -exponent(i)), -most, most);
      if (!a.se.empty()) a.se[i] = std::scalbn(a.se[i], -exponent(i));
    }
  }
  return scaled;
}

void Units::outside(Incumbent& incumbent) const {
  for (Vector* per_constraint : {&incumbent.multipliers, &incumbent.multiplier_se})
    for (Index i = 0; i < per_constraint->size(); ++i)
      (*per_constraint)[i] = std::scalbn((*per_constraint)[i], exponent(0) - exponent(static_cast<std::size_t>(i) + 1));
  const auto counts_in = [&](const char* figure, std::size_t function) {
    if (const auto found = incumbent.trace.find(figure); found != incumbent.trace.end())
      found->second = std::scalbn(found->second, exponent(function));
  };
  for (const char* figure : {"hessian_error", "curvature"}) counts_in(figure, 0);
  counts_in("level_se", std::min<std::size_t>(1, exponent_.size() - 1));
}

}  // namespace zeroth::adaptive
