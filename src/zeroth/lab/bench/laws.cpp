// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/bench/law_problems.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/interval.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

constexpr std::uint64_t law_instance = 101;  // not looked at while building

// One run against the truth. Flags are 0 or 1; `said`: 1 feasible, 0 undecided, -1 infeasible.
struct LawCell {
  double score = 0, own = 0, feasible = 0, said = 0;  // own: the score of what the search recommended
  double covered = 0;                                 // the objective's interval holds the truth
  double behind = 0;                  // clearly worse than the start or a point evaluated as often as the check does
  double converged = 0, true_of = 0;  // said to have converged; what could be gained is below the half-width

  std::vector<double> numbers() const { return {score, own, feasible, said, covered, behind, converged, true_of}; }
  static LawCell of(const std::vector<double>& v) { return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}; }
};

// A problem that counts how often each point is evaluated.
struct Counted {
  explicit Counted(const LawProblem& p) : problem(p.problem) {
    problem.oracle = [inner = p.problem.oracle, tally = tally](std::span<const double> x, Rng& noise,
                                                               std::span<double> values) {
      ++(*tally)[std::vector<double>(x.begin(), x.end())];
      inner(x, noise, values);
    };
  }
  std::shared_ptr<std::map<std::vector<double>, std::int64_t>> tally =
      std::make_shared<std::map<std::vector<double>, std::int64_t>>();
  Problem problem;
};

// What the answer is behind by must be beyond the error of its own measurement and a fiftieth of the way from the
// start.
bool clearly_behind(const LawProblem& p, const Result& r, const Counted& counted) {
  constexpr double small = 0.02, errors = 3;
  double best = std::max(1.0, p.score(p.problem.spec.first_point()));
  for (const auto& [x, count] : *counted.tally)
    if (count >= std::max<std::int64_t>(2, r.replicates))
      best = std::min(best, p.score(as_vector(std::span<const double>(x))));
  const double range = p.start_value - p.problem.truth->best_value;
  double error = std::isnan(r.objective.se) ? 0 : r.objective.se / range;
  for (std::size_t i = 0; i < r.constraints.size(); ++i)
    if (!std::isnan(r.constraints[i].value.se)) error = std::max(error, r.constraints[i].value.se / p.ranges[i]);
  return p.score(r.x) > best + small + errors * error;
}

LawCell run_cell(const LawProblem& p, const std::string& solver, std::int64_t budget, std::uint64_t seed) {
  MinimizeOptions o;
  o.solver = solver;
  o.budget = budget;
  o.seed = seed;
  const Counted counted(p);
  const Result r = minimize(counted.problem, o);
  std::vector<double> v(static_cast<std::size_t>(p.problem.spec.functions()));
  p.problem.truth->expected(as_span(r.x), v);
  LawCell cell;
  cell.said = r.feasibility == Feasibility::confirmed ? 1 : r.feasibility == Feasibility::infeasible ? -1 : 0;
  const double rounding = 1e-9 * (1 + std::abs(v[0]));
  const Interval& i = r.objective_interval;
  cell.score = p.score(r.x);
  cell.own = p.score(r.searched);
  cell.feasible = p.feasible(r.x);
  cell.covered = i.low - rounding <= v[0] && v[0] <= i.high + rounding;
  cell.behind = clearly_behind(p, r, counted);
  cell.converged = r.status == Status::converged;
  cell.true_of = cell.converged > 0 && v[0] - p.problem.truth->best_value <= i.half_width() + rounding;
  return cell;
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

// A law and how often it held. Broken where it held so much less often than promised that chance does not explain it:
// two standard errors of the promised share.
struct Law {
  std::string text;
  double promised = 1;
  double held = 0, of = 0;

  void count(bool holds) {
    held += holds;
    ++of;
  }
  bool broken() const {
    if (of == 0) return false;
    return held / of < promised - 2 * std::sqrt(promised * (1 - promised) / of) - 1e-12;
  }
};

class LawBook {
 public:
  LawBook(const BenchOptions& options, std::string solver)
      : options_(options),
        solver_(std::move(solver)),
        ledger_(options.out / "laws.csv", {"problem", "instance", "solver", "budget", "seed"},
                {"score", "own", "feasible", "said", "covered", "behind", "converged", "true_of"}) {}

  void ladder(const std::vector<std::int64_t>& budgets, std::uint64_t instances, std::size_t seeds);
  void noises(std::int64_t budget, std::size_t runs);
  void units(std::int64_t budget);
  int finish();

 private:
  std::vector<LawCell> cells(const LawProblem& p, const std::string& instance, std::int64_t budget, std::size_t seeds);
  void count(const LawCell& c);
  bool wanted(const std::string& name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }

  const BenchOptions& options_;
  std::string solver_;
  Ledger ledger_;
  // What a step of the ladder may do by chance: beyond three standard errors once in 700 steps.
  Law rises_{"more evaluations do not make the median worse", 1 - 1.0 / 700};
  Law behind_{"the answer is not clearly worse than the start or a point evaluated as often", 0.99};
  Law feasible_{"answers said to be feasible are", 0.95}, infeasible_{"answers said to be infeasible are", 0.9};
  Law covered_{"intervals of the objective hold the truth", 0.95};
  Law converged_{"where the run says 'converged', less than the half-width could be gained", 0.95};
  Law wide_{"intervals are at most twice as wide as for a fixed sample size", 0.99};
  Law units_{"the status does not hang on units", 0.99};
  int broken_ = 0;
};

std::vector<LawCell> LawBook::cells(const LawProblem& p, const std::string& instance, std::int64_t budget,
                                    std::size_t seeds) {
  std::vector<LawCell> found(seeds);
  parallel_for(options_.jobs, seeds, [&](std::size_t k) {
    const Ledger::Key key{p.name, instance, solver_, std::to_string(budget), std::to_string(k + 1)};
    if (const auto known = ledger_.find(key)) {
      found[k] = LawCell::of(*known);
      return;
    }
    found[k] = run_cell(p, solver_, budget, k + 1);
    ledger_.add(key, found[k].numbers());
  });
  return found;
}

void LawBook::count(const LawCell& c) {
  if (c.said > 0) feasible_.count(c.feasible > 0);
  if (c.said < 0) infeasible_.count(c.feasible == 0);
  if (c.converged > 0) converged_.count(c.true_of > 0);
  covered_.count(c.covered > 0);
  behind_.count(c.behind == 0);
}

void LawBook::ladder(const std::vector<std::int64_t>& budgets, std::uint64_t instances, std::size_t seeds) {
  fmt::print(
      "{}: median true score of the checked answer (0 the optimum, 1 the start) over {} seeds, in brackets that of the "
      "search's own point; ! where more evaluations made it worse\n\n"
      "{:<18}",
      solver_, seeds, "");
  for (const auto budget : budgets) fmt::print("{:>17}", budget);
  fmt::print("\n");
  for (std::uint64_t instance = law_instance; instance < law_instance + instances; ++instance)
    for (const LawProblem& p : law_problems(instance)) {
      if (!wanted(p.name)) continue;
      fmt::print("{:<18}", fmt::format("{} {}", p.name, instance));
      double before = infinity, error_before = 0;
      for (const auto budget : budgets) {
        std::vector<double> scores, own;
        for (const LawCell& c : cells(p, std::to_string(instance), budget, seeds)) {
          scores.push_back(c.score);
          own.push_back(c.own);
          count(c);
        }
        const double now = middle(scores), error = error_of_median(scores);
        const bool rose = now > before + 3 * std::hypot(error, error_before) + 0.005;
        if (std::isfinite(before)) rises_.count(!rose);
        fmt::print("{:>17}", fmt::format("{}{:.4f} ({:.3f})", rose ? "!" : "", now, middle(own)));
        std::fflush(stdout);
        before = now;
        error_before = error;
      }
      fmt::print("\n");
    }
  fmt::print("\n");
}

// Every kind of noise on one problem, many runs: what is claimed of the answer, and how wide its interval is.
void LawBook::noises(std::int64_t budget, std::size_t runs) {
  constexpr std::int64_t enough = 50;  // evaluations, from which on intervals are meant to be narrow
  for (const LawProblem& p : noise_problems(law_instance)) {
    if (!wanted(p.name)) continue;
    Law feasible{"", 0.95}, infeasible{"", 0.9}, covered{"", 0.95};
    for (const LawCell& c : cells(p, "noise", budget, runs)) {
      count(c);
      if (c.said > 0) feasible.count(c.feasible > 0);
      if (c.said < 0) infeasible.count(c.feasible == 0);
      covered.count(c.covered > 0);
    }
    for (const std::int64_t n : {enough, 2 * enough, 10 * enough}) {
      const boost::math::students_t t(static_cast<double>(n - 1));
      const MeanSequence sequence = MeanSequence::planned_for(n);
      wide_.count(sequence.half_width(n) <= 2 * boost::math::quantile(t, 0.975) / std::sqrt(static_cast<double>(n)));
    }
    fmt::print("{:<24} {:>5} runs: covered {:.1f} %; said feasible {:.0f}, truly {:.1f} %; said infeasible {:.0f}{}\n",
               p.name, runs, 100 * covered.held / std::max(1.0, covered.of), feasible.of,
               100 * feasible.held / std::max(1.0, feasible.of), infeasible.of,
               covered.broken() || feasible.broken() || infeasible.broken() ? "  BROKEN" : "");
    for (const Law& law : {feasible, infeasible, covered}) broken_ += law.broken();
  }
  fmt::print("\n");
}

struct LawUnits {
  const char* name;
  double objective = 1, shift = 0, constraints = 1, variables = 1;
};

Problem in_law_units(const Problem& p, const LawUnits& u) {
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

// Factors that are no powers of two round differently, so that a search may go another way: what the run says of its
// answer must be the same all the same.
void LawBook::units(std::int64_t budget) {
  const LawUnits units[]{
      {"f x 1000", 1000}, {"f + 10^6", 1, 1e6}, {"g x 10^-6", 1, 0, 1e-6}, {"x x 10^6", 1, 0, 1, 1e6}};
  std::vector<LawProblem> problems;
  for (LawProblem& p : law_problems(law_instance))
    if (p.problem.spec.integer.empty() && wanted(p.name)) problems.push_back(std::move(p));
  std::vector<std::string> plain(problems.size());
  std::vector<std::string> changed(problems.size() * std::size(units));
  const auto status = [&](const Problem& problem) {
    MinimizeOptions o;
    o.solver = solver_;
    o.budget = budget;
    return to_string(minimize(problem, o).status);
  };
  parallel_for(options_.jobs, problems.size(), [&](std::size_t k) { plain[k] = status(problems[k].problem); });
  parallel_for(options_.jobs, changed.size(), [&](std::size_t k) {
    changed[k] = status(in_law_units(problems[k / std::size(units)].problem, units[k % std::size(units)]));
  });
  for (std::size_t k = 0; k < changed.size(); ++k) {
    const std::size_t p = k / std::size(units);
    units_.count(changed[k] == plain[p]);
    if (changed[k] != plain[p])
      fmt::print("{:<18} {:<12} {} instead of {}\n", problems[p].name, units[k % std::size(units)].name, changed[k],
                 plain[p]);
  }
}

int LawBook::finish() {
  ledger_.sort();
  for (const Law& law : {rises_, behind_, feasible_, infeasible_, covered_, converged_, wide_, units_}) {
    if (law.of == 0) continue;
    broken_ += law.broken();
    fmt::print("{:<78} {:>6.0f} of {:<6.0f} {:.1f} %, promised {:.1f} %{}\n", law.text, law.held, law.of,
               100 * law.held / law.of, 100 * law.promised, law.broken() ? "  BROKEN" : "");
  }
  return broken_;
}

}  // namespace

void bench_laws(const BenchOptions& options) {
  // A sample is of the present solvers, whatever a ledger remembers.
  if (options.quick) std::filesystem::remove(options.out / "laws.csv");
  LawBook book(options, options.solvers.empty() ? "auto" : options.solvers.front());
  const auto seeds = static_cast<std::size_t>(options.trials);
  if (options.quick) {
    book.ladder({100, 300}, 1, 5);
    book.noises(100, 40);
    book.units(60);
  } else if (options.reduced) {
    book.ladder({100, 300, 1000}, 1, 5);
    book.noises(100, 100);
    book.units(100);
  } else {
    book.ladder({100, 300, 1000, 3000, 10000}, 3, seeds);
    book.noises(100, 1000);
    book.units(300);
  }
  if (const int broken = book.finish(); broken > 0)
    throw std::runtime_error(fmt::format("{} of the laws above did not hold", broken));
}

}  // namespace zeroth
