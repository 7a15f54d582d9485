// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

constexpr double cost_of_objective = 100, cost_of_constraint = 1;
constexpr double tolerance = 0.01;  // of the objective's range between the optimum and the start

struct Spent {
  double until_good = std::numeric_limits<double>::infinity();  // from then on the recommendation stayed good
  double objective_share = 0;                                   // of the questions, those that asked for the objective
};

// Whether a recommendation keeps its constraints and is within the tolerance of the optimum, without noise.
bool good(const Problem& problem, const Vector& x, double scale) {
  std::vector<double> values(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(x), values);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > tolerance) return false;
  return values[0] - problem.truth->best_value <= tolerance * scale;
}

Spent spent_by(Problem problem, const std::string& solver, bool apart, std::int64_t evaluations, std::uint64_t seed) {
  std::vector<double> at_start(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(problem.spec.first_point()), at_start);
  const double scale = std::max(std::abs(at_start[0] - problem.truth->best_value), 1e-3);
  Vector cost = Vector::Constant(problem.spec.functions(), cost_of_constraint);
  cost[0] = cost_of_objective;
  if (apart) problem.spec.cost = cost;
  RunPlan plan =
      unchecked(apart ? static_cast<std::int64_t>(static_cast<double>(evaluations) * cost.sum()) : evaluations);
  plan.cost = problem.spec.cost;
  problem.spec.plan_for(evaluations, 0);
  RunState run(problem.spec, solver_named(solver).make(problem.spec, {}, seed), plan);
  Spent out;
  std::int64_t with_objective = 0;
  double before = 0;
  while (!run.done()) {
    answer_batch(run, [&](const Query& q) {
      with_objective += q.wants(0);
      return evaluate_once(problem, q);
    });
    const double now = apart ? run.spent() : run.spent() * cost.sum();
    if (!good(problem, run.recommended(), scale)) out.until_good = std::numeric_limits<double>::infinity();
    else if (std::isinf(out.until_good)) out.until_good = now;
    before = now;
  }
  // Good at the very end only proves little.
  if (out.until_good > 0.95 * before) out.until_good = std::numeric_limits<double>::infinity();
  out.objective_share =
      static_cast<double>(with_objective) / std::max<double>(1, static_cast<double>(run.evaluations()));
  return out;
}

}  // namespace

void bench_costs(const BenchOptions& options) {
  const auto trials = static_cast<std::size_t>(options.reduced ? 2 : options.trials);
  const std::int64_t evaluations = options.reduced ? 25 : 150;
  std::vector<std::string> solvers = options.solvers;
  if (solvers.empty()) solvers = {"auto", "trust-bo"};
  fmt::print(
      "each constraint costs {}, the objective {}; units spent until the recommendation stays feasible and within {} "
      "%\n"
      "of the start's distance from the optimum; median of {} seeds, budget {} evaluations of everything\n\n",
      cost_of_constraint, cost_of_objective, 100 * tolerance, trials, evaluations);
  fmt::print("{:<11}{:<7}{:<10}{:>11}{:>10}{:>9}{:>19}\n", "problem", "noise", "solver", "together", "apart", "ratio",
             "objective asked");
  for (const std::string name : {"gardner-2", "lsq", "herbie", "branin", "gardner-1", "admmbo-4d"})
    for (const double noise : {0.0, 0.01}) {
      if (options.reduced && (name != "gardner-2" || noise > 0)) continue;
      const std::string label = fmt::format("{} {}", name, noise);
      if (!options.only.empty() && label.find(options.only) == std::string::npos) continue;
      const Problem problem = constrained_bo({name, noise, 0});
      for (const std::string& solver : solvers) {
        std::vector<double> together(trials), apart(trials), share(trials);
        parallel_for(options.jobs, 2 * trials, [&](std::size_t k) {
          const std::size_t t = k / 2;
          const Spent s = spent_by(problem, solver, k % 2 == 1, evaluations, 1001 + t);
          (k % 2 == 1 ? apart : together)[t] = s.until_good;
          if (k % 2 == 1) share[t] = s.objective_share;
        });
        const auto median = [](std::vector<double> v) {
          std::ranges::sort(v);
          return v[v.size() / 2];
        };
        const double a = median(together), b = median(apart);
        const auto shown = [](double v) { return std::isinf(v) ? std::string("-") : fmt::format("{:.0f}", v); };
        fmt::print("{:<11}{:<7}{:<10}{:>11}{:>10}{:>9}{:>18.0f}%\n", name, noise, solver, shown(a), shown(b),
                   std::isfinite(a) && std::isfinite(b) ? fmt::format("{:.2f}", a / b) : std::string("-"),
                   100 * median(share));
      }
    }
}

}  // namespace zeroth
