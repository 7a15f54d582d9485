// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/hock_schittkowski.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problems/hock_schittkowski.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {
namespace {
constexpr std::uint64_t first_seed = 1001;  // smaller ones were used while building
}

HockSchittkowskiTrial run_hock_schittkowski(int number, const std::string& solver, std::int64_t budget,
                                            std::uint64_t seed) {
  HockSchittkowskiOptions o;
  o.number = number;
  Problem problem = hock_schittkowski(o);
  RunRequest request;
  problem.spec.plan_for(budget, request.check_share);
  request.solver = solver;
  request.budget = budget;
  request.seed = seed;
  const auto engine = serial_engine(problem);
  const Result result = run(problem.spec, solver_named(solver).make(problem.spec, {}, seed), *engine, request);
  std::vector<double> truth(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(result.x), truth);
  HockSchittkowskiTrial trial;
  for (std::size_t i = 1; i < truth.size(); ++i) trial.violation = std::max(trial.violation, truth[i]);
  trial.gap = (truth[0] - problem.truth->best_value) / std::max(std::abs(problem.truth->best_value), 1e-9);
  trial.stated = probability_all_feasible(result);
  trial.status = to_string(result.status);
  return trial;
}

void bench_hock_schittkowski(const BenchOptions& options) {
  const auto solvers = options.solvers.empty() ? std::vector<std::string>{"adaptive-conex"} : options.solvers;
  const auto trials = static_cast<std::size_t>(std::max<std::int64_t>(1, options.reduced ? 1 : options.trials));
  std::ofstream csv(options.out / "bench-hock-schittkowski.csv");
  csv << "problem,solver,seed,gap,violation,stated_probability,status\n";
  for (const std::string& solver : solvers) {
    fmt::print("{}: 2000 evaluations, noise 0.1 %, {} seeds; solved: gap at most 1 % of |f*| and truly feasible\n",
               solver, trials);
    double solved = 0, total = 0, stated = 0, feasible = 0, brier = 0;
    std::array<double, 5> limits{0.5, 0.8, 0.95, 0.99, 1.01}, count{}, said{}, was{};
    for (const int number : hock_schittkowski_numbers()) {
      std::vector<HockSchittkowskiTrial> results(trials);
      parallel_for(options.jobs, trials,
                   [&](std::size_t i) { results[i] = run_hock_schittkowski(number, solver, 2000, first_seed + i); });
      double here = 0, gap = 0, violation = 0, probability = 0;
      for (std::size_t i = 0; i < trials; ++i) {
        const auto& r = results[i];
        const bool ok = r.violation <= 0;
        here += ok && r.gap <= 0.01;
        gap += r.gap / static_cast<double>(trials);
        violation = std::max(violation, r.violation);
        probability += r.stated / static_cast<double>(trials);
        stated += r.stated;
        feasible += ok;
        brier += std::pow(r.stated - (ok ? 1 : 0), 2);
        std::size_t bin = 0;
        while (r.stated >= limits[bin]) ++bin;
        ++count[bin];
        said[bin] += r.stated;
        was[bin] += ok;
        csv << fmt::format("{},{},{},{},{},{},{}\n", number, solver, first_seed + i, r.gap, r.violation, r.stated,
                           r.status);
      }
      fmt::print("  hs{:<4} solved {:>3}/{}  mean gap {:>9.4f}  worst violation {:>9.5f}  stated probability {:.3f}\n",
                 number, here, trials, gap, violation, probability);
      std::fflush(stdout);
      solved += here;
      total += static_cast<double>(trials);
    }
    fmt::print("  solved {:.1f} %, feasible {:.1f} %, stated probability on average {:.1f} %, Brier score {:.4f}\n",
               100 * solved / total, 100 * feasible / total, 100 * stated / total, brier / total);
    for (std::size_t b = 0; b < count.size(); ++b)
      if (count[b] > 0)
        fmt::print("  stated below {:.2f}: {:>4} answers, {:.3f} on average, {:.3f} truly feasible\n",
                   std::min(1.0, limits[b]), count[b], said[b] / count[b], was[b] / count[b]);
  }
}

}  // namespace zeroth
