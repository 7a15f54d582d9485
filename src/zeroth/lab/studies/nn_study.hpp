// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/apps/network_tuning.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/studies/reproduce.hpp"

namespace zeroth {

// One run of one solver and what its recommendation is worth on fresh seeds: a cell of the study behind Table 2.
struct NnCell {
  std::string solver;
  std::int64_t evaluations = 0;
  std::int64_t trial = 0;  // names the split of the data and all seeds

  // What came of it: means over the fresh seeds, errors in percent.
  double validation = 0, test = 0, megaflops = 0;
  bool feasible = false;
  double cpu_seconds = 0;  // of search and evaluations, without what was known from an earlier run
  Vector x = Vector::Zero(11);
};

// Not solvers, but judged like their recommendations: the point that every solver may start from, and the best that
// local search with many evaluations had found before the study. In the full setting also the best recommendation of
// the reduced one by auto, its layers widened by one factor to the full limit: is tuning in the small worth something
// in the large?
inline const std::string nn_start = "(start)", nn_known = "(known point)", nn_widened = "(reduced tuning widened)";

struct NnStudy {
  NetworkOptions problem;
  std::int64_t trials = 10, fresh_seeds = 5;
  std::vector<std::int64_t> evaluations{50, 100};
  std::vector<std::string> solvers;
  double nu = 0.03;  // the paper's smoothing radius on this problem, for Algorithm 2
};
NnStudy nn_study(const std::string& data, const ReproduceOptions& options);

NetworkSetting nn_known_point(const NnStudy& study);

// The finished cells and every single evaluation of unfinished ones: a study that was stopped goes on within a run.
class NnLedger {
 public:
  NnLedger(const NnStudy& study, const std::filesystem::path& out);

  bool find(NnCell& cell) const;
  void add(const NnCell& cell);
  // The best feasible recommendation of this solver in the reduced setting.
  std::optional<Vector> best_reduced(const std::string& solver) const;

  struct Evaluation {
    double objective, constraint;
  };
  // The answer number `number` of a run, or of this solver's run with another budget of the study, if it was the
  // answer to this x.
  std::optional<Evaluation> evaluation(const NnCell& cell, std::int64_t number, std::span<const double> x) const;
  std::optional<Evaluation> evaluation(const NnCell& cell, std::int64_t number) const;
  void add(const NnCell& cell, std::int64_t number, std::span<const double> x, const Evaluation& evaluation);

 private:
  Ledger::Key key(const NnCell& cell) const;
  std::string setting_;
  std::vector<std::int64_t> evaluations_;
  Ledger cells_, evaluated_;
};

void run_nn_cell(const NnStudy& study, NnCell& cell, NnLedger& ledger);

// Table 2 as Markdown; an infeasible recommendation counts as the start, which the user would go back to.
std::string nn_table(const NnStudy& study, const std::vector<NnCell>& cells);

std::string nn_figure_name(const NnStudy& study);

// Learning curves, error against operations of all evaluations with the limit, best feasible evaluation against
// evaluations. Returns whether gnuplot drew them.
bool nn_figures(const NnStudy& study, const std::vector<NnCell>& cells, const NnLedger& ledger,
                const std::filesystem::path& out);

}  // namespace zeroth
