// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/bench/race.hpp"

namespace zeroth {

// One row of conditions under which everybody races.
struct BenchCell {
  std::string label;
  std::function<Problem(std::int64_t instance)> problem;
  std::function<double(std::int64_t instance, const Problem&)> limit{};  // evaluations that statistics ask for
};

// How an entrant races in a cell; no trials: it does not.
struct BenchEntry {
  std::string solver;
  std::int64_t trials = 0;
  RaceLimits limits;
};

struct BenchRow {
  std::string cell, solver;
  std::int64_t trial = 0;
  double done = 0, first = 0, for_good = 0, gap = 0, violation = 0, milliseconds = 0;
  std::vector<double> at, score;  // max(gap, violation), a quarter of the evaluations apart
};

// Races every entrant of every cell on instances that were not used while building or tuning (1001 and up; grids are
// searched on instance 500), prints a line for each, and draws the median trajectories. Every finished race is kept in
// OUT/SUITE.csv and not run again by the next call: an interrupted bench goes on where it stopped.
void run_bench(const std::string& suite, const std::vector<BenchCell>& cells,
               const std::function<std::vector<BenchEntry>(const BenchCell&)>& entries, const BenchOptions& options);

}  // namespace zeroth
