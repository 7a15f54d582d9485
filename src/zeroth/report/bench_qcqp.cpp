// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "zeroth/engine/parallel.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/smooth.hpp"
#include "zeroth/report/bench.hpp"
#include "zeroth/report/bench_constrained_bo.hpp"
#include "zeroth/report/bench_hock_schittkowski.hpp"
#include "zeroth/report/bench_race.hpp"
#include "zeroth/report/figure.hpp"

namespace zeroth {
namespace {

struct Cell {
  std::string label;
  std::int64_t n = 0, budget = 0;
  std::function<Problem(std::size_t trial)> problem;
};

double quantile_of(std::vector<double> v, double q) {
  std::sort(v.begin(), v.end());
  return v[static_cast<std::size_t>(
      std::min<double>(static_cast<double>(v.size()) - 1, q * static_cast<double>(v.size())))];
}

std::string shown(double v) { return std::isfinite(v) ? fmt::format("{:.0f}", v) : "-"; }

// One line per solver: evaluations until gap and violation are at most 1 % of |f*|, median and quartiles over the
// trials; until they stay so; the score max(gap, violation) at the end; the solver's own time.
void run_cells(const std::string& suite, const std::vector<Cell>& cells, const std::vector<std::string>& names,
               const BenchOptions& options) {
  std::ofstream csv(options.out / (suite + ".csv"));
  csv << "cell,solver,trial,first,for_good,final_gap,final_violation\n";
  std::vector<Panel> panels;
  const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(1, options.trials));
  for (const Cell& cell : cells) {
    fmt::print("\n{}, {} evaluations, {} trials\n", cell.label, cell.budget, trials);
    fmt::print("  {:<16} {:>24} {:>10} {:>10} {:>9}\n", "solver", "to 1 % (quartiles)", "for good", "final", "ms/eval");
    std::vector<Problem> problems(trials);
    parallel_for(options.jobs, trials, [&](std::size_t i) { problems[i] = cell.problem(i + 1); });
    Panel panel{cell.label, "evaluations", "max(gap, violation) / |f*|", true, true, {}};
    for (const std::string& name : names) {
      if (name == "regression" && cell.n > 50) continue;        // more parameters than evaluations
      if (name.starts_with("cobyla") && cell.n > 50) continue;  // hours: its own work per evaluation grows as n^3
      const Competitor competitor = competitor_named(name);
      std::vector<Race> races(trials);
      parallel_for(options.jobs, trials,
                   [&](std::size_t i) { races[i] = race(problems[i], competitor, cell.budget, 100 + i); });
      std::vector<double> first, good, last, milliseconds;
      Series series{name, {}, {}, {}, {}, false, false};
      for (std::size_t i = 0; i < trials; ++i) {
        const Race& r = races[i];
        if (r.gap.empty()) continue;
        first.push_back(r.first);
        good.push_back(r.for_good);
        last.push_back(std::max(r.gap.back(), r.violation.back()));
        milliseconds.push_back(1e3 * r.seconds_per_evaluation);
        csv << fmt::format("\"{}\",{},{},{},{},{},{}\n", cell.label, name, i + 1, r.first, r.for_good, r.gap.back(),
                           r.violation.back());
      }
      if (first.empty()) continue;
      for (double at = 20; at <= static_cast<double>(cell.budget); at *= 1.25) {
        std::vector<double> scores;
        for (const Race& r : races) {
          const auto k = std::upper_bound(r.evaluations.begin(), r.evaluations.end(), at) - r.evaluations.begin();
          if (k > 0)
            scores.push_back(
                std::max({r.gap[static_cast<std::size_t>(k - 1)], r.violation[static_cast<std::size_t>(k - 1)], 1e-6}));
        }
        if (scores.size() < trials) continue;
        series.x.push_back(at);
        series.y.push_back(quantile_of(scores, 0.5));
      }
      if (!series.x.empty()) panel.series.push_back(std::move(series));
      fmt::print("  {:<16} {:>24} {:>10} {:>10.4f} {:>9.3f}\n", name,
                 fmt::format("{} [{}, {}]", shown(quantile_of(first, 0.5)), shown(quantile_of(first, 0.25)),
                             shown(quantile_of(first, 0.75))),
                 shown(quantile_of(good, 0.5)), quantile_of(last, 0.5), quantile_of(milliseconds, 0.5));
      std::fflush(stdout);
    }
    panels.push_back(std::move(panel));
  }
  draw(panels, options.out / suite);
}

std::vector<std::string> names_or(const BenchOptions& options, std::vector<std::string> suite) {
  return options.solvers.empty() ? suite : options.solvers;
}

void bench_qcqp(const BenchOptions& options) {
  struct Noise {
    const char *label, *law, *form;
  };
  const std::vector<Noise> noises = {{"no noise", "none", "additive"},
                                     {"common normal", "normal", "additive"},
                                     {"common t5", "t5", "additive"},
                                     {"independent normal", "normal", "independent"},
                                     {"independent t5", "t5", "independent"}};
  std::vector<Cell> cells;
  for (const std::int64_t m : {1, 10})
    for (const std::int64_t n : {10, 50, 200, 500})
      for (const Noise& noise : noises) {
        if (options.reduced && (n > 50 || m > 1 || std::string(noise.law) != "normal")) continue;
        cells.push_back({fmt::format("qcqp n = {}, m = {}, {}", n, m, noise.label), n,
                         options.reduced ? 2000 : std::max<std::int64_t>(4000, 20 * n), [=](std::size_t trial) {
                           QcqpOptions o;
                           o.n = n;
                           o.m = m;
                           o.instance = static_cast<std::int64_t>(trial);
                           o.noise = noise.law;
                           o.noise_form = noise.form;
                           return qcqp(o);
                         }});
      }
  run_cells("bench-qcqp", cells,
            names_or(options, {"adaptive-conex", "conex-tuned", "conex", "cobyla-frozen", "cobyla-fresh",
                               "slsqp-frozen", "slsqp-fresh", "spsa-al", "regression", "random"}),
            options);
}

void bench_smooth(const BenchOptions& options) {
  std::vector<Cell> cells;
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue", "hinge"})
    for (const std::int64_t n : {5, 20, 100, 300})
      for (const char* noise : {"additive", "independent", "growing", "multiplicative", "gradient"}) {
        if (options.reduced && (n > 5 || std::string(noise) != "independent")) continue;
        cells.push_back({fmt::format("{} n = {}, noise {}", family, n, noise), n,
                         options.reduced ? 2000 : std::max<std::int64_t>(4000, 40 * n), [=](std::size_t trial) {
                           SmoothOptions o;
                           o.family = family;
                           o.n = n;
                           o.noise_form = noise;
                           o.instance = static_cast<std::int64_t>(trial);
                           return smooth_problem(o);
                         }});
      }
  run_cells("bench-smooth", cells,
            names_or(options,
                     {"adaptive-conex", "conex", "slsqp-frozen", "slsqp-fresh", "cobyla-fresh", "spsa-al", "random"}),
            options);
}

}  // namespace

const std::vector<BenchSuite>& bench_suites() {
  static const std::vector<BenchSuite> suites{
      {"qcqp", "random quadratics under five kinds of noise: evaluations to 1 % of |f*|", bench_qcqp},
      {"smooth", "five non-quadratic families, noise that grows, multiplies or tilts", bench_smooth},
      {"hock-schittkowski", "24 constrained problems of the collection under noise, with checked answers",
       bench_hock_schittkowski},
      {"constrained-bo", "the constrained Bayesian literature's problems, small budgets", bench_constrained_bo},
  };
  return suites;
}

}  // namespace zeroth
