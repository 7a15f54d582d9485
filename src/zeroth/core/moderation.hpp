// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// Evaluators may answer with any finite number, but a solver squares and multiplies what it is told. Up to this size
// fourth powers of it stay finite; beyond, a value grows like its logarithm, which keeps signs and the order of values.
inline constexpr double moderate = 1e60;
double drawn_in(double value);

// Answers as solvers are told them: the same ones but for values beyond `moderate`, which hardly any run has.
class Moderation {
 public:
  std::span<const Answer> of(std::span<const Answer> answers);

 private:
  std::vector<Answer> drawn_in_;
};

}  // namespace zeroth
