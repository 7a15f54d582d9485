// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

namespace zeroth::hock_schittkowski_data {

// One problem of the collection.
struct Entry {
  int number;
  std::vector<double> start, lower, upper;
  int constraints;
  double optimum;
  void (*evaluate)(std::span<const double> x, std::span<double> f);  // f[0] the objective, f[i] <= 0 feasible
  int equalities = 0;                                                // they come last: f[i] = 0 feasible
};

inline double sq(double v) { return v * v; }

const std::vector<Entry>& with_equalities();

}  // namespace zeroth::hock_schittkowski_data
