// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "zeroth/core/search.hpp"

namespace zeroth::adaptive {

// The solver's own units: every function divided by a power of two near the spread of the first values that are seen of
// it, so that no constant inside knows in which units the user counts. What the user scales by a power of two is the
// same run bit for bit. (Variables are counted in half-widths of X, see Frame.)
class Units {
 public:
  explicit Units(Index functions) : exponent_(static_cast<std::size_t>(functions)) {}

  std::vector<Answer> inside(std::span<const Answer> answers);
  void outside(Incumbent& incumbent) const;  // its multipliers and levels, back in the user's units

 private:
  void choose(std::span<const Answer> answers, std::size_t function);
  int exponent(std::size_t function) const { return exponent_[function].value_or(0); }

  std::vector<std::optional<int>> exponent_;  // nothing yet: all values so far were zero
};

}  // namespace zeroth::adaptive
