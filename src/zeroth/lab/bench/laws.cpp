// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/bench/law_problems.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

struct LawCell {
  double score = 0, feasible = 0, said = 0, covered = 0;  // said: 1 feasible, 0 undecided, -1 infeasible
};

LawCell run_cell(const LawProblem& p, const std::string& solver, std::int64_t budget, std::uint64_t seed) {
  MinimizeOptions o;
  o.solver = solver;
  o.budget = budget;
  o.seed = seed;
  const Result r = minimize(p.problem, o);
  std::vector<double> v(static_cast<std::size_t>(p.problem.spec.functions()));
  p.problem.truth->expected(as_span(r.x), v);
  const double said = r.feasibility == Feasibility::confirmed ? 1 : r.feasibility == Feasibility::infeasible ? -1 : 0;
  const double rounding = 1e-9 * (1 + std::abs(v[0]));
  return {p.score(r.x), p.feasible(r.x) ? 1.0 : 0.0, said,
          r.objective_interval.low - rounding <= v[0] && v[0] <= r.objective_interval.high + rounding ? 1.0 : 0.0};
}

double middle(std::vector<double> v) {
  std::ranges::sort(v);
  const std::size_t n = v.size();
  return n == 0 ? std::nan("") : n % 2 == 1 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

// Half of the range of the middle half, over sqrt(n): about a standard error of the median, without outliers' help.
double error_of_median(std::vector<double> v) {
  std::ranges::sort(v);
  const std::size_t n = v.size();
  return 1.25 * (v[n - 1 - n / 4] - v[n / 4]) / 1.35 / std::sqrt(static_cast<double>(n));
}

struct Units {
  const char* name;
  double objective = 1, shift = 0, constraints = 1, variables = 1;
};

Problem in_units(const Problem& p, const Units& u) {
  Problem q = p;
  const Box bounds = p.spec.domain.bounds();
  q.spec.domain = Domain::box(u.variables * bounds.lower, u.variables * bounds.upper);
  q.spec.start = u.variables * p.spec.start;
  q.oracle = [inner = p.oracle, u](std::span<const double> x, Rng& noise, std::span<double> values) {
    const Vector own = as_vector(x) / u.variables;
    inner(as_span(own), noise, values);
    values[0] = u.objective * values[0] + u.shift;
    for (std::size_t i = 1; i < values.size(); ++i) values[i] *= u.constraints;
  };
  return q;
}

int broken_unit_laws(const std::vector<LawProblem>& problems, const std::string& solver, std::int64_t budget) {
  const Units units[]{{"f x 1000", 1000},
                      {"f + 10^6", 1, 1e6},
                      {"g x 10^-6", 1, 0, 1e-6},
                      {"x x 2^20", 1, 0, 1, 0x1p20},
                      {"f x 2^10, g x 2^-20", 1024, 0, 0x1p-20}};
  int broken = 0;
  for (const LawProblem& p : problems) {
    if (!p.problem.spec.integer.empty()) continue;
    MinimizeOptions o;
    o.solver = solver;
    o.budget = budget;
    const Result plain = minimize(p.problem, o);
    for (const Units& u : units) {
      const Result r = minimize(in_units(p.problem, u), o);
      if (r.feasibility == plain.feasibility) continue;
      ++broken;
      fmt::print("  {:<16} {:<20} {} instead of {}\n", p.name, u.name, to_string(r.feasibility),
                 to_string(plain.feasibility));
    }
  }
  return broken;
}

}  // namespace

void bench_laws(const BenchOptions& options) {
  const std::string solver = options.solvers.empty() ? "auto" : options.solvers.front();
  const std::vector<std::int64_t> ladder =
      options.reduced ? std::vector<std::int64_t>{100, 300} : std::vector<std::int64_t>{100, 300, 1000, 3000, 10000};
  const std::uint64_t instances = options.reduced ? 1 : 3;
  const auto seeds = static_cast<std::size_t>(options.reduced ? 5 : options.trials);
  constexpr std::uint64_t first_instance = 101;  // not seen while building
  Ledger ledger(options.out / "laws.csv", {"problem", "instance", "solver", "budget", "seed"},
                {"score", "feasible", "said", "covered"});
  fmt::print(
      "{}: median true score (0 the optimum, 1 the start) over {} seeds; ! where more evaluations made it worse\n\n"
      "{:<18}",
      solver, seeds, "");
  for (const auto budget : ladder) fmt::print("{:>12}", budget);
  fmt::print("\n");
  int rises = 0, worse_than_start = 0;
  double said_feasible = 0, truly = 0, said_infeasible = 0, truly_not = 0, covered = 0, all = 0;
  for (std::uint64_t instance = first_instance; instance < first_instance + instances; ++instance)
    for (const LawProblem& p : law_problems(instance)) {
      if (!options.only.empty() && p.name.find(options.only) == std::string::npos) continue;
      fmt::print("{:<18}", fmt::format("{} {}", p.name, instance));
      double before = infinity, error_before = 0;
      for (const auto budget : ladder) {
        std::vector<LawCell> cells(seeds);
        parallel_for(options.jobs, seeds, [&](std::size_t k) {
          const Ledger::Key key{p.name, std::to_string(instance), solver, std::to_string(budget),
                                std::to_string(k + 1)};
          if (const auto known = ledger.find(key)) {
            cells[k] = {(*known)[0], (*known)[1], (*known)[2], (*known)[3]};
            return;
          }
          cells[k] = run_cell(p, solver, budget, k + 1);
          ledger.add(key, {cells[k].score, cells[k].feasible, cells[k].said, cells[k].covered});
        });
        std::vector<double> scores;
        for (const LawCell& c : cells) {
          scores.push_back(c.score);
          said_feasible += c.said > 0;
          truly += c.said > 0 && c.feasible > 0;
          said_infeasible += c.said < 0;
          truly_not += c.said < 0 && c.feasible == 0;
          covered += c.covered;
          ++all;
        }
        const double now = middle(scores), error = error_of_median(scores);
        const bool rose = now > before + 2 * std::hypot(error, error_before) + 0.005;
        rises += rose;
        worse_than_start += now > 1 + 2 * error;
        fmt::print("{:>12}", fmt::format("{}{:.4f}", rose ? "!" : "", now));
        before = now;
        error_before = error;
      }
      fmt::print("\n");
    }
  fmt::print("\nladder: {} rises; worse than the start: {}\n", rises, worse_than_start);
  fmt::print(
      "said feasible {:.0f}, of these truly {:.1f} %; said infeasible {:.0f}, of these truly {:.1f} %; intervals of "
      "the "
      "objective cover {:.1f} % of {:.0f}\n",
      said_feasible, 100 * truly / std::max(1.0, said_feasible), said_infeasible,
      100 * truly_not / std::max(1.0, said_infeasible), 100 * covered / all, all);
  fmt::print("units: the verdict changed in {} cases\n",
             broken_unit_laws(law_problems(first_instance), solver, options.reduced ? 100 : 300));
  ledger.sort();
}

}  // namespace zeroth
