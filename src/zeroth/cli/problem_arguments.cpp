// SPDX-License-Identifier: MIT
#include "zeroth/cli/problem_arguments.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "zeroth/cli/output.hpp"
#include "zeroth/run/stored/import.hpp"

namespace zeroth::cli {
namespace {

ProblemSource source_from(const ProblemArguments& a) {
  ProblemSource source = read_source(a.file);
  const auto add = [&](const char* option, const char* key, const std::string& value) {
    if (!value.empty())
      source.overrides.emplace_back(fmt::format("{} {}", option, value), fmt::format("{}={}", key, value));
  };
  add("--solver", "solver.name", a.solver);
  add("--budget", "solver.budget", a.budget);
  add("--seed", "solver.seed", a.seed);
  for (const auto& assignment : a.settings) source.overrides.emplace_back("--set", assignment);
  return source;
}

}  // namespace

void add_problem_options(CLI::App& command, ProblemArguments& a) {
  command.add_option("FILE", a.file, "problem file (TOML)")->required();
  command.add_option("--solver", a.solver, "solver, instead of the file's; see 'zeroth list solvers'");
  command.add_option("--budget", a.budget, "evaluations in all, instead of the file's");
  command.add_option("--seed", a.seed, "names all randomness of the run, instead of the file's");
  command.add_option("--points", a.points, "CSV or JSON lines with points to evaluate first, columns by variable name");
  command.add_option("--store", a.store, "where every answer is kept")->capture_default_str();
  command.add_option("--set", a.settings, "key=value of [solver], or section.key=value; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("-q,--quiet", a.quiet, "no progress on stderr");
}

std::pair<ProblemSource, ResolvedProblem> problem_from(const ProblemArguments& a, bool must_run) {
  ProblemSource source = source_from(a);
  ResolvedProblem problem = resolve(source, must_run);
  if (!a.points.empty()) add_rows(source, "--points " + a.points, "points", points_of(read_table(a.points), problem));
  const std::int64_t imported = add_imported(source, a.store, problem);
  if (imported > 0 && !a.quiet)
    note("{} evaluation{} imported into {} {} known from the start\n", imported, imported == 1 ? "" : "s", a.store,
         imported == 1 ? "is" : "are");
  if (imported > 0 || !a.points.empty()) problem = resolve(source, must_run);
  return {std::move(source), std::move(problem)};
}

}  // namespace zeroth::cli
