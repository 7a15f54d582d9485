// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/export.hpp"
#include "zeroth/run/verify.hpp"

namespace zeroth::cli {
namespace {

void runs_command(const std::string& path) {
  Store store(path, Store::Access::existing);
  fmt::print("{:>4}  {:<20} {:<16} {:<12} {:>8} {:>10} {:>8}  {}\n", "run", "problem", "solver", "status", "answers",
             "budget", "seed", "started");
  for (const RunRow& r : store.runs()) {
    // Only a live process holds a claim: "running" without one was killed.
    std::string status = r.status;
    if (store.claimed_by_another(r.id)) status = "running";
    else if (status == "running") status = "killed";
    fmt::print("{:>4}  {:<20} {:<16} {:<12} {:>8} {:>10} {:>8}  {}{}\n", r.id, r.name, r.solver, status,
               store.answers(r.id), r.budget, r.seed, r.started,
               r.continues > 0 ? fmt::format("  continues run {}", r.continues) : "");
  }
}

void verify_command(const std::string& path, bool repair) {
  bool sound = true;
  try {
    Store store(path, Store::Access::existing);
    const StoreVerdict verdict = verify(store);
    for (const auto& line : verdict.damage) fmt::print("damage: {}\n", line);
    for (const RunVerdict& r : verdict.runs)
      fmt::print("run {} ({}): {}{}\n", r.run, r.name, r.sound ? "" : "NOT SOUND: ", r.finding);
    sound = verdict.sound();
  } catch (const sqlite::Failure& e) {
    sound = false;
    fmt::print("damage: {}\n", e.what());
  }
  fmt::print("{}: {}\n", path, sound ? "sound" : "NOT SOUND");
  if (sound) return;
  if (repair) {
    const std::string target = path + ".repaired";
    const Salvage s = salvage(path, target);
    fmt::print("{}: {} runs, {} answers, {} trace rows saved; {} is left as it was\n", target, s.runs, s.answers,
               s.trace, path);
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
  const auto print = [](const std::string& text) { fmt::print("{}", text); };
  if (json) export_json(store, *row, print);
  else export_csv(store, *row, print);
}

}  // namespace

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
