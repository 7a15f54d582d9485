// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// Constrained test problems of at most 15 variables with inequality or equality constraints, by the numbers of W. Hock
// and K. Schittkowski, Test Examples for Nonlinear Programming Codes, Springer 1981, with their published optima.
// Constraints are written as f_i <= 0; bounds are the set X (variables without bounds get an interval around the region
// of interest, which does not cut off the optimum). Noise: independent normal, `noise` times the objective's range (its
// value at the start minus the optimum) on the objective, and on a constraint times the smaller of that and the
// constraint's own size at the start.
struct HockSchittkowskiOptions {
  std::int64_t number = 35;
  double noise = 0.001;
};

inline OptionList options_of(HockSchittkowskiOptions& o) {
  return {{"number", o.number, "the problem's number in the collection"},
          {"noise", o.noise, "standard deviation as a share of the objective's range", nonnegative}};
}

Problem hock_schittkowski(const HockSchittkowskiOptions& options);
std::vector<int> hock_schittkowski_numbers();           // those with inequalities alone
std::vector<int> hock_schittkowski_equality_numbers();  // those with equalities

}  // namespace zeroth
