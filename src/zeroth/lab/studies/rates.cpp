// SPDX-License-Identifier: MIT
//
// `zeroth reproduce rates`: Algorithm 1 with the settings of Theorem 3.1 on the wedge problem, whose constants do not
// change with n and m. Three questions: does the error fall as T^(-1/2); does it stay below (1.61) and (1.62); do the
// calls to reach an accuracy grow linearly in n and in m?
//
// The theorem fixes its steps from T, so every T is a run of its own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/studies/reproduce.hpp"
#include "zeroth/problems/wedge.hpp"
#include "zeroth/report/figure.hpp"
#include "zeroth/report/statistics.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/solvers/conex/theorem.hpp"

namespace zeroth {
namespace {

struct Errors {
  std::vector<double> gap, violation;  // per trial
};

Errors run_trials(const Problem& problem, std::int64_t T, std::int64_t trials, int jobs) {
  Errors errors;
  errors.gap.resize(static_cast<std::size_t>(trials));
  errors.violation.resize(static_cast<std::size_t>(trials));
  parallel_for(jobs, static_cast<std::size_t>(trials), [&](std::size_t k) {
    Settings settings;
    settings["schedule"].value = std::string("theorem");
    settings["iterations"].value = T;
    RunRequest request;
    request.budget = std::numeric_limits<std::int64_t>::max();
    request.check_share = 0;
    const auto engine = serial_engine(problem);
    const Result result =
        run(problem.spec, solver_named("conex").make(problem.spec, settings, k + 1), *engine, request);
    std::vector<double> f(static_cast<std::size_t>(problem.spec.functions()));
    problem.truth->expected(as_span(result.x), f);
    double squares = 0;
    for (std::size_t i = 1; i < f.size(); ++i) squares += std::pow(std::max(0.0, f[i]), 2);
    errors.gap[k] = f[0] - problem.truth->best_value;
    errors.violation[k] = std::sqrt(squares);
  });
  return errors;
}

Problem instance(std::int64_t n, std::int64_t m) {
  WedgeOptions options;
  options.n = n;
  options.m = m;
  return wedge(options);
}

void say(const ReproduceOptions& o, const std::string& line) {
  if (o.progress) o.progress(line);
}

std::ofstream open_csv(const ReproduceOptions& o, const std::string& name, const std::string& header) {
  std::ofstream file(o.out / name);
  if (!file)
    throw Error("cannot write " + (o.out / name).string() + "; give a directory that can be written with --out");
  file << header << "\n";
  return file;
}

// --- error against T ------------------------------------------------------------------------------------------------

std::string error_against_T(const ReproduceOptions& o, std::int64_t trials, std::vector<Panel>& panels) {
  const Problem problem = instance(5, 1);
  const double first = o.smoke ? 1e3 : 1e4, last = o.smoke ? 1e5 : o.full ? 1e8 : 1e7;
  auto csv = open_csv(o, "rates-T.csv", "T,trials,gap,gap_se,gap_bound,violation,violation_se,violation_bound");
  std::string table = fmt::format(
      "Error of the averaged iterate against T (n = 5, m = 1, {} trials, theorem's settings)\n"
      "{:>10} {:>22} {:>10} {:>22} {:>10}\n",
      trials, "T", "E gap", "(1.61)", "E violation", "(1.62)");
  Series gap{.name = "|E gap|", .points = true}, violation{.name = "E violation", .points = true};
  Series gap_bound{.name = "bound (1.61)", .dashed = true}, violation_bound{.name = "bound (1.62)", .dashed = true};
  std::vector<double> log_T, log_gap, log_T_violation, log_violation;
  bool below = true;
  for (double exponent = std::log10(first); exponent <= std::log10(last) + 1e-9; exponent += 0.5) {
    const auto T = static_cast<std::int64_t>(std::llround(std::pow(10, exponent)));
    say(o, fmt::format("rates: T = {}", T));
    const Errors e = run_trials(problem, T, trials, o.jobs);
    const TheoremPlan plan = plan_for_iterations(*problem.spec.constants, 5, static_cast<double>(T));
    const Moments g = moments(e.gap), v = moments(e.violation);
    below = below && g.mean <= plan.objective_bound && v.mean <= plan.violation_bound;
    csv << fmt::format("{},{},{:.9g},{:.3g},{:.9g},{:.9g},{:.3g},{:.9g}\n", T, trials, g.mean, g.se,
                       plan.objective_bound, v.mean, v.se, plan.violation_bound);
    table += fmt::format("{:>10} {:>12.5f} +- {:<7.5f} {:>9.3g} {:>12.5f} +- {:<7.5f} {:>9.3g}\n", T, g.mean, g.se,
                         plan.objective_bound, v.mean, v.se, plan.violation_bound);
    const double t = static_cast<double>(T);
    const auto mark = [t](Series& s, const Moments& m) {
      s.x.push_back(t);
      s.y.push_back(std::abs(m.mean));
      s.lower.push_back(std::max(std::abs(m.mean) - 2 * m.se, 1e-3 * std::abs(m.mean)));
      s.upper.push_back(std::abs(m.mean) + 2 * m.se);
    };
    mark(gap, g);
    log_T.push_back(std::log(t));
    log_gap.push_back(std::log(std::abs(g.mean)));
    if (v.mean > 0) {
      mark(violation, v);
      log_T_violation.push_back(std::log(t));
      log_violation.push_back(std::log(v.mean));
    }
    gap_bound.x.push_back(t);
    gap_bound.y.push_back(plan.objective_bound);
    violation_bound.x.push_back(t);
    violation_bound.y.push_back(plan.violation_bound);
  }
  const Line slope = fit_line(log_T, log_gap);
  table +=
      fmt::format("slope of the gap in log-log: {:.3f}, 95 % interval [{:.3f}, {:.3f}]; predicted -0.5 or steeper\n",
                  slope.slope, slope.lower, slope.upper);
  if (log_T_violation.size() > 3) {
    // The violation rises while the multiplier is still short of y*, and only then falls: the rate is that of the fall.
    const auto peak = static_cast<std::size_t>(std::ranges::max_element(log_violation) - log_violation.begin());
    const std::span<const double> x(log_T_violation), y(log_violation);
    if (x.size() - peak > 2) {
      const Line fall = fit_line(x.subspan(peak), y.subspan(peak));
      table +=
          fmt::format("slope of the violation past its peak at T = {:.0f}: {:.3f}, 95 % interval [{:.3f}, {:.3f}]\n",
                      std::exp(x[peak]), fall.slope, fall.lower, fall.upper);
    }
  }
  table += fmt::format("measured errors below both bounds at every T: {}\n", below ? "yes" : "NO");
  Series guide{.name = "slope -1/2", .x = {first, last}, .dashed = true};
  guide.y = {gap.y.front(), gap.y.front() * std::sqrt(first / last)};
  panels.push_back({"Error against T, Theorem 3.1's settings",
                    "T",
                    "error",
                    true,
                    true,
                    {gap, violation, gap_bound, violation_bound, guide}});
  return table;
}

// --- calls to an accuracy against n or m ----------------------------------------------------------------------------

// The T at which the mean error max(E gap, E violation) passes epsilon, by log-log interpolation on a grid of T.
struct Crossing {
  double T = 0, se = 0;  // se of log T
};

Crossing iterations_to(const Problem& problem, double epsilon, std::int64_t trials, int jobs) {
  double T_before = 0, error_before = 0;
  for (double T = 1e3; T < 1e9; T *= std::sqrt(10.0)) {
    const Errors e = run_trials(problem, std::llround(T), trials, jobs);
    const Moments g = moments(e.gap), v = moments(e.violation);
    const Moments worst = g.mean > v.mean ? g : v;
    if (worst.mean <= epsilon && T_before > 0) {
      const double slope = std::log(worst.mean / error_before) / std::log(T / T_before);
      const double log_T = std::log(T) + std::log(epsilon / worst.mean) / slope;
      return {std::exp(log_T), worst.se / worst.mean / std::abs(slope)};
    }
    T_before = T;
    error_before = worst.mean;
  }
  throw Error(fmt::format("the error is still above {} after 10^9 iterations", epsilon));
}

std::string growth(const ReproduceOptions& o, const std::string& letter, const std::vector<std::int64_t>& sizes,
                   double epsilon, std::int64_t trials, std::vector<Panel>& panels) {
  const bool in_n = letter == "n";
  auto csv = open_csv(o, "rates-" + letter + ".csv", letter + ",iterations,calls,se_log,predicted_calls");
  std::string table = fmt::format(
      "\nCalls of single functions until max(E gap, E violation) <= {}, against {} ({})\n"
      "{:>6} {:>12} {:>14} {:>16} {:>18}\n",
      epsilon, letter, in_n ? "m = 1" : "n = 10", letter, "iterations", "calls", "ratio to first", "linear growth");
  Series measured{.name = "measured", .points = true}, predicted{.name = "linear growth", .dashed = true};
  std::vector<double> log_size, log_calls;
  double first_calls = 0, first_size = 0;
  for (const std::int64_t size : sizes) {
    say(o, fmt::format("rates: {} = {}", letter, size));
    const Problem problem = in_n ? instance(size, 1) : instance(10, size);
    const Crossing c = iterations_to(problem, epsilon, trials, o.jobs);
    const double m = static_cast<double>(problem.spec.constraints);
    const double calls = c.T * (4 * m + 2);
    // (m+1) n of the theorem, with the lower-order constants its proof carries: n + 4 and (4m + 2).
    const double linear = in_n ? static_cast<double>(size) + 4 : 4 * m + 2;
    if (first_calls == 0) {
      first_calls = calls;
      first_size = linear;
    }
    const double expected = first_calls * linear / first_size;
    csv << fmt::format("{},{:.0f},{:.0f},{:.3g},{:.0f}\n", size, c.T, calls, c.se, expected);
    table += fmt::format("{:>6} {:>12.0f} {:>14.0f} {:>16.2f} {:>18.2f}\n", size, c.T, calls, calls / first_calls,
                         linear / first_size);
    log_size.push_back(std::log(linear));
    log_calls.push_back(std::log(calls));
    measured.x.push_back(static_cast<double>(size));
    measured.y.push_back(calls);
    measured.lower.push_back(calls * std::exp(-2 * c.se));
    measured.upper.push_back(calls * std::exp(2 * c.se));
    predicted.x.push_back(static_cast<double>(size));
    predicted.y.push_back(expected);
  }
  const Line line = fit_line(log_size, log_calls);
  table += fmt::format("exponent in {}: {:.2f}, 95 % interval [{:.2f}, {:.2f}]; predicted 1\n",
                       in_n ? "n + 4" : "4m + 2", line.slope, line.lower, line.upper);
  panels.push_back({"Calls to accuracy " + fmt::format("{}", epsilon) + " against " + letter,
                    letter,
                    "calls",
                    true,
                    true,
                    {measured, predicted}});
  return table;
}

}  // namespace

std::string reproduce_rates(const ReproduceOptions& o) {
  if (o.one_point) return reproduce_one_point_rates(o);
  std::filesystem::create_directories(o.out);
  const std::int64_t trials = o.trials > 0 ? o.trials : o.smoke ? 4 : 10;
  std::vector<Panel> panels;
  std::string text = error_against_T(o, trials, panels);
  const std::vector<std::int64_t> ns =
      o.smoke ? std::vector<std::int64_t>{5, 10} : std::vector<std::int64_t>{5, 10, 20, 40, 80};
  const std::vector<std::int64_t> ms =
      o.smoke ? std::vector<std::int64_t>{1, 2} : std::vector<std::int64_t>{1, 2, 4, 8, 16};
  const double epsilon = o.smoke ? 0.4 : 0.2;
  text += growth(o, "n", ns, epsilon, trials, panels);
  text += growth(o, "m", ms, o.smoke ? 0.4 : 0.1, trials, panels);
  const bool drawn = draw(panels, o.out / "rates", 3);
  text += fmt::format("\nwritten: {0}/rates-T.csv, rates-n.csv, rates-m.csv{1}\n", o.out.string(),
                      drawn ? ", rates.svg, rates.png" : ", rates.gnuplot (install gnuplot to draw it)");
  return text;
}

}  // namespace zeroth
