// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/vector.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/studies/reproduce.hpp"

namespace zeroth {

// One run of one solver and what its recommendation is worth on fresh seeds: a cell of the study behind Table 1.
struct HmcCell {
  std::int64_t gradients = 0;  // per evaluation
  std::string solver;
  std::int64_t evaluations = 0;
  std::int64_t trial = 0;  // names the subsample of the data and all seeds

  // What came of it: means over the fresh seeds.
  double effective_size = 0, geweke = 0, rhat = 0;
  bool feasible = false;  // mean scores within their limits, and no fresh evaluation failed
  Vector x = Vector::Zero(4);
  double cpu_seconds = 0;

  double credit() const { return feasible ? effective_size : 0; }
};

// The cells as lines of a ledger.
class HmcLedger {
 public:
  explicit HmcLedger(const std::filesystem::path& file);
  bool find(HmcCell& cell) const;  // fills in the result if it is there
  void add(const HmcCell& cell);   // safe from several threads

 private:
  Ledger cells_;
};

// Not solvers, but judged like their recommendations: the best point of a fine grid over (steps, step size) and the
// point that every solver may start from.
inline const std::string grid_optimum = "(grid optimum)", start_point = "(start)";

struct HmcStudy {
  std::int64_t gradients = 12500, trials = 20, fresh_seeds = 10;
  std::vector<std::int64_t> evaluations{50, 100};
  std::vector<std::string> solvers;
};
HmcStudy hmc_study(const ReproduceOptions& options);

void run_hmc_cell(HmcCell& cell, std::int64_t fresh_seeds);

// Table 1 as text and as Markdown; `cells` of all solvers, budgets and trials.
std::string hmc_table(const HmcStudy& study, const std::vector<HmcCell>& cells);

// trace and autocorrelation of a careful beginner's and of the tuned sampler, and effective samples over the plane of
// step size and steps with the path of a search on it. Returns whether gnuplot drew them.
bool hmc_figures(const HmcStudy& study, const std::filesystem::path& out, int jobs);

}  // namespace zeroth
