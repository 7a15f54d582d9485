// SPDX-License-Identifier: MIT
#include <cmath>

#include "zeroth/lab/studies/nn_study.hpp"

namespace zeroth {
namespace {

// The constructor of a ledger writes its file, so the directory has to be there.
std::filesystem::path file(const NnStudy& study, const std::filesystem::path& out, const std::string& what) {
  std::filesystem::create_directories(out);
  return out / ("nn-" + study.problem.data + "-" + what + ".csv");
}

double weighted_sum(std::span<const double> x) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += static_cast<double>(i + 1) * x[i];
  return sum;
}

const std::vector<std::string> cell_columns{"setting", "solver", "evaluations", "trial"};

}  // namespace

NnLedger::NnLedger(const NnStudy& study, const std::filesystem::path& out)
    : setting_(study.problem.setting),
      evaluations_(study.evaluations),
      cells_(file(study, out, "cells"), cell_columns,
             {"validation", "test", "megaflops", "feasible", "cpu_seconds", "learning_rate", "decay",
              "momentum_initial", "momentum_final", "dropout_input", "dropout_hidden", "weight_decay", "max_norm",
              "hidden_1", "hidden_2", "hidden_3"}),
      evaluated_(file(study, out, "evaluations"), {"setting", "solver", "evaluations", "trial", "number"},
                 {"objective", "constraint", "x"}) {}

Ledger::Key NnLedger::key(const NnCell& cell) const {
  return {setting_, cell.solver, std::to_string(cell.evaluations), std::to_string(cell.trial)};
}

bool NnLedger::find(NnCell& cell) const {
  const auto values = cells_.find(key(cell));
  if (!values) return false;
  const std::vector<double>& v = *values;
  cell.validation = v[0];
  cell.test = v[1];
  cell.megaflops = v[2];
  cell.feasible = v[3] == 1;
  cell.cpu_seconds = v[4];
  for (std::size_t i = 0; i < 11; ++i) cell.x[static_cast<Index>(i)] = v[5 + i];
  return true;
}

void NnLedger::add(const NnCell& cell) {
  std::vector<double> values{cell.validation, cell.test, cell.megaflops, cell.feasible ? 1.0 : 0.0, cell.cpu_seconds};
  values.insert(values.end(), cell.x.begin(), cell.x.end());
  cells_.add(key(cell), values);
}

std::optional<Vector> NnLedger::best_reduced(const std::string& solver) const {
  constexpr int most_trials = 1000;
  std::optional<Vector> best;
  double least = INFINITY;
  for (const char* evaluations : {"50", "100"})
    for (int trial = 1; trial <= most_trials; ++trial) {
      const auto found = cells_.find({"reduced", solver, evaluations, std::to_string(trial)});
      if (!found || (*found)[3] != 1 || (*found)[0] >= least) continue;
      least = (*found)[0];
      best = Eigen::Map<const Vector>(found->data() + 5, 11);
    }
  return best;
}

std::optional<NnLedger::Evaluation> NnLedger::evaluation(const NnCell& cell, std::int64_t number) const {
  Ledger::Key k = key(cell);
  k.push_back(std::to_string(number));
  const auto values = evaluated_.find(k);
  if (!values) return {};
  return Evaluation{(*values)[0], (*values)[1]};
}

std::optional<NnLedger::Evaluation> NnLedger::evaluation(const NnCell& cell, std::int64_t number,
                                                         std::span<const double> x) const {
  // Seeds do not depend on the budget, so a solver that does not plan with it begins a long run with its short one.
  std::vector<std::int64_t> budgets{cell.evaluations};
  budgets.insert(budgets.end(), evaluations_.begin(), evaluations_.end());
  NnCell other = cell;
  for (const std::int64_t budget : budgets) {
    other.evaluations = budget;
    Ledger::Key k = key(other);
    k.push_back(std::to_string(number));
    const auto values = evaluated_.find(k);
    if (values && (*values)[2] == weighted_sum(x)) return Evaluation{(*values)[0], (*values)[1]};
  }
  return {};  // nothing known, or another version of the solver asked elsewhere
}

void NnLedger::add(const NnCell& cell, std::int64_t number, std::span<const double> x, const Evaluation& evaluation) {
  Ledger::Key k = key(cell);
  k.push_back(std::to_string(number));
  const std::vector<double> values{evaluation.objective, evaluation.constraint, weighted_sum(x)};
  if (evaluated_.find(k) != values) evaluated_.add(k, values);
}

}  // namespace zeroth
