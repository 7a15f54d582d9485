// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zeroth {

// A referee: all solvers on one suite of problems with known optimum, equal budgets, judged by noiseless values.
struct BenchOptions {
  std::vector<std::string> solvers;  // empty: the suite's own list
  std::int64_t trials = 20;
  int jobs = 0;                     // trials that run at the same time; 0: as many as there are cores
  bool reduced = false;             // the small version that tests run
  bool full = false;                // every cell, every solver on all trials: hours
  std::string only;                 // cells whose label contains this; empty: all
  std::filesystem::path out = ".";  // figures and CSV go here
};

struct BenchSuite {
  std::string name, summary;
  void (*run)(const BenchOptions&);  // prints its table on stdout
};

const std::vector<BenchSuite>& bench_suites();

}  // namespace zeroth
