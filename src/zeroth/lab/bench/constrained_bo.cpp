// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/constrained_bo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/cpu_time.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/study_progress.hpp"
#include "zeroth/report/figure.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

struct Judged {
  double value, violation, objective;  // value: the objective if feasible, infinity otherwise
};

Judged judge(const Problem& problem, std::span<const double> x) {
  std::vector<double> v(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(x, v);
  double violation = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const bool inequality = static_cast<Index>(i) <= problem.spec.constraints;
    violation = std::max(violation, inequality ? v[i] : std::abs(v[i]) - equality_tolerance);
  }
  return {violation > 0 ? infinity : v[0], violation, v[0]};
}

std::string shown(double value) { return std::isinf(value) ? "infeasible" : fmt::format("{:.5f}", value); }

}  // namespace

BoTrial run_bo_trial(const ConstrainedBoOptions& what, const std::string& solver, const Settings& settings,
                     std::uint64_t seed, const std::vector<int>& checkpoints) {
  return run_bo_trial(constrained_bo(what), solver, settings, seed, checkpoints);
}

BoTrial run_bo_trial(Problem problem, const std::string& solver, const Settings& settings, std::uint64_t seed,
                     const std::vector<int>& checkpoints) {
  problem.spec.budget = checkpoints.back();
  const double begin = cpu_seconds();
  RunState run(problem.spec, solver_named(solver).make(problem.spec, settings, seed), unchecked());
  BoTrial trial;
  double best = infinity;
  for (const int checkpoint : checkpoints) {
    while (run.evaluations() < checkpoint && !run.done())
      answer_batch(run, [&](const Query& query) {
        best = std::min(best, judge(problem, query.x).value);
        return evaluate_once(problem, query);
      });
    const Judged recommended = judge(problem, as_span(run.recommended()));
    trial.best_evaluated.push_back(best);
    trial.recommended.push_back(recommended.value);
    trial.violation.push_back(recommended.violation);
    trial.objective.push_back(recommended.objective);
  }
  trial.seconds = cpu_seconds() - begin;
  return trial;
}

namespace {

struct Suite {
  std::vector<std::string> solvers, problems;
  std::vector<double> noises;
  std::vector<int> checkpoints;
  std::size_t trials;
};

Suite suite_for(const BenchOptions& options) {
  Suite s;
  s.solvers = options.solvers;
  if (s.solvers.empty()) s.solvers = {"random", "sobol", "albo", "slack-al", "admmbo", "pesc", "trust-bo"};
  // Equalities (lah, gsbp) have a suite of their own, and PESC takes a minute per run on them.
  s.problems =
      options.full ? constrained_bo_names() : std::vector<std::string>{"lsq",    "gardner-1", "gardner-2", "admmbo-4d",
                                                                       "herbie", "qcqp-4",    "qcqp-10"};
  if (options.reduced) s.problems = {"lsq"};
  std::erase_if(s.problems, [&](const std::string& name) { return name.find(options.only) == std::string::npos; });
  s.noises = options.reduced ? std::vector<double>{0.01} : std::vector<double>{0, 0.01, 0.1};
  s.checkpoints = options.reduced ? std::vector<int>{15, 25} : std::vector<int>{25, 50, 100};
  s.trials = static_cast<std::size_t>(options.reduced ? std::min<std::int64_t>(options.trials, 3) : options.trials);
  return s;
}

struct Cell {
  std::string problem;
  double noise;
  std::string solver;
  std::size_t seed;
  Ledger::Key key() const { return {problem, fmt::format("{}", noise), solver, fmt::format("{}", seed)}; }
};

std::vector<std::string> value_columns(const Suite& suite) {
  std::vector<std::string> names;
  for (const int n : suite.checkpoints)
    for (const char* what : {"best_evaluated", "recommended", "violation"})
      names.push_back(fmt::format("{}_{}", what, n));
  names.push_back("cpu_seconds");
  return names;
}

std::vector<double> packed(const BoTrial& t) {
  std::vector<double> values;
  for (std::size_t k = 0; k < t.recommended.size(); ++k)
    values.insert(values.end(), {t.best_evaluated[k], t.recommended[k], t.violation[k]});
  values.push_back(t.seconds);
  return values;
}

BoTrial unpacked(const std::vector<double>& values) {
  BoTrial t;
  for (std::size_t i = 0; i + 3 < values.size(); i += 3) {
    t.best_evaluated.push_back(values[i]);
    t.recommended.push_back(values[i + 1]);
    t.violation.push_back(values[i + 2]);
  }
  t.seconds = values.back();
  return t;
}

// All seeds of one solver on one problem, best to worst solver comparable: the same seeds for all.
struct Results {
  std::vector<BoTrial> trials;
  double noise;
  std::vector<double> values(std::size_t checkpoint) const {
    std::vector<double> v;
    for (const auto& t : trials) v.push_back(noise > 0 ? t.recommended[checkpoint] : t.best_evaluated[checkpoint]);
    return v;
  }
};

// Seed after seed, so that a bench which is stopped early has compared all solvers on all problems all the same.
void run_missing(const Suite& suite, Ledger& ledger, int jobs) {
  std::vector<Cell> cells;
  for (std::size_t seed = 1; seed <= suite.trials; ++seed)
    for (const double noise : suite.noises)
      for (const auto& problem : suite.problems)
        for (const auto& solver : suite.solvers)
          if (Cell cell{problem, noise, solver, seed}; !ledger.find(cell.key())) cells.push_back(std::move(cell));
  StudyProgress progress(cells.size());
  parallel_for(jobs, cells.size(), [&](std::size_t i) {
    const Cell& cell = cells[i];
    // The suite counts joint evaluations, so ADMMBO may use all that they tell instead of one function each.
    Settings settings;
    if (cell.solver == "admmbo") settings["decoupled"] = {false, "the suite"};
    ledger.add(cell.key(), packed(run_bo_trial({cell.problem, cell.noise, 0}, cell.solver, settings, cell.seed,
                                               suite.checkpoints)));
    progress.done();
  });
}

std::string table_line(const std::string& solver, const Results& r, std::size_t checkpoints) {
  std::string line = fmt::format("  {:<10}", solver);
  for (std::size_t k = 0; k < checkpoints; ++k) {
    const auto values = r.values(k);
    line += fmt::format("  {:>10} ({}, {})", shown(quantile(values, 0.5)), shown(quantile(values, 0.25)),
                        shown(quantile(values, 0.75)));
  }
  double seconds = 0;
  for (const auto& t : r.trials) seconds += t.seconds / static_cast<double>(r.trials.size());
  const auto met = std::ranges::count_if(r.trials, [](const BoTrial& t) { return t.violation.back() <= 0; });
  return line + fmt::format("  feasible {}/{}  {:.2f} s", met, r.trials.size(), seconds);
}

Series curve(const std::string& solver, const Results& r, const Suite& suite, double optimum) {
  Series series{solver, {}, {}, {}, {}, false, false};
  for (std::size_t k = 0; k < suite.checkpoints.size(); ++k) {
    const auto values = r.values(k);
    const double median = quantile(values, 0.5);
    if (!std::isfinite(median)) continue;
    const auto gap = [&](double v) { return std::max(1e-6, (std::isfinite(v) ? v : median) - optimum); };
    series.x.push_back(suite.checkpoints[k]);
    series.y.push_back(gap(median));
    series.lower.push_back(gap(quantile(values, 0.25)));
    series.upper.push_back(gap(quantile(values, 0.75)));
  }
  return series;
}

// Seed by seed over all problems of one noise level: how often trust-bo is better than a rival, and whether that could
// be chance. Closer than a ten-thousandth of the problem's scale is a tie.
void print_duels(const Suite& suite, double noise, const std::map<std::string, std::map<std::string, Results>>& all) {
  const std::string ours = "trust-bo";
  if (std::ranges::find(suite.solvers, ours) == suite.solvers.end()) return;
  fmt::print(
      "\ntrust-bo against each, noise {:g} %: better / tied / worse over all problems and seeds (p of a sign test)\n",
      100 * noise);
  for (const auto& rival : suite.solvers) {
    if (rival == ours) continue;
    std::string line = fmt::format("  {:<10}", rival);
    for (std::size_t k = 0; k < suite.checkpoints.size(); ++k) {
      int better = 0, tied = 0, worse = 0;
      for (const auto& [problem, by_solver] : all) {
        const auto a = by_solver.at(ours).values(k), b = by_solver.at(rival).values(k);
        const double scale = 1e-4 * (1 + std::abs(constrained_bo({problem, noise, 0}).truth->best_value));
        for (std::size_t i = 0; i < a.size(); ++i) {
          const bool both_out = std::isinf(a[i]) && std::isinf(b[i]);
          if (both_out || std::abs(a[i] - b[i]) <= scale) ++tied;
          else ++(a[i] < b[i] ? better : worse);
        }
      }
      line += fmt::format("   {}: {} / {} / {} (p {:.2g})", suite.checkpoints[k], better, tied, worse,
                          sign_test(better, worse));
    }
    fmt::print("{}\n", line);
  }
}

}  // namespace

void bench_constrained_bo(const BenchOptions& options) {
  const Suite suite = suite_for(options);
  std::filesystem::create_directories(options.out);
  Ledger ledger(options.out / (options.reduced ? "constrained-bo-reduced.csv" : "constrained-bo.csv"),
                {"problem", "noise", "solver", "seed"}, value_columns(suite));
  run_missing(suite, ledger, options.jobs);

  fmt::print(
      "value of the {} seeds' runs: median (quartiles) after {} evaluations; without noise the best evaluated\n"
      "point that is truly feasible, with noise the recommended point judged by noiseless values\n",
      suite.trials, fmt::join(suite.checkpoints, ", "));
  for (const double noise : suite.noises) {
    std::vector<Panel> panels;
    std::map<std::string, std::map<std::string, Results>> all;
    for (const std::string& problem : suite.problems) {
      const double optimum = constrained_bo({problem, noise, 0}).truth->best_value;
      fmt::print("\n{}, noise {:g} % of the range, optimum {:.5f}\n", problem, 100 * noise, optimum);
      Panel panel{problem, "evaluations", "gap to the optimum", false, true, {}};
      for (const std::string& solver : suite.solvers) {
        Results& r = all[problem][solver];
        r.noise = noise;
        for (std::size_t seed = 1; seed <= suite.trials; ++seed)
          r.trials.push_back(unpacked(*ledger.find(Cell{problem, noise, solver, seed}.key())));
        fmt::print("{}\n", table_line(solver, r, suite.checkpoints.size()));
        if (auto series = curve(solver, r, suite, optimum); !series.x.empty())
          panel.series.push_back(std::move(series));
      }
      panels.push_back(std::move(panel));
    }
    print_duels(suite, noise, all);
    draw(panels, options.out / fmt::format("constrained-bo-noise-{:g}", noise));
  }
}

}  // namespace zeroth
