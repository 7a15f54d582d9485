// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/run/stored/session.hpp"

namespace zeroth::cli {

// What names a run on the command line: a problem file, what changes it, and the store.
struct ProblemArguments {
  std::string file, solver, budget, seed, points, store = "zeroth.db";
  std::vector<std::string> settings;
  bool quiet = false;
};

void add_problem_options(CLI::App& command, ProblemArguments& a);

// With what was imported into the store and the points to evaluate first. `must_run`: it is evaluated from here.
std::pair<ProblemSource, ResolvedProblem> problem_from(const ProblemArguments& a, bool must_run);

int exit_code_of(const Result& result);

}  // namespace zeroth::cli
