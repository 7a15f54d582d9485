// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// A small problem with known truth and one difficulty that simulators have. Expectations are exact; the optimum is
// searched on ever finer grids.
struct LawProblem {
  std::string name;
  Problem problem;             // truth included
  double start_value = 0;      // E[f_0] at the start
  std::vector<double> ranges;  // of the constraints: what a violation of 1 means

  // max((f - f*) / (f(start) - f*), violation / range) of a point.
  double score(const Vector& x) const;
  bool feasible(const Vector& x) const;
};

// Every family once, with constants drawn for this instance.
std::vector<LawProblem> law_problems(std::uint64_t instance);

// One bowl with a limit under five kinds of noise: normal, t with 5 degrees of freedom, counts of nine, exponential, in
// proportion to the values.
std::vector<LawProblem> noise_problems(std::uint64_t instance);

}  // namespace zeroth
