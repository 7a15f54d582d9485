// SPDX-License-Identifier: MIT
#include "zeroth/report/bench_constrained_bo.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/parallel.hpp"
#include "zeroth/report/figure.hpp"
#include "zeroth/run/catalog.hpp"

namespace zeroth {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Judged {
  double value, violation;
};

Judged judge(const Problem& problem, std::span<const double> x) {
  std::vector<double> v(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(x, v);
  double violation = 0;
  for (std::size_t i = 1; i < v.size(); ++i) {
    const bool inequality = static_cast<Index>(i) <= problem.spec.constraints;
    violation = std::max(violation, inequality ? v[i] : std::abs(v[i]) - equality_tolerance);
  }
  return {violation > 0 ? infinity : v[0], violation};
}

double quantile(std::vector<double> v, double p) {
  std::ranges::sort(v);
  const double position = p * static_cast<double>(v.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  if (low + 1 >= v.size() || position == static_cast<double>(low)) return v[low];
  const double share = position - static_cast<double>(low);
  return std::isinf(v[low + 1]) ? infinity : v[low] + share * (v[low + 1] - v[low]);
}

std::string shown(double value) { return std::isinf(value) ? "infeasible" : fmt::format("{:.5f}", value); }

}  // namespace

BoTrial run_bo_trial(const ConstrainedBoOptions& what, const std::string& solver, const Settings& settings,
                     std::uint64_t seed, const std::vector<int>& checkpoints) {
  Problem problem = constrained_bo(what);
  problem.spec.budget = checkpoints.back();
  const double begin = cpu_seconds();
  Search search = solver_named(solver).make(problem.spec, settings, seed);
  BoTrial trial;
  double best = infinity;
  int done = 0;
  std::vector<Answer> answers;
  for (const int checkpoint : checkpoints) {
    while (done < checkpoint && !search.done()) {
      answers.clear();
      for (const Query& query : search.ask()) {
        answers.push_back(evaluate_once(problem, query));
        best = std::min(best, judge(problem, query.x).value);
        ++done;
      }
      search.tell(answers);
    }
    const Judged recommended = judge(problem, as_span(search.recommend().x));
    trial.best_evaluated.push_back(best);
    trial.recommended.push_back(recommended.value);
    trial.violation.push_back(recommended.violation);
  }
  trial.seconds = cpu_seconds() - begin;
  return trial;
}

void bench_constrained_bo(const BenchOptions& options) {
  std::vector<std::string> solvers = options.solvers;
  if (solvers.empty()) solvers = {"random", "sobol", "albo", "slack-al", "admmbo", "pesc", "trust-bo"};
  const std::vector<std::string> names = options.reduced ? std::vector<std::string>{"lsq"} : constrained_bo_names();
  const std::vector<double> noises = options.reduced ? std::vector<double>{0.01} : std::vector<double>{0, 0.01, 0.1};
  const std::vector<int> checkpoints = options.reduced ? std::vector<int>{15, 25} : std::vector<int>{25, 50, 100};
  const auto trials =
      static_cast<std::size_t>(options.reduced ? std::min<std::int64_t>(options.trials, 3) : options.trials);

  std::filesystem::create_directories(options.out);
  std::ofstream csv(options.out / "constrained-bo.csv");
  csv << "problem,noise,solver,seed,evaluations,best_evaluated,recommended,violation,cpu_seconds\n";
  fmt::print(
      "value of the {} seeds' runs: median (quartiles) after {} evaluations; without noise the best evaluated\n"
      "point that is truly feasible, with noise the recommended point judged by noiseless values\n",
      trials, fmt::join(checkpoints, ", "));
  for (const double noise : noises) {
    std::vector<Panel> panels;
    for (const std::string& name : names) {
      const ConstrainedBoOptions what{name, noise, 0};
      const double optimum = constrained_bo(what).truth->best_value;
      fmt::print("\n{}, noise {:g} % of the range, optimum {:.5f}\n", name, 100 * noise, optimum);
      Panel panel{name, "evaluations", "gap to the optimum", false, true, {}};
      for (const std::string& solver : solvers) {
        // The suite counts joint evaluations, so ADMMBO may use all that they tell instead of one function each.
        Settings settings;
        if (solver == "admmbo") settings["decoupled"] = {false, "the suite"};
        std::vector<BoTrial> results(trials);
        parallel_for(options.jobs, trials,
                     [&](std::size_t i) { results[i] = run_bo_trial(what, solver, settings, i + 1, checkpoints); });
        std::string line = fmt::format("  {:<10}", solver);
        Series series{solver, {}, {}, {}, {}, false, false};
        for (std::size_t k = 0; k < checkpoints.size(); ++k) {
          std::vector<double> values, feasible;
          for (std::size_t i = 0; i < trials; ++i) {
            const BoTrial& r = results[i];
            values.push_back(noise > 0 ? r.recommended[k] : r.best_evaluated[k]);
            feasible.push_back(r.violation[k] <= 0 ? 1 : 0);
            csv << fmt::format("{},{},{},{},{},{},{},{},{}\n", name, noise, solver, i + 1, checkpoints[k],
                               r.best_evaluated[k], r.recommended[k], r.violation[k], r.seconds);
          }
          const double median = quantile(values, 0.5);
          line += fmt::format("  {:>10} ({}, {})", shown(median), shown(quantile(values, 0.25)),
                              shown(quantile(values, 0.75)));
          if (std::isfinite(median)) {
            const auto gap = [&](double v) { return std::max(1e-6, (std::isfinite(v) ? v : median) - optimum); };
            series.x.push_back(checkpoints[k]);
            series.y.push_back(gap(median));
            series.lower.push_back(gap(quantile(values, 0.25)));
            series.upper.push_back(gap(quantile(values, 0.75)));
          }
        }
        double seconds = 0;
        for (const auto& r : results) seconds += r.seconds / static_cast<double>(trials);
        const auto met = std::ranges::count_if(results, [](const BoTrial& r) { return r.violation.back() <= 0; });
        fmt::print("{}  feasible {}/{}  {:.2f} s\n", line, met, trials, seconds);
        if (!series.x.empty()) panel.series.push_back(std::move(series));
      }
      panels.push_back(std::move(panel));
    }
    draw(panels, options.out / fmt::format("constrained-bo-noise-{:g}", noise));
  }
}

}  // namespace zeroth
