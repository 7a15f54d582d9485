// SPDX-License-Identifier: MIT
//
// `zeroth reproduce nn-mnist` and `nn-cifar10`: Table 2 of the paper. Every solver tunes the network with the same
// number of evaluations on the same splits of the data; what it recommends is trained again from fresh seeds and judged
// on the validation images of the trial and, beyond the paper, on the test images.
#include "zeroth/lab/studies/nn_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/cpu_time.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"

namespace zeroth {
namespace {

struct NnStudyLabel {
  enum : std::uint64_t { solver = 1, judge };
};

// The paper's K = 50 outer iterations and its smoothing radius. All others run with their defaults.
Settings settings_of(const NnStudy& study, const std::string& solver) {
  if (solver == "proximal-conex")
    return {{"K", {std::int64_t{50}, "the paper"}}, {"nu", {std::vector<double>{study.nu}, "the paper"}}};
  return {};
}

// Layers grow together while the limit holds.
NetworkSetting widened(NetworkSetting setting, const NetworkTask& task) {
  const auto sizes = setting.hidden;
  for (double factor = 1; factor < 20; factor += 0.005) {
    NetworkSetting larger = setting;
    for (std::size_t l = 0; l < 3; ++l)
      larger.hidden[l] = static_cast<Index>(std::clamp(factor * static_cast<double>(sizes[l]), 50.0, 500.0));
    if (task.shape(larger).megaflops() > task.limit()) break;
    setting = larger;
  }
  return setting;
}

Vector recommended(const NnStudy& study, const Problem& problem, const NnCell& cell, NnLedger& ledger) {
  if (cell.solver == nn_start) return problem.spec.start;
  if (cell.solver == nn_known) return network_point(nn_known_point(study), study.problem.setting == "full");
  if (cell.solver == nn_widened)
    return network_point(
        widened(network_setting(as_span(ledger.best_reduced("auto").value()), false), NetworkTask(study.problem)),
        true);
  Spec spec = problem.spec;
  spec.budget = cell.evaluations;
  const auto trial = static_cast<std::uint64_t>(cell.trial);
  RunState run(
      spec,
      solver_named(cell.solver).make(spec, settings_of(study, cell.solver), derive_key(trial, NnStudyLabel::solver)),
      unchecked(cell.evaluations));
  std::int64_t number = 0;
  while (!run.done())
    answer_batch(run, [&](const Query& query) {
      const auto known = ledger.evaluation(cell, number, query.x);
      Answer answer;
      if (known) answer.values = {known->objective, known->constraint};
      else answer = evaluate_once(problem, query);
      if (!answer.failed()) ledger.add(cell, number, query.x, {answer.values[0], answer.values[1]});
      ++number;
      return answer;
    });
  return run.recommended();
}

}  // namespace

NnStudy nn_study(const std::string& data, const ReproduceOptions& o) {
  NnStudy study;
  study.problem.data = o.smoke ? "synthetic" : data;
  study.problem.setting = o.full ? "full" : "reduced";
  // auto chooses trust-bo for so few evaluations, with the same seed, so trust-bo has no rows of its own.
  study.solvers = {"auto", "albo", "slack-al", "admmbo", "pesc", "proximal-conex", "random"};
  if (o.smoke) {
    study.problem.iterations = 20;
    study.trials = 2;
    study.fresh_seeds = 2;
    study.evaluations = {8, 12};
    study.solvers = {"auto", "proximal-conex", "random"};
  }
  if (o.trials > 0) study.trials = o.trials;
  if (!o.solvers.empty()) study.solvers = o.solvers;
  if (o.solvers == std::vector<std::string>{"none"}) study.solvers.clear();
  if (!o.evaluations.empty()) study.evaluations = o.evaluations;
  for (const auto& solver : study.solvers) solver_named(solver, "--solvers");
  return study;
}

NetworkSetting nn_known_point(const NnStudy& study) {
  if (study.problem.setting == "full") return {0.17, 3e-3, 0.74, 0.86, 0.06, 0.1, 1e-4, 3, {238, 200, 200}};
  if (study.problem.data == "cifar10") return {0.116, 5.3e-3, 0.48, 0.81, 0.03, 0.03, 1e-4, 3.8, {79, 86, 66}};
  return {0.16, 2.8e-3, 0.72, 0.855, 0.05, 0.016, 2.5e-4, 3, {73, 104, 79}};
}

void run_nn_cell(const NnStudy& whole, NnCell& cell, NnLedger& ledger) {
  NnStudy study = whole;
  study.problem.subsample = cell.trial;
  const Problem problem = network(study.problem);
  const NetworkTask task(study.problem);
  const double begin = cpu_seconds();
  cell.x = recommended(study, problem, cell, ledger);
  cell.cpu_seconds = cpu_seconds() - begin;
  // The same fresh seeds for every solver of a trial: differences between solvers are then less noisy.
  cell.validation = cell.test = cell.megaflops = 0;
  const auto count = static_cast<double>(study.fresh_seeds);
  for (std::int64_t s = 0; s < study.fresh_seeds; ++s) {
    Rng noise(noise_key(static_cast<std::uint64_t>(cell.trial), NnStudyLabel::judge, static_cast<std::uint64_t>(s)));
    const NetworkSetting setting = network_setting(as_span(cell.x), task.full());
    const auto errors = task.train(setting, noise.bits(), true);
    cell.validation += errors.validation / count;
    cell.test += errors.test / count;
    cell.megaflops += task.shape(setting).megaflops() / count;
  }
  cell.feasible = cell.megaflops <= task.limit();
}

namespace {

template <class T>
void add_missing(std::vector<T>& list, const std::vector<T>& more) {
  for (const T& item : more)
    if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

NnStudy everything(const std::string& data, const ReproduceOptions& o) {
  ReproduceOptions all = o;
  all.trials = 0;
  all.solvers.clear();
  all.evaluations.clear();
  NnStudy study = nn_study(data, all);
  study.trials = std::max(study.trials, o.trials);
  if (o.solvers != std::vector<std::string>{"none"}) add_missing(study.solvers, o.solvers);
  add_missing(study.evaluations, o.evaluations);
  return study;
}

std::string reproduce_nn(const std::string& data, const ReproduceOptions& o) {
  const NnStudy study = nn_study(data, o);
  const NetworkTask check(study.problem);  // says so before anything else if the data are missing
  std::filesystem::create_directories(o.out);
  NnLedger ledger(study, o.out);

  std::vector<NnCell> cells;
  const auto plan = [&](const std::string& solver, std::int64_t evaluations, std::int64_t trial) {
    NnCell cell;
    cell.solver = solver;
    cell.evaluations = evaluations;
    cell.trial = trial;
    cells.push_back(cell);
  };
  for (std::int64_t trial = 1; trial <= study.trials; ++trial) {
    plan(nn_start, 0, trial);
    plan(nn_known, 0, trial);
    if (o.full && ledger.best_reduced("auto")) plan(nn_widened, 0, trial);
    for (const auto evaluations : study.evaluations)
      for (const auto& solver : study.solvers) plan(solver, evaluations, trial);
  }

  std::atomic<std::int64_t> done_work{0}, new_work{0};
  std::int64_t all_work = 0;
  const auto work_of = [&](const NnCell& c) { return c.evaluations + study.fresh_seeds; };
  for (const NnCell& c : cells) all_work += work_of(c);
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<std::size_t> done{0};
  parallel_for(o.jobs, cells.size(), [&](std::size_t i) {
    NnCell& cell = cells[i];
    const bool known = ledger.find(cell);
    if (!known) {
      run_nn_cell(study, cell, ledger);
      ledger.add(cell);
      new_work += work_of(cell);
    }
    done_work += work_of(cell);
    const std::size_t so_far = ++done;
    if (known || !o.progress) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const double left = seconds / static_cast<double>(new_work) * static_cast<double>(all_work - done_work);
    o.progress(
        fmt::format("{:>4} of {}: trial {}, {}, {} evaluations: validation error {:.2f} %, test {:.2f} %, {:.1f} "
                    "MFLOP, {}; {:.0f} s "
                    "left",
                    so_far, cells.size(), cell.trial, cell.solver, cell.evaluations, cell.validation, cell.test,
                    cell.megaflops, cell.feasible ? "feasible" : "infeasible", left));
  });

  // The table shows all that the ledger holds, so a study can be run in parts: --solvers now, others later.
  const NnStudy shown = everything(data, o);
  cells.clear();
  for (std::int64_t trial = 1; trial <= shown.trials; ++trial) {
    plan(nn_start, 0, trial);
    plan(nn_known, 0, trial);
    if (o.full && ledger.best_reduced("auto")) plan(nn_widened, 0, trial);
    for (const auto evaluations : shown.evaluations)
      for (const auto& solver : shown.solvers) plan(solver, evaluations, trial);
  }
  std::erase_if(cells, [&](NnCell& cell) { return !ledger.find(cell); });
  std::string text = nn_table(shown, cells);
  const bool drawn = nn_figures(shown, cells, ledger, o.out);
  text += fmt::format("\nwritten: {}/nn-{}-cells.csv, nn-{}-evaluations.csv, {} {}\n", o.out.string(),
                      study.problem.data, study.problem.data, nn_figure_name(study),
                      drawn ? "(.svg, .png)" : "as a gnuplot script (install gnuplot to draw it)");
  return text;
}

}  // namespace

std::string reproduce_nn_mnist(const ReproduceOptions& o) { return reproduce_nn("mnist", o); }
std::string reproduce_nn_cifar10(const ReproduceOptions& o) { return reproduce_nn("cifar10", o); }

}  // namespace zeroth
