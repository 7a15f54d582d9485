// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// How far from the optimum, without noise, a solver's own recommendation is; no evaluations are kept for a check.
struct TrueError {
  double gap = 0;          // f_0(x) - f*
  double violation = 0;    // max(0, f_i, |h_j|)
  std::int64_t calls = 0;  // of single functions
  double worst() const;    // max(|gap|, violation)
};

// The run ends when `evaluations` joint evaluations are spent.
TrueError true_error(const Problem& problem, const std::string& solver, const Settings& settings,
                     std::int64_t evaluations, std::uint64_t seed);

}  // namespace zeroth
