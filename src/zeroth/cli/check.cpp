// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/describe_problem.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/cli/signals.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/engine/watched.hpp"
#include "zeroth/run/doctor.hpp"
#include "zeroth/run/failure_groups.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth::cli {
namespace {

const char* verdict_on_seed(Examination::Seed seed) {
  switch (seed) {
    case Examination::Seed::honoured:
      return "honoured (same x and seed gave the same numbers)";
    case Examination::Seed::ignored:
      return "ignored (same x and seed gave different numbers)";
    case Examination::Seed::no_noise:
      return "no noise seen: different seeds gave the same numbers";
    case Examination::Seed::not_known:
      return "not known";
  }
  return "";
}

// As it was, but short, and each line under the first.
std::string quoted_text(const std::string& text, std::size_t most = 400) {
  std::string out;
  const auto end = text.find_last_not_of(" \t\r\n");
  for (const char c : text.substr(0, end == std::string::npos ? 0 : std::min(most, end + 1))) {
    out += c;
    if (c == '\n') out += fmt::format("{:<14}", "");
  }
  if (out.empty()) return "(nothing)";
  return valid_utf8(out) + (end + 1 > most ? " ..." : "");
}

void print_exchange(const Exchange& exchange, const char* asked, const char* answered) {
  if (exchange.question.empty()) return;
  print("{:<14}{}\n{:<14}{}\n", asked, quoted_text(exchange.question), answered, quoted_text(exchange.reply));
}

void print_functions(const Examination& e) {
  print("{:<14}first {:.3g} s, then median {:.3g} s, longest {:.3g} s\n", "run time", e.first_seconds, e.median_seconds,
        e.longest_seconds);
  print("{:<14}{}\n", "seed", verdict_on_seed(e.seed));
  print("{:<14}{:<16} {:>12} {:>12} {:>14}  {}\n", "values", "", "at start", "noise sd", "sd over X", "tails");
  for (const auto& f : e.functions)
    print("{:<14}{:<16} {:>12.5g} {:>12.3g} {:>14.3g}  {}\n", "", one_line(f.name), f.mean, f.noise_sd, f.spread,
          f.heavy_tails ? "heavy" : "ordinary");
  for (const auto& a : e.alone)
    print("{:<14}{:<16} {:.3g} s{}\n", &a == &e.alone.front() ? "asked alone" : "", one_line(a.name), a.seconds,
          a.answered ? a.agrees ? "" : ", another value than among the others" : ", failed");
}

std::string duration_words(double seconds) {
  if (seconds < 99.5) return fmt::format("{:.2g} s", seconds);
  return seconds < 6000 ? fmt::format("{:.0f} minutes", seconds / 60) : fmt::format("{:.1f} hours", seconds / 3600);
}

// What each budget buys: rules of thumb, and larger ones are never worse.
void print_budgets(const ResolvedProblem& problem, const Examination& e) {
  const double one = problem.cost.size() > 0 ? problem.cost.sum() : 1, spread = e.functions[0].spread;
  for (const BudgetReport& b : e.budgets) {
    std::string line = problem.cost.size() > 0 ? fmt::format("{:.6g} units ({} evaluations of all functions)",
                                                             one * static_cast<double>(b.evaluations), b.evaluations)
                                               : fmt::format("{} evaluations", b.evaluations);
    line += &b == &e.budgets.front() ? " (as in the file): " : ": ";
    if (b.standard_error > 0)
      line +=
          fmt::format("the answer's objective is known to about +- {:.2g}{}", b.standard_error,
                      spread > 0 ? fmt::format(", {:.2g} % of what x changes", 100 * b.standard_error / spread) : "");
    else line += "no noise was seen: all of it is for finding better points";
    if (e.median_seconds > 0)
      line +=
          fmt::format("; about {} at one job", duration_words(static_cast<double>(b.evaluations) * e.median_seconds));
    print("{:<14}{}\n", &b == &e.budgets.front() ? "budget" : "", line);
  }
  print("{:<14}(rule of thumb: one standard error, by the noise at the start)\n", "");
}

void check_command(const std::string& file, std::int64_t replicates) {
  const ProblemSource source = read_source(file);
  const ResolvedProblem problem = resolve(source);
  catch_signals();
  std::unique_ptr<Engine> engine;
  WatchedEngine* watched = nullptr;
  Silence silence(10);
  const auto stop = [&] {
    if (watched && silence.worth_saying(watched->silent_seconds()))
      note("waiting for an answer since {:.0f} s{}\n", watched->silent_seconds(),
           problem.evaluator && problem.evaluator->timeout > 0
               ? fmt::format("; it counts as failed after {:.6g} s (timeout)", problem.evaluator->timeout)
               : "; no timeout is set under [problem]. Does the evaluator flush its output after every line?");
    if (stop_requested()) throw Exit{interrupted};  // nothing is lost: the evaluator ends with us
    return false;
  };
  const Examination e = examine(
      problem,
      [&](const ResolvedProblem& p) {
        engine = local_engine(p, 1);
        auto wrapped = std::make_unique<WatchedEngine>(*engine);
        watched = wrapped.get();
        return wrapped;
      },
      replicates, stop);
  print("{:<14}{}: {} variables, {} constraints, {} equalities\n", "problem", one_line(problem.name),
        problem.spec.dimension(), problem.spec.constraints, problem.spec.equalities);
  print_limits(problem);
  print_exchange(e.first, "asked", "answered");
  print("{:<14}{} done, {} failed\n", "evaluations", e.evaluations, e.failed);
  for (const FailureGroup& group : grouped_failures(e.failures)) print("{:<14}{}\n", "", group.text());
  if (e.failed > 0 && e.failing.question != e.first.question) print_exchange(e.failing, "failed on", "answered");
  if (!e.error_output.empty()) print("the evaluator's last words on stderr:\n{}\n", e.error_output);
  if (e.scattered_points > 0 && problem.spec.constraints > 0)
    print("{:<14}{} of {} random points were seen to satisfy every constraint\n", "feasible", e.feasible_points,
          e.scattered_points);
  if (!e.functions.empty()) {
    print_functions(e);
    print_budgets(problem, e);
  }
  for (const auto& line : e.advice) print("{:<14}{}\n", "advice", line);
  if (!e.healthy()) throw Exit{run_failed};
}

}  // namespace

void add_check(CLI::App& app) {
  auto* command = app.add_subcommand("check", "The evaluator's doctor: runs it a few times and says what it finds");
  auto file = std::make_shared<std::string>();
  auto replicates = std::make_shared<std::int64_t>(16);
  command->add_option("FILE", *file, "problem file (TOML)")->required();
  command->add_option("--replicates", *replicates, "evaluations at the start, and at random points")
      ->check(CLI::Range(2, 10000))
      ->capture_default_str();
  command->callback([file, replicates] { check_command(*file, *replicates); });
}

}  // namespace zeroth::cli
