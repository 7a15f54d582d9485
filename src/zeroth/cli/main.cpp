// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstdio>

#include "zeroth/cli/commands.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/run/result_json.hpp"

namespace {

void complain(const char* message) {
  if (zeroth::mpi_rank_hint() == 0) fmt::print(stderr, "zeroth: {}\n", message);  // once, not from every rank
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = zeroth::cli;
  CLI::App app{
      "zeroth optimises what you can only measure: noisy black boxes under noisy constraints.\n"
      "First steps: zeroth init; zeroth check problem.toml; zeroth solve problem.toml"};
  app.name("zeroth");
  app.set_version_flag("--version", "zeroth " + zeroth::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  cli::add_solve(app);
  cli::add_init(app);
  cli::add_check(app);
  cli::add_list(app);
  cli::add_describe(app);
  cli::add_runs(app);
  cli::add_export(app);
  cli::add_verify(app);
  cli::add_report(app);
  cli::add_plan(app);
  cli::add_reproduce(app);
  cli::add_bench(app);
  cli::add_completion(app);
  cli::add_manual(app);
  cli::add_data(app);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : cli::bad_input;
  } catch (const cli::Exit& e) {
    return e.code;
  } catch (const zeroth::Error& e) {
    complain(e.what());
    return cli::bad_input;
  } catch (const std::exception& e) {
    complain(e.what());
    return cli::run_failed;
  }
}
