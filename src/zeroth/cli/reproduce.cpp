// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/reproduce.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth::cli {

void add_reproduce(CLI::App& app) {
  auto* command = app.add_subcommand("reproduce", "Run an experiment of the paper again: tables, CSV and figures");
  static std::string name;
  static ReproduceOptions options;
  static std::string out = ".";
  std::string known;
  for (const auto& entry : reproductions()) known += fmt::format("\n  {:<16} {}", entry.name, entry.summary);
  command->add_option("name", name, "which experiment:" + known)->required();
  command->add_option("--trials", options.trials, "repetitions with different seeds")->check(CLI::PositiveNumber);
  command->add_option("--jobs", options.jobs, "trials that run at the same time (default: all cores)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--out", out, "directory for CSV and figures")->capture_default_str();
  command
      ->add_option("--solvers", options.solvers,
                   "only these, separated by commas (hmc, nn-*, qcqp-*; none: only fixed points, nn-*)")
      ->delimiter(',');
  command
      ->add_option("--evaluations", options.evaluations,
                   "only these budgets, separated by commas (hmc, nn-*); of the Bayesian systems at n >= 50, one for "
                   "all or one each for n = 50, 200 and 500 (qcqp-*)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command->add_flag("--one-point", options.one_point, "rates: one-point feedback beside the two-point one");
  command->add_flag("--full", options.full, "further than the default affords (hours)");
  command->add_flag("--smoke", options.smoke, "a version of seconds that only shows that everything works");
  command->callback([] {
    options.out = out;
    options.progress = [](const std::string& line) { note("{}\n", line); };
    std::vector<std::string> names;
    for (const auto& entry : reproductions()) {
      if (entry.name == name) {
        write_result(entry.run(options));
        return;
      }
      names.push_back(entry.name);
    }
    const std::string near = nearest_name(name, names);
    throw Error(fmt::format("there is nothing named '{}' to reproduce; {}", name,
                            near.empty() ? "see 'zeroth reproduce --help'" : "did you mean '" + near + "'?"));
  });
}

}  // namespace zeroth::cli
