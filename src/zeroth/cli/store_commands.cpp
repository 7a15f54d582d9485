// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/import.hpp"
#include "zeroth/run/stored/verify.hpp"
#include "zeroth/store/export.hpp"
#include "zeroth/store/questions.hpp"

namespace zeroth::cli {
namespace {

void runs_command(const std::string& path) {
  Store store(path, Store::Access::existing);
  print("{:>4}  {:<20} {:<16} {:<12} {:>8} {:>10} {:>8}  {}\n", "run", "problem", "solver", "status", "answers",
        "budget", "seed", "started");
  for (const RunRow& r : store.runs()) {
    // Only a live process holds a claim: "running" without one was killed.
    std::string status = r.status;
    if (store.claimed_by_another(r.id)) status = to_string(Stage::running);
    else if (r.stage() == Stage::running) status = "killed";
    else if (r.stage() == Stage::interrupted && waiting_questions(store, r.id) > 0) status = "waiting";
    print("{:>4}  {:<20} {:<16} {:<12} {:>8} {:>10} {:>8}  {}{}\n", r.id, one_line(r.name), one_line(r.solver),
          one_line(status), store.answers(r.id), r.budget, r.seed, one_line(r.started),
          r.continues > 0 ? fmt::format("  continues run {}", r.continues) : "");
  }
}

void verify_command(const std::string& path, bool repair) {
  bool sound = true;
  try {
    Store store(path, Store::Access::existing);
    const StoreVerdict verdict = verify(store);
    for (const auto& line : verdict.damage) print("damage: {}\n", line);
    for (const RunVerdict& r : verdict.runs)
      print("run {} ({}): {}{}\n", r.run, one_line(r.name), r.sound ? "" : "NOT SOUND: ", r.finding);
    sound = verdict.sound();
  } catch (const sqlite::Failure& e) {
    sound = false;
    print("damage: {}\n", e.what());
  }
  print("{}: {}\n", path, sound ? "sound" : "NOT SOUND");
  if (sound) return;
  if (repair) {
    const std::string target = path + ".repaired";
    const Salvage s = salvage(path, target);
    print("{}: {} runs, {} answers, {} trace rows saved; {} is left as it was\n", target, s.runs, s.answers, s.trace,
          path);
    for (const Salvage::Dropped& d : s.dropped)
      print(
          "{}: run {} keeps its answers before number {}; {} from there on do not follow from them and were dropped. "
          "It goes on with --resume\n",
          target, d.run, d.from, d.answers);
  }
  throw Exit{run_failed};
}

void export_command(const std::string& path, std::int64_t run, bool json) {
  Store store(path, Store::Access::existing);
  const auto rows = store.runs();
  if (rows.empty()) throw Error(path, "there is no run in this store");
  if (run == 0) run = rows.back().id;
  const auto row = store.run(run);
  if (!row) throw Error(path, fmt::format("there is no run {}; 'zeroth runs {}' lists them", run, path));
  if (json) export_json(store, *row, write_json);
  else export_csv(store, *row, write_result);
}

void import_command(const std::string& file, const std::string& data, const std::string& path,
                    const std::vector<std::string>& settings) {
  ProblemSource source = read_source(file);
  for (const auto& assignment : settings) source.overrides.emplace_back("--set", assignment);
  const ResolvedProblem problem = resolve(source, false);
  const ImportedEvaluations found = evaluations_of(read_table(data), problem);
  const std::int64_t run = keep_evaluations(path, source, problem, found);
  print("{}: {} evaluations of '{}' imported into {} as run {}\n", data, found.seeds.size(), problem.name, path, run);
  if (found.failed > 0) print("{} rows of failed evaluations were left out\n", found.failed);
  print("'zeroth solve {} --store {}' begins with them\n", file, path);
}

}  // namespace

void add_import(CLI::App& app) {
  auto* command = app.add_subcommand("import", "Earlier evaluations of a problem, for its next run to begin with");
  struct Arguments {
    std::string file, data, store = "zeroth.db";
    std::vector<std::string> settings;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("FILE", a->file, "problem file (TOML)")->required();
  command
      ->add_option("DATA", a->data,
                   "CSV or JSON lines: variables, objective and constraints by name; optional seed, n, se, NAME_se")
      ->required();
  command->add_option("--store", a->store, "where they are kept")->capture_default_str();
  command->add_option("--set", a->settings, "section.key=value of the problem file; may be repeated")
      ->allow_extra_args(false);
  command->footer("They count as evaluations seen, not as budget. 'zeroth export' writes what this reads.");
  command->callback([a] { import_command(a->file, a->data, a->store, a->settings); });
}

void add_runs(CLI::App& app) {
  auto* command = app.add_subcommand("runs", "The runs in a store");
  auto path = std::make_shared<std::string>("zeroth.db");
  command->add_option("DB", *path, "store")->capture_default_str();
  command->callback([path] { runs_command(*path); });
}

void add_export(CLI::App& app) {
  auto* command = app.add_subcommand("export", "The answers of a run as CSV or JSON, on stdout");
  struct Arguments {
    std::string path = "zeroth.db";
    std::int64_t run = 0;
    bool json = false, csv = false;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("DB", a->path, "store")->capture_default_str();
  command->add_option("--run", a->run, "number of the run; the newest if left out")->check(CLI::PositiveNumber);
  auto* csv = command->add_flag("--csv", a->csv, "comma-separated values (default)");
  command->add_flag("--json", a->json, "JSON, with the run's own description and trace")->excludes(csv);
  command->callback([a] { export_command(a->path, a->run, a->json); });
}

void add_verify(CLI::App& app) {
  auto* command = app.add_subcommand("verify", "Check a store, and that every recommendation follows from its answers");
  auto path = std::make_shared<std::string>("zeroth.db");
  auto repair = std::make_shared<bool>(false);
  command->add_option("DB", *path, "store")->capture_default_str();
  command->add_flag("--repair", *repair, "save what can be read of a damaged store to DB.repaired");
  command->callback([path, repair] { verify_command(*path, *repair); });
}

}  // namespace zeroth::cli
