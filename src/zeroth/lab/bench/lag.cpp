// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/bench/constrained_bo.hpp"
#include "zeroth/lab/bench/race.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problems/qcqp.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t first_qcqp_instance = 1000;  // those of the bench qcqp

double median_trial(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}
std::string shown_trial(double v, int digits) {
  return std::isinf(v) ? std::string("-") : fmt::format("{:.{}f}", v, digits);
}
std::string ratio_of_trials(double with, double without) {
  return std::isfinite(with) && std::isfinite(without) ? fmt::format("{:.2f}", with / without) : "-";
}

// Evaluations, open ones included, until gap and violation are at most 1 % of |f*| for good.
void print_evaluations_to_one_percent(const BenchOptions& options, std::size_t trials) {
  constexpr int lag = 16;
  fmt::print(
      "qcqp, n = 50, m = 1: evaluations until the recommendation stays within 1 %, open ones included; median of {} "
      "instances\n\n{:<20}{:<16}{:>8}{:>10}{:>8}\n",
      trials, "noise", "solver", "serial", fmt::format("lag {}", lag), "ratio");
  std::vector<std::string> solvers = options.solvers;
  if (solvers.empty()) solvers = {"adaptive-conex", "auto"};
  for (const std::string form : {"additive", "independent"})
    for (const std::string& solver : solvers) {
      const std::string label =
          fmt::format("{} {}", form == "additive" ? "common normal" : "independent normal", solver);
      if (!options.only.empty() && label.find(options.only) == std::string::npos) continue;
      std::vector<double> serial(trials), ahead(trials);
      parallel_for(options.jobs, 2 * trials, [&](std::size_t k) {
        QcqpOptions o;
        o.n = options.reduced ? 10 : 50;
        o.instance = first_qcqp_instance + static_cast<std::int64_t>(k / 2);
        o.noise_form = form;
        Problem problem = qcqp(o);
        problem.spec.lag = k % 2 == 1 ? lag : 0;
        const Competitor competitor{
            solver,
            [&](const Spec& spec, std::uint64_t seed) { return solver_named(solver).make(spec, {}, seed); },
            {}};
        (k % 2 == 1 ? ahead : serial)[k / 2] =
            race(problem, competitor, {options.reduced ? 2000 : 20000, 600, 0.01}, k / 2 + 1).for_good;
      });
      fmt::print("{:<20}{:<16}{:>8}{:>10}{:>8}\n", form == "additive" ? "common normal" : "independent normal", solver,
                 shown_trial(median_trial(serial), 0), shown_trial(median_trial(ahead), 0),
                 ratio_of_trials(median_trial(ahead), median_trial(serial)));
    }
}

// Objective at the recommendation (infinity where it is not feasible) after some evaluations, as in the bench
// constrained-bo.
void print_small_budgets(const BenchOptions& options, std::size_t trials) {
  constexpr int pending = 4;
  const std::vector<int> checkpoints{25, 50, 100};
  fmt::print(
      "\nconstrained-bo: objective at the recommendation, noiseless; median of {} seeds, serial and with {} pending\n\n"
      "{:<12}{:<7}{:<10}",
      trials, pending, "problem", "noise", "solver");
  for (const int c : checkpoints) fmt::print("{:>12}{:>10}{:>7}", fmt::format("at {}", c), "pending", "ratio");
  fmt::print("\n");
  std::vector<std::string> solvers = options.solvers;
  if (solvers.empty()) solvers = {"trust-bo", "auto"};
  for (const std::string name : {"lsq", "gardner-1", "gardner-2", "admmbo-4d"})
    for (const double noise : {0.01, 0.1})
      for (const std::string& solver : solvers) {
        const std::string label = fmt::format("{} {} {}", name, noise, solver);
        if (options.reduced && (name != "lsq" || noise > 0.01)) continue;
        if (!options.only.empty() && label.find(options.only) == std::string::npos) continue;
        std::vector<BoTrial> serial(trials), ahead(trials);
        parallel_for(options.jobs, 2 * trials, [&](std::size_t k) {
          Problem problem = constrained_bo({name, noise, 0});
          problem.spec.lag = k % 2 == 1 ? pending - 1 : 0;
          (k % 2 == 1 ? ahead : serial)[k / 2] = run_bo_trial(problem, solver, {}, 1001 + k / 2, checkpoints);
        });
        fmt::print("{:<12}{:<7}{:<10}", name, noise, solver);
        for (std::size_t c = 0; c < checkpoints.size(); ++c) {
          const auto middle = [&](const std::vector<BoTrial>& trials_of) {
            std::vector<double> values;
            for (const BoTrial& t : trials_of) values.push_back(t.recommended[c]);
            return median_trial(values);
          };
          const double a = middle(serial), b = middle(ahead);
          fmt::print("{:>12}{:>10}{:>7}", shown_trial(a, 4), shown_trial(b, 4), ratio_of_trials(b, a));
        }
        fmt::print("\n");
      }
}

}  // namespace

void bench_lag(const BenchOptions& options) {
  const auto trials = static_cast<std::size_t>(options.reduced ? 1 : options.trials);
  print_evaluations_to_one_percent(options, trials);
  print_small_budgets(options, trials);
}

}  // namespace zeroth
