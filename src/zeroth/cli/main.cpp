// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/engine/mpi.hpp"
#include "zeroth/run/result_json.hpp"

namespace {

void complain(const std::string& message) {
  if (zeroth::mpi_rank_hint() == 0) zeroth::cli::note("zeroth: {}\n", message);  // once, not from every rank
}

// Whoever started us may have closed a standard stream. Were its number given to the store, progress would be written
// into it. What is written to the stand-in of stdout fails, as it would to the closed one.
void fill_standard_streams() {
  for (const int stream : {0, 1, 2})
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", stream == 2 ? O_WRONLY : O_RDONLY);
}

// What the work came to, unless its output has not arrived: that is a failure, whatever it was.
int delivered(int code) {
  try {
    zeroth::cli::flush_result();
    return code;
  } catch (const std::exception& e) {
    complain(e.what());
    return zeroth::cli::run_failed;
  }
}

// The parser says of a mistyped command only that one is required.
void refuse_unknown_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string word = argv[1];
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  if (std::ranges::find(names, word) != names.end()) return;
  const std::string near = zeroth::nearest_name(word, names);
  throw zeroth::Error(fmt::format("there is no command '{}'; {}", word,
                                  near.empty() ? "'zeroth --help' lists them" : "did you mean '" + near + "'?"));
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = zeroth::cli;
  fill_standard_streams();
  CLI::App app{
      "zeroth optimises what you can only measure: noisy black boxes under noisy constraints.\n"
      "First steps: zeroth init; zeroth check problem.toml; zeroth solve problem.toml"};
  app.name("zeroth");
  app.set_version_flag("--version", "zeroth " + zeroth::version());
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  cli::add_solve(app);
  cli::add_ask(app);
  cli::add_tell(app);
  cli::add_init(app);
  cli::add_check(app);
  cli::add_list(app);
  cli::add_describe(app);
  cli::add_runs(app);
  cli::add_export(app);
  cli::add_import(app);
  cli::add_verify(app);
  cli::add_report(app);
  cli::add_plan(app);
  cli::add_reproduce(app);
  cli::add_bench(app);
  cli::add_completion(app);
  cli::add_manual(app);
  cli::add_data(app);
  try {
    refuse_unknown_command(app, argc, argv);
    app.parse(argc, argv);
    return delivered(0);
  } catch (const CLI::ParseError& e) {
    return delivered(app.exit(e) == 0 ? 0 : cli::bad_input);
  } catch (const cli::Exit& e) {
    return delivered(e.code);
  } catch (const zeroth::Error& e) {
    complain(e.what());
    return cli::bad_input;
  } catch (const std::filesystem::filesystem_error& e) {
    complain(fmt::format("{}: {}", e.path1().string(), e.code().message()));
    return cli::bad_input;
  } catch (const std::exception& e) {
    complain(e.what());
    return cli::run_failed;
  }
}
