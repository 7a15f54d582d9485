// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/study_progress.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t held_out_instance = 2;

struct SimulationLabel {
  enum : std::uint64_t { start = 1 };
};

std::string key_of(double value) { return fmt::format("{}", value); }
std::string trial_key(std::int64_t trial) { return fmt::format("{:04}", trial); }

struct SimulationLedger : Ledger {
  explicit SimulationLedger(const std::filesystem::path& file)
      : Ledger(file, {"panel", "curve", "trial", "checkpoint"},
               {"evaluations", "calls", "gap", "violation", "gradient", "kkt"}) {}
};

// Without convexity the middle of the box is nearly stationary, and a start there would tell nothing of who finds a
// KKT point. So every trial has a start of its own, the same for all systems: uniform on the feasible part of the box.
Vector random_start(const QcqpOptions& options, const std::vector<Quadratic>& f, std::uint64_t trial) {
  Rng rng(derive_key(trial, SimulationLabel::start));
  Vector x(options.n);
  do {
    for (double& v : x) v = rng.uniform(-options.size, options.size);
  } while (f[1].value(x) > 0);
  return x;
}

// Squared norm of the gradient mapping, (x - P_X(x - step g)) / step, on the box |x_k| <= size.
double mapped_squares(const Vector& g, const Vector& x, double step, double size) {
  return (x - (x - step * g).cwiseMax(-size).cwiseMin(size)).squaredNorm() / (step * step);
}

SimulationPoint judged(const QcqpOptions& options, const Problem& problem, const std::vector<Quadratic>& f,
                       const Vector& x) {
  SimulationPoint p;
  p.gap = f[0].value(x) - (options.indefinite ? 0 : problem.truth->best_value);
  for (std::size_t i = 1; i < f.size(); ++i) p.violation = std::max(p.violation, f[i].value(x));
  p.gradient = f[0].gradient(x).norm();
  p.kkt = kkt_distance(options, f, 1 / problem.spec.constants->L[0], x);
  return p;
}

}  // namespace

double kkt_distance(const QcqpOptions& options, const std::vector<Quadratic>& f, double step, const Vector& x) {
  const Vector g0 = f[0].gradient(x), g1 = f[1].gradient(x);
  const double level = f[1].value(x);
  const auto residual = [&](double y) {
    const double slack = y * level;
    return mapped_squares(g0 + y * g1, x, step, options.size) + slack * slack;
  };
  // The best of a grid, then by golden sections between its neighbours; beyond the bound it is worse than at y = 0.
  const double bound = 1 + 2 * g0.norm() / std::max(1e-12, g1.norm()), cell = bound / 50;
  double best = 0;
  for (int k = 1; k <= 50; ++k)
    if (residual(k * cell) < residual(best)) best = k * cell;
  double low = std::max(0.0, best - cell), high = best + cell;
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  for (int i = 0; i < 60; ++i) {
    const double a = high - golden * (high - low), b = low + golden * (high - low);
    if (residual(a) < residual(b)) high = b;
    else low = a;
  }
  const double violation = std::max(0.0, level);
  return std::sqrt(std::min(residual(best), residual(0.5 * (low + high))) + violation * violation);
}

std::vector<std::int64_t> checkpoints(std::int64_t budget) {
  std::vector<std::int64_t> all;
  for (double n = 10; n < 0.9 * static_cast<double>(budget); n *= 1.5) all.push_back(std::llround(n));
  all.push_back(budget);
  return all;
}

Trajectory run_simulation(const QcqpOptions& options, const Variant& variant, std::uint64_t seed) {
  const Problem problem = qcqp(options);
  const std::vector<Quadratic> f = qcqp_functions(options);
  Spec spec = problem.spec;
  spec.budget = variant.budget;
  if (options.indefinite) spec.start = random_start(options, f, seed);
  RunState run(spec, solver_named(variant.solver).make(spec, variant.settings, seed), unchecked(variant.budget));
  Trajectory trajectory;
  std::int64_t calls = 0;
  for (const std::int64_t checkpoint : checkpoints(variant.budget)) {
    while (!run.done() && run.evaluations() + static_cast<std::int64_t>(run.batch().size()) <= checkpoint)
      answer_batch(run, [&](const Query& query) {
        for (Index i = 0; i < spec.functions(); ++i) calls += query.wants(i);
        return evaluate_once(problem, query);
      });
    SimulationPoint p = judged(options, problem, f, run.recommended());
    p.evaluations = static_cast<double>(run.evaluations());
    p.calls = static_cast<double>(calls);
    trajectory.push_back(p);
  }
  return trajectory;
}

SimulationPoint at_start(const QcqpOptions& options, std::uint64_t seed) {
  const Problem problem = qcqp(options);
  const std::vector<Quadratic> f = qcqp_functions(options);
  return judged(options, problem, f, options.indefinite ? random_start(options, f, seed) : problem.spec.first_point());
}

std::int64_t longest_stored(const std::filesystem::path& file, const std::string& panel, const std::string& curve) {
  const SimulationLedger ledger(file);
  std::int64_t longest = 0;
  for (const auto& [key, values] : ledger.cells())
    if (key[0] == panel && key[1] == curve && key[2] == trial_key(1))
      longest = std::max<std::int64_t>(longest, std::stoll(key[3]));
  return longest;
}

bool complete(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs) {
  return std::ranges::all_of(panels, [&](const SimulationPanel& panel) {
    return runs.contains(panel.name) && runs.at(panel.name).size() == panel.variants.size() + 1;  // and the start
  });
}

namespace {

// The curve that all others are measured by has one point: where everybody starts. Without randomness in it one serves
// all trials.
void add_starts(const std::vector<SimulationPanel>& panels, const std::filesystem::path& file, SimulationRuns& runs) {
  SimulationLedger ledger(file);
  for (const auto& panel : panels) {
    std::int64_t trials = 0;
    for (const auto& variant : panel.variants) trials = std::max(trials, variant.trials);
    for (std::int64_t trial = 1; trial <= trials; ++trial) {
      const std::int64_t drawn = panel.problem.indefinite ? trial : 1;
      const Ledger::Key key{panel.name, start_curve, trial_key(drawn), fmt::format("{:08}", 0)};
      if (!ledger.find(key)) {
        const SimulationPoint p = at_start(panel.problem, static_cast<std::uint64_t>(drawn));
        ledger.add(key, {p.evaluations, p.calls, p.gap, p.violation, p.gradient, p.kkt});
      }
      const auto v = *ledger.find(key);
      runs[panel.name][start_curve].push_back({{v[0], v[1], v[2], v[3], v[4], v[5]}});
    }
  }
  ledger.sort();
}

}  // namespace

SimulationRuns run_panels(const std::vector<SimulationPanel>& panels, const std::filesystem::path& file, int jobs,
                          const std::vector<std::string>& only) {
  SimulationLedger ledger(file);
  struct Cell {
    const SimulationPanel* panel;
    const Variant* variant;
    std::int64_t trial;
    Ledger::Key key(std::int64_t checkpoint) const {
      return {panel->name, variant->name, trial_key(trial), fmt::format("{:08}", checkpoint)};
    }
  };
  std::vector<Cell> all, missing;
  std::int64_t most = 0;
  for (const auto& panel : panels)
    for (const auto& variant : panel.variants) most = std::max(most, variant.trials);
  // Trial after trial, so that a study which is stopped early has all its curves.
  for (std::int64_t trial = 1; trial <= most; ++trial)
    for (const auto& panel : panels)
      for (const auto& variant : panel.variants)
        if (trial <= variant.trials) all.push_back({&panel, &variant, trial});
  for (const Cell& cell : all)
    if (!ledger.find(cell.key(cell.variant->budget)) &&
        (only.empty() || std::ranges::find(only, cell.variant->solver) != only.end()))
      missing.push_back(cell);
  StudyProgress progress(missing.size());
  parallel_for(jobs, missing.size(), [&](std::size_t i) {
    const Cell& cell = missing[i];
    const Trajectory t = run_simulation(cell.panel->problem, *cell.variant, static_cast<std::uint64_t>(cell.trial));
    const auto at = checkpoints(cell.variant->budget);
    for (std::size_t k = 0; k < t.size(); ++k)
      ledger.add(cell.key(at[k]), {t[k].evaluations, t[k].calls, t[k].gap, t[k].violation, t[k].gradient, t[k].kkt});
    progress.done();
  });
  ledger.sort();
  SimulationRuns runs;
  for (const Cell& cell : all) {
    if (!ledger.find(cell.key(cell.variant->budget))) continue;
    Trajectory t;
    for (const auto checkpoint : checkpoints(cell.variant->budget)) {
      const auto v = *ledger.find(cell.key(checkpoint));
      t.push_back({v[0], v[1], v[2], v[3], v[4], v[5]});
    }
    runs[cell.panel->name][cell.variant->name].push_back(std::move(t));
  }
  for (const auto& panel : panels)
    for (const auto& variant : panel.variants)
      if (std::ssize(runs[panel.name][variant.name]) < variant.trials) runs[panel.name].erase(variant.name);
  add_starts(panels, file, runs);
  return runs;
}

Steps search_steps(const QcqpOptions& problem, const std::string& solver, std::int64_t budget,
                   const std::filesystem::path& file, int jobs) {
  Ledger ledger(file, {"solver", "n", "noise", "indefinite", "budget", "eta", "tau"}, {"score"});
  QcqpOptions held_out = problem;
  held_out.instance = held_out_instance;
  std::vector<Steps> grid;
  for (const double eta : {3.0, 10.0, 30.0, 100.0, 300.0, 1000.0})
    for (const double tau : {1.0, 10.0, 100.0, 1000.0}) grid.push_back({eta, tau});
  std::vector<double> scores(grid.size());
  parallel_for(jobs, grid.size(), [&](std::size_t i) {
    const Ledger::Key key{solver,
                          fmt::format("{}", problem.n),
                          problem.noise,
                          problem.indefinite ? "yes" : "no",
                          fmt::format("{}", budget),
                          key_of(grid[i].eta),
                          key_of(grid[i].tau)};
    if (const auto known = ledger.find(key)) {
      scores[i] = known->front();
      return;
    }
    Variant v{"", solver, {}, budget, 1};
    v.settings["eta"] = {fmt::format("{}*t^0.5", grid[i].eta), "the search"};
    v.settings["tau"] = {fmt::format("{}*t^0.5", grid[i].tau), "the search"};
    const SimulationPoint last = run_simulation(held_out, v, 1).back();
    // The middle of a nonconvex problem is nearly stationary, so a small residual may mean that x was drawn there: the
    // objective counts, and violation ten times.
    const double score = problem.indefinite ? last.gap + 10 * last.violation : last.error();
    scores[i] = std::isfinite(score) ? score : std::numeric_limits<double>::infinity();
    ledger.add(key, {scores[i]});
  });
  ledger.sort();
  return grid[static_cast<std::size_t>(std::ranges::min_element(scores) - scores.begin())];
}

}  // namespace zeroth
