// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zeroth/lab/studies/nn_study.hpp"
#include "zeroth/report/figure.hpp"

namespace zeroth {
namespace {

constexpr std::uint64_t curve_seed = 1;

Series learning_curve(const NetworkTask& task, const std::string& name, const NetworkSetting& setting) {
  Series series{.name = name};
  Training training(task.images().train, task.rows().train, setting, task.iterations(), curve_seed);
  const std::int64_t every = std::max<std::int64_t>(1, task.iterations() / 40);
  while (!training.done()) {
    training.step();
    if (training.iteration() % every != 0) continue;
    series.x.push_back(static_cast<double>(training.iteration()));
    series.y.push_back(error_percent(training.network(), task.images().train, task.rows().validation));
  }
  return series;
}

const NnCell* best_of(const std::vector<NnCell>& cells, const std::string& solver) {
  const NnCell* best = nullptr;
  for (const NnCell& c : cells)
    if (c.solver == solver && c.feasible && (!best || c.validation < best->validation)) best = &c;
  return best;
}

}  // namespace

std::string nn_figure_name(const NnStudy& study) {
  return "nn-" + study.problem.data + (study.problem.setting == "full" ? "-full" : "");
}

bool nn_figures(const NnStudy& study, const std::vector<NnCell>& cells, const NnLedger& ledger,
                const std::filesystem::path& out) {
  const NetworkTask task(study.problem);
  const std::string first = study.solvers.front();
  std::int64_t evaluations = 0;  // the longest runs that there are
  for (const NnCell& cell : cells) evaluations = std::max(evaluations, cell.evaluations);

  const bool decades = study.problem.data == "mnist";  // CIFAR-10's errors are all between a half and nine tenths
  Panel learning{"Learning", "iteration", "validation error (%)", false, decades, {}};
  learning.series.push_back(learning_curve(task, "start", {}));
  if (const NnCell* best = best_of(cells, first)) {
    learning.series.push_back(
        learning_curve(task, "tuned by " + first, network_setting(as_span(best->x), task.full())));
  }
  learning.series.push_back(learning_curve(task, "known point", nn_known_point(study)));

  Panel trade{"Every evaluation of the searches",
              "million operations of a prediction",
              "validation error (%)",
              true,
              decades,
              {}};
  Panel progress{
      "Best feasible evaluation, mean over trials", "evaluations", "validation error (%)", false, decades, {}};
  double worst = 1, least = 100;
  for (const auto& solver : study.solvers) {
    Series evaluated{.name = solver, .points = true}, best{.name = solver};
    std::vector<double> sum(static_cast<std::size_t>(evaluations), 0.0);
    double runs = 0;
    for (const NnCell& cell : cells) {
      if (cell.solver != solver || cell.evaluations != evaluations) continue;
      double so_far = guessing_error;
      ++runs;
      for (std::int64_t k = 0; k < evaluations; ++k) {
        if (const auto evaluation = ledger.evaluation(cell, k)) {
          const double error = error_from_objective(study.problem, evaluation->objective);
          evaluated.x.push_back(evaluation->constraint + task.limit());
          evaluated.y.push_back(error);
          worst = std::max(worst, error);
          least = std::min(least, error);
          if (evaluation->constraint <= 0) so_far = std::min(so_far, error);
        }
        sum[static_cast<std::size_t>(k)] += so_far;
      }
    }
    if (runs == 0) continue;
    for (std::size_t k = 0; k < sum.size(); ++k) {
      best.x.push_back(static_cast<double>(k + 1));
      best.y.push_back(sum[k] / runs);
    }
    evaluated.lower = evaluated.upper = evaluated.y;
    evaluated.color = solver == first ? 0 : 1;
    if (solver == first) trade.series.push_back(evaluated);
    if (solver == "random") trade.series.insert(trade.series.begin(), evaluated);  // behind
    progress.series.push_back(best);
  }
  const auto stem = out / nn_figure_name(study);
  if (progress.series.empty()) return draw({learning}, stem);  // no search has been run
  trade.series.push_back({.name = "limit", .x = {task.limit(), task.limit()}, .y = {least, worst}, .dashed = true});
  return draw({learning, trade, progress}, stem, 3);
}

}  // namespace zeroth
