// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>

namespace zeroth::cli {

// Each adds one subcommand. Its callback returns for success (exit code 0), throws Exit for another code
// (cli/main.cpp lists them), and lets an Error (2) or any other exception (1) pass to main.
void add_solve(CLI::App& app);
void add_list(CLI::App& app);
void add_describe(CLI::App& app);
void add_init(CLI::App& app);
void add_check(CLI::App& app);
void add_runs(CLI::App& app);
void add_export(CLI::App& app);
void add_import(CLI::App& app);
void add_ask(CLI::App& app);
void add_tell(CLI::App& app);
void add_verify(CLI::App& app);
void add_plan(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_bench(CLI::App& app);
void add_report(CLI::App& app);
void add_completion(CLI::App& app);
void add_manual(CLI::App& app);
void add_data(CLI::App& app);

struct Exit {
  int code;
};
inline constexpr int run_failed = 1, bad_input = 2, infeasible = 3, undecided = 4, interrupted = 130;

}  // namespace zeroth::cli
