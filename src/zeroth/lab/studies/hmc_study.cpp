// SPDX-License-Identifier: MIT
//
// `zeroth reproduce hmc`: Table 1 of the paper. Every solver tunes the sampler with the same number of evaluations on
// the same subsamples of the data; what it recommends is judged on fresh seeds, never on the answers it has seen.
#include "zeroth/lab/studies/hmc_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "zeroth/apps/hmc.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/cpu_time.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"

namespace zeroth {
namespace {

struct HmcStudyLabel {
  enum : std::uint64_t { solver = 1, judge };
};

// The paper's: K = 50 outer iterations, smoothing radius 0.05. All others run with their defaults.
Settings settings_of(const std::string& solver) {
  if (solver == "proximal-conex")
    return {{"K", {std::int64_t{50}, "the paper"}}, {"nu", {std::vector<double>{0.05}, "the paper"}}};
  return {};
}

Vector recommended(const Problem& problem, const HmcCell& cell) {
  if (cell.solver == grid_optimum) return hmc_point({5, 0.063, 1, 0});
  if (cell.solver == start_point) return problem.spec.start;
  Spec spec = problem.spec;
  spec.budget = cell.evaluations;
  const auto trial = static_cast<std::uint64_t>(cell.trial);
  RunState run(spec,
               solver_named(cell.solver).make(spec, settings_of(cell.solver), derive_key(trial, HmcStudyLabel::solver)),
               unchecked(cell.evaluations));
  while (!run.done()) answer_batch(run, [&](const Query& query) { return evaluate_once(problem, query); });
  return run.recommended();
}

}  // namespace

HmcStudy hmc_study(const ReproduceOptions& o) {
  HmcStudy study;
  if (o.full) study.gradients = 1250000;
  if (o.smoke) {
    study.gradients = 2000;
    study.trials = 2;
    study.fresh_seeds = 3;
    study.evaluations = {8, 12};
  }
  if (o.trials > 0) study.trials = o.trials;
  const std::vector<std::string> wanted =
      o.smoke ? std::vector<std::string>{"trust-bo", "proximal-conex", "random"}
              : std::vector<std::string>{"auto",   "trust-bo", "albo",           "slack-al",
                                         "admmbo", "pesc",     "proximal-conex", "random"};
  for (const auto& name : wanted)
    if (std::ranges::any_of(solvers(), [&](const SolverEntry& e) { return e.name == name; }))
      study.solvers.push_back(name);
  if (!o.solvers.empty()) study.solvers = o.solvers;
  if (!o.evaluations.empty()) study.evaluations = o.evaluations;
  for (const auto& solver : study.solvers) solver_named(solver, "--solvers");
  return study;
}

void run_hmc_cell(HmcCell& cell, std::int64_t fresh_seeds) {
  HmcOptions options;
  options.gradients = cell.gradients;
  options.subsample = cell.trial;
  const Problem problem = hmc(options);
  const double begin = cpu_seconds();
  cell.x = recommended(problem, cell);
  cell.cpu_seconds = cpu_seconds() - begin;
  // The same fresh seeds for every solver of a trial: differences between solvers are then less noisy.
  double sizes = 0, geweke = 0, rhat = 0;
  bool failed = false;
  const auto count = static_cast<double>(fresh_seeds);
  for (std::int64_t s = 0; s < fresh_seeds; ++s) {
    const Answer answer = evaluate_once(problem, {as_span(cell.x),
                                                  noise_key(static_cast<std::uint64_t>(cell.trial),
                                                            HmcStudyLabel::judge, static_cast<std::uint64_t>(s)),
                                                  {}});
    failed = failed || answer.failed();
    sizes += answer.failed() ? 0 : std::exp(-answer.values[0]) / count;
    geweke += (answer.failed() ? worst_score - 2 : answer.values[1]) / count;
    rhat += (answer.failed() ? worst_score - options.rhat_limit : answer.values[2]) / count;
  }
  cell.effective_size = sizes;
  cell.geweke = geweke;
  cell.rhat = rhat;
  cell.feasible = !failed && geweke <= 0 && rhat <= 0;
}

std::string reproduce_hmc(const ReproduceOptions& o) {
  const HmcStudy study = hmc_study(o);
  std::filesystem::create_directories(o.out);
  HmcLedger ledger(o.out / "hmc-cells.csv");

  std::vector<HmcCell> cells;
  const auto plan = [&](const std::string& solver, std::int64_t evaluations, std::int64_t trial) {
    HmcCell cell;
    cell.gradients = study.gradients;
    cell.solver = solver;
    cell.evaluations = evaluations;
    cell.trial = trial;
    cells.push_back(cell);
  };
  for (std::int64_t trial = 1; trial <= study.trials; ++trial) {
    for (const auto evaluations : study.evaluations)
      for (const auto& solver : study.solvers) plan(solver, evaluations, trial);
    plan(grid_optimum, 0, trial);
    plan(start_point, 0, trial);
  }

  std::atomic<std::size_t> done{0};
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<std::size_t> known{0};
  parallel_for(o.jobs, cells.size(), [&](std::size_t i) {
    HmcCell& cell = cells[i];
    if (ledger.find(cell)) {
      ++known;
      ++done;
      return;
    }
    run_hmc_cell(cell, study.fresh_seeds);
    ledger.add(cell);
    const std::size_t so_far = ++done;
    if (!o.progress) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double each = seconds / static_cast<double>(so_far - known);
    o.progress(fmt::format("{:>4} of {}: trial {}, {}, {} evaluations: {:.0f} effective samples, {}; {:.0f} s left",
                           so_far, cells.size(), cell.trial, cell.solver, cell.evaluations, cell.effective_size,
                           cell.feasible ? "feasible" : "infeasible",
                           each * static_cast<double>(cells.size() - so_far)));
  });

  std::string text = hmc_table(study, cells);
  const bool drawn = hmc_figures(study, o.out, o.jobs);
  text += fmt::format("\nwritten: {}/hmc-cells.csv, hmc-chains and hmc-plane {}\n", o.out.string(),
                      drawn ? "(.svg, .png)" : "as gnuplot scripts (install gnuplot to draw them)");
  return text;
}

}  // namespace zeroth
