// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/equalities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/problems/hock_schittkowski.hpp"
#include "zeroth/report/statistics.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {
namespace {

constexpr std::uint64_t first_equality_seed = 1001;  // smaller ones were used while building

std::vector<EqualityTrial> trials_of(const Problem& problem, const std::string& solver, std::int64_t budget,
                                     std::size_t count, int jobs) {
  std::vector<EqualityTrial> trials(count);
  parallel_for(jobs, count, [&](std::size_t k) {
    trials[k] = run_with_equalities(problem, solver, budget, first_equality_seed + k);
  });
  return trials;
}

double violation_at(const Problem& problem, const Vector& x) {
  std::vector<double> f(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(x), f);
  double worst = 0;
  for (std::size_t i = 1; i < f.size(); ++i)
    worst = std::max(worst, static_cast<Index>(i) <= problem.spec.constraints ? f[i] : std::abs(f[i]));
  return worst;
}

bool solved(const EqualityTrial& t, const Problem& problem) {
  return std::abs(t.gap) <= 0.01 * std::max(1.0, std::abs(problem.truth->best_value)) &&
         t.violation <= equality_tolerance;
}

void hock_schittkowski_table(const BenchOptions& o, const std::vector<std::string>& solvers, std::ofstream& csv) {
  const auto count = static_cast<std::size_t>(o.reduced ? 1 : std::min<std::int64_t>(o.trials, 20));
  const auto numbers = o.reduced ? std::vector<int>{28, 71} : hock_schittkowski_equality_numbers();
  fmt::print(
      "Hock-Schittkowski problems with equalities: 2000 evaluations, noise 0.1 %, {} seeds.\n"
      "solved: |f - f*| at most 1 % of max(1, |f*|), every |h| and f_i at most {}, both without noise\n",
      count, equality_tolerance);
  for (const std::string& solver : solvers)
    for (const bool two_sided : {false, true}) {
      double total = 0, met = 0, stated = 0;
      fmt::print("{}{}\n", solver, two_sided ? ", every equality as two inequalities" : "");
      for (const int number : numbers) {
        Problem original = hock_schittkowski({number, 0.001});
        original.spec.equality_tolerance = Vector::Constant(original.spec.equalities, equality_tolerance);
        const Problem problem = two_sided ? as_inequalities(original, equality_tolerance) : original;
        double here = 0;
        std::vector<double> gap, violation;
        for (const EqualityTrial& t : trials_of(problem, solver, 2000, count, o.jobs)) {
          EqualityTrial judged = t;  // by the original's functions, whatever was solved
          judged.violation = violation_at(original, t.result.x);
          const bool ok = solved(judged, original);
          here += ok;
          stated += probability_all_feasible(t.result);
          met += judged.violation <= equality_tolerance;
          gap.push_back(std::abs(t.gap));
          violation.push_back(judged.violation);
          csv << fmt::format("hs{},{},{},{:.6g},{:.6g},{}\n", number, solver, two_sided ? "inequalities" : "equalities",
                             t.gap, judged.violation, to_string(t.result.status));
        }
        total += here;
        fmt::print("  hs{:<4} solved {:>2}/{}  median |gap| {:>9.5f}  median violation {:>9.6f}\n", number, here, count,
                   median(gap), median(violation));
        std::fflush(stdout);
      }
      const double all = static_cast<double>(count * numbers.size());
      fmt::print("  solved {:.1f} %, within the tolerance {:.1f} %, stated probability on average {:.1f} %\n",
                 100 * total / all, 100 * met / all, 100 * stated / all);
    }
}

void picheny_table(const BenchOptions& o, const std::vector<std::string>& solvers, std::ofstream& csv) {
  const auto count = static_cast<std::size_t>(o.reduced ? 1 : std::min<std::int64_t>(o.trials, 10));
  fmt::print(
      "\nPicheny's problems with equalities, exact answers, {} seeds; solved: f - f* at most 0.05 and violation at "
      "most {},\nwhich allows f to lie below f*\n{:<8}{:>8}  {:<16}{:>8}{:>14}{:>18}\n",
      count, equality_tolerance, "problem", "budget", "solver", "solved", "median f - f*", "median violation");
  for (const auto& [name, budget] : {std::pair<std::string, std::int64_t>{"lah", 100}, {"gsbp", 150}})
    for (const std::string& solver : solvers) {
      ConstrainedBoOptions options;
      options.problem = name;
      Problem problem = constrained_bo(options);
      problem.spec.equality_tolerance = Vector::Constant(problem.spec.equalities, equality_tolerance);
      std::vector<double> gap, violation;
      int good = 0;
      for (const EqualityTrial& t : trials_of(problem, solver, o.reduced ? 40 : budget, count, o.jobs)) {
        good += t.gap <= 0.05 && t.violation <= equality_tolerance;
        gap.push_back(t.gap);
        violation.push_back(t.violation);
        csv << fmt::format("{},{},equalities,{:.6g},{:.6g},{}\n", name, solver, t.gap, t.violation,
                           to_string(t.result.status));
      }
      fmt::print("{:<8}{:>8}  {:<16}{:>5}/{:<2}{:>14.5f}{:>18.6f}\n", name, o.reduced ? 40 : budget, solver, good,
                 count, median(gap), median(violation));
      std::fflush(stdout);
    }
}

}  // namespace

EqualityTrial run_with_equalities(const Problem& problem, const std::string& solver, std::int64_t budget,
                                  std::uint64_t seed) {
  Spec spec = problem.spec;
  RunRequest request;
  spec.plan_for(budget, request.check_share);
  request.solver = solver;
  request.budget = budget;
  request.seed = seed;
  const auto engine = serial_engine(problem);
  EqualityTrial trial;
  trial.result = run(spec, solver_named(solver).make(spec, {}, seed), *engine, request);
  std::vector<double> f(static_cast<std::size_t>(spec.functions()));
  problem.truth->expected(as_span(trial.result.x), f);
  trial.gap = f[0] - problem.truth->best_value;
  trial.violation = violation_at(problem, trial.result.x);
  return trial;
}

Problem as_inequalities(Problem problem, double tolerance) {
  const auto m = static_cast<std::size_t>(problem.spec.constraints),
             q = static_cast<std::size_t>(problem.spec.equalities);
  const auto split = [m, q, tolerance](std::span<const double> f, std::span<double> out) {
    std::copy_n(f.begin(), 1 + m, out.begin());
    for (std::size_t j = 0; j < q; ++j) {
      out[1 + m + 2 * j] = f[1 + m + j] - tolerance;
      out[2 + m + 2 * j] = -f[1 + m + j] - tolerance;
    }
  };
  problem.spec.constraints += 2 * problem.spec.equalities;
  problem.spec.equalities = 0;
  problem.spec.equality_tolerance.resize(0);
  problem.oracle = [inner = problem.oracle, m, q, split](std::span<const double> x, Rng& noise,
                                                         std::span<double> values) {
    std::vector<double> f(1 + m + q);
    inner(x, noise, f);
    split(f, values);
  };
  problem.truth->expected = [inner = problem.truth->expected, m, q, split](std::span<const double> x,
                                                                           std::span<double> values) {
    std::vector<double> f(1 + m + q);
    inner(x, f);
    split(f, values);
  };
  return problem;
}

void bench_equalities(const BenchOptions& options) {
  std::ofstream csv(options.out / "bench-equalities.csv");
  csv << "problem,solver,form,gap,violation,status\n";
  const auto chosen = [&](std::vector<std::string> own) { return options.solvers.empty() ? own : options.solvers; };
  if (options.only.empty() || options.only == "hock-schittkowski")
    hock_schittkowski_table(options, chosen({"adaptive-conex"}), csv);
  if (options.only.empty() || options.only == "picheny")
    picheny_table(options, chosen({"albo", "slack-al", "trust-bo", "auto", "random"}), csv);
}

}  // namespace zeroth
