// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/describe_problem.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/run/doctor.hpp"
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

void check_command(const std::string& file, std::int64_t replicates) {
  const ProblemSource source = read_source(file);
  const ResolvedProblem problem = resolve(source);
  const auto engine = local_engine(problem, 1);
  const Examination e = examine(problem, *engine, replicates);
  print("{:<14}{}: {} variables, {} constraints, {} equalities\n", "problem", one_line(problem.name),
        problem.spec.dimension(), problem.spec.constraints, problem.spec.equalities);
  print_limits(problem);
  print("{:<14}{} done, {} failed\n", "evaluations", e.evaluations, e.failed);
  for (const auto& failure : e.failures) print("{:<14}{}\n", "", failure);
  if (!e.error_output.empty()) print("the evaluator's last words on stderr:\n{}\n", e.error_output);
  if (!e.functions.empty()) {
    print("{:<14}first {:.3g} s, then median {:.3g} s, longest {:.3g} s\n", "run time", e.first_seconds,
          e.median_seconds, e.longest_seconds);
    print("{:<14}{}\n", "seed", verdict_on_seed(e.seed));
    print("{:<14}{:<16} {:>12} {:>12} {:>14}  {}\n", "values", "", "at start", "noise sd", "sd over X", "tails");
    for (const auto& f : e.functions)
      print("{:<14}{:<16} {:>12.5g} {:>12.3g} {:>14.3g}  {}\n", "", one_line(f.name), f.mean, f.noise_sd, f.spread,
            f.heavy_tails ? "heavy" : "ordinary");
    for (const auto& a : e.alone)
      print("{:<14}{:<16} {:.3g} s{}\n", &a == &e.alone.front() ? "asked alone" : "", one_line(a.name), a.seconds,
            a.answered ? a.agrees ? "" : ", another value than among the others" : ", failed");
    if (problem.cost.size() > 0)
      print("{:<14}about {:.6g} units: {} evaluations of all functions, {:.6g} each (rule of thumb)\n", "budget",
            static_cast<double>(e.suggested_budget) * problem.cost.sum(), e.suggested_budget, problem.cost.sum());
    else print("{:<14}about {} evaluations (rule of thumb)\n", "budget", e.suggested_budget);
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
