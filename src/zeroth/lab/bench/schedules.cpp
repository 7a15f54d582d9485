// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/true_error.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t held_out = 500, first_judged = 1000;  // smaller ones were used while building

Settings common_settings() {
  Settings s;
  s["shared_directions"].value = true;
  s["nu"].value = 0.01;
  return s;
}

Settings fixed_settings(double eta, double tau) {
  Settings s = common_settings();
  s["eta"].value = fmt::format("{}*t^0.5", eta);
  s["tau"].value = fmt::format("{}*t^0.5", tau);
  return s;
}

struct ScheduleCell {
  std::int64_t n, m, budget;
  Problem problem(std::int64_t instance) const {
    QcqpOptions o;
    o.n = n;
    o.m = m;
    o.instance = instance;
    return qcqp(o);
  }
};

// max(|gap|, violation) over max(1, |f*|), the median over instances.
std::vector<double> errors(const ScheduleCell& cell, const Settings& settings, std::int64_t instance, std::size_t count,
                           int jobs) {
  std::vector<double> all(count);
  parallel_for(jobs, count, [&](std::size_t k) {
    const Problem problem = cell.problem(instance + static_cast<std::int64_t>(k));
    const double scale = std::max(1.0, std::abs(problem.truth->best_value));
    all[k] = true_error(problem, "conex", settings, cell.budget, k + 1).worst() / scale;
    if (!std::isfinite(all[k])) all[k] = std::numeric_limits<double>::infinity();
  });
  return all;
}

}  // namespace

void bench_schedules(const BenchOptions& o) {
  const auto count = static_cast<std::size_t>(o.reduced ? 2 : std::min<std::int64_t>(o.trials, 20));
  const std::vector<ScheduleCell> cells =
      o.reduced ? std::vector<ScheduleCell>{{5, 1, 1000}}
                : std::vector<ScheduleCell>{{10, 1, 2000}, {10, 1, 20000}, {50, 5, 20000}};
  std::ofstream csv(o.out / "bench-schedules.csv");
  csv << "n,m,budget,steps,instance,error\n";
  fmt::print(
      "conex on random quadratics, normal noise of standard deviation 1 that differences cancel, {} instances;\n"
      "error: max(|gap|, violation) / max(1, |f*|) of the averaged iterate, without noise\n{:>4}{:>4}{:>8}  "
      "{:<28}{:>14}{:>10}\n",
      count, "n", "m", "budget", "steps", "median error", "worst");
  for (const ScheduleCell& cell : cells) {
    double best = std::numeric_limits<double>::infinity(), best_eta = 0, best_tau = 0;
    for (const double eta : {0.3, 1.0, 3.0, 10.0, 30.0, 100.0})
      for (const double tau : {0.3, 1.0, 3.0, 10.0, 30.0, 100.0}) {
        const double e = median(errors(cell, fixed_settings(eta, tau), held_out, o.reduced ? 1 : 5, o.jobs));
        if (e < best) {
          best = e;
          best_eta = eta;
          best_tau = tau;
        }
      }
    Settings theorem = common_settings(), adaptive = common_settings();
    theorem["schedule"].value = std::string("theorem");
    adaptive["schedule"].value = std::string("adaptive");
    const std::vector<std::pair<std::string, Settings>> all{
        {"theorem's constants", theorem},
        {"defaults, 100*t^0.5", common_settings()},
        {fmt::format("tuned, {:g}*t^0.5 and {:g}*t^0.5", best_eta, best_tau), fixed_settings(best_eta, best_tau)},
        {"adaptive", adaptive}};
    for (const auto& [name, settings] : all) {
      const auto e = errors(cell, settings, first_judged, count, o.jobs);
      fmt::print("{:>4}{:>4}{:>8}  {:<28}{:>14.4f}{:>10.4f}\n", cell.n, cell.m, cell.budget, name, median(e),
                 *std::ranges::max_element(e));
      for (std::size_t k = 0; k < e.size(); ++k)
        csv << fmt::format("{},{},{},{},{},{:.6g}\n", cell.n, cell.m, cell.budget, name,
                           first_judged + static_cast<std::int64_t>(k), e[k]);
      std::fflush(stdout);
    }
  }
}

}  // namespace zeroth
