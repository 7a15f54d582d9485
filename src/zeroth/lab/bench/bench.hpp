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
  std::int64_t first_instance = 1001;  // of those that are raced on, where a suite draws its problems by number
  int jobs = 0;                        // trials that run at the same time; 0: as many as there are cores
  bool reduced = false;                // the small version that tests run
  bool quick = false;                  // of laws: the sample of two minutes
  bool full = false;                   // every cell, every solver on all trials: hours
  std::string only;                    // cells whose label contains this; empty: all
  std::filesystem::path out = ".";     // figures and CSV go here
};

struct BenchSuite {
  std::string name, summary;
  void (*run)(const BenchOptions&);  // prints its table on stdout
};

const std::vector<BenchSuite>& bench_suites();

// Suites that are one function.

// The promises of the answer as laws, on small problems with known truth and one difficulty each:
//   ladder     more evaluations never make the median true score worse by more than its sampling error
//   behind     the answer is never clearly worse than the start or a point evaluated as often as the check does
//   claims     of answers said to be feasible 95 % are, of those said to be infeasible 90 %; intervals cover
//              under five kinds of noise and are at most twice as wide as for a fixed sample size
//   converged  less could be gained than the half-width of the objective's interval
//   units      the status does not change with the units of objective, constraints and variables
// A ledger of all runs goes to laws.csv. Throws where a law did not hold.
void bench_laws(const BenchOptions& options);

// What asking ahead costs in evaluations: with a lag solvers know less when they ask.
void bench_lag(const BenchOptions& options);

// The four systems of the paper beside their original implementations, on two small quadratic problems with noise of
// 0.1 on both outputs. The gap is f(recommended) - f* by noiseless values, feasible or not, as it was measured of the
// originals; how many recommendations are truly feasible stands beside it.
void bench_noisy_qcqp(const BenchOptions& options);

// Chance constraints with known optimum: min |x - 1|^2 on [-2, 2]^2 where x_0 + x_1 - 1 + noise exceeds 0 at most once
// in twenty evaluations. Statements of chances against what people do without them.
void bench_chance(const BenchOptions& options);

// Constraints that cost 1 each and an objective that costs 100: what is spent until the recommendation is good for
// good, when the functions are asked together and when cheap ones are asked first.
void bench_costs(const BenchOptions& options);

// Algorithm 1 on random quadratics with its steps from four sources: the theorem's constants, a grid searched by hand
// on other instances, the defaults, and schedule = adaptive, which asks for nothing.
void bench_schedules(const BenchOptions& options);

}  // namespace zeroth
