// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/bench.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "zeroth/cli/commands.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth::cli {

void add_bench(CLI::App& app) {
  auto* command = app.add_subcommand("bench", "All solvers on one suite of problems with known optimum, equal budgets");
  static std::string name;
  static BenchOptions options;
  static std::string out = ".";
  std::string known;
  for (const auto& suite : bench_suites()) known += fmt::format("\n  {:<16} {}", suite.name, suite.summary);
  command->add_option("suite", name, "which suite:" + known)->required();
  command->add_option("--solvers", options.solvers, "only these, separated by commas")->delimiter(',');
  command->add_option("--trials", options.trials, "instances or seeds per cell")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--first", options.first_instance,
                   "number of the first instance, where problems are drawn by number")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--jobs", options.jobs, "trials that run at the same time (default: all cores)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--out", out, "directory for CSV and figures")->capture_default_str();
  command->add_flag("--reduced", options.reduced, "a few small cells");
  command->add_flag("--quick", options.quick, "of laws: a sample of two minutes");
  command->add_flag("--full", options.full, "every cell, and every solver on all trials: hours");
  command->add_option("--only", options.only, "only cells whose label contains this");
  command->callback([] {
    options.out = out;
    std::filesystem::create_directories(options.out);
    std::vector<std::string> names;
    for (const auto& suite : bench_suites()) {
      if (suite.name == name) {
        suite.run(options);
        return;
      }
      names.push_back(suite.name);
    }
    const std::string near = nearest_name(name, names);
    throw Error(fmt::format("there is no suite '{}'; {}", name,
                            near.empty() ? "see 'zeroth bench --help'" : "did you mean '" + near + "'?"));
  });
}

}  // namespace zeroth::cli
