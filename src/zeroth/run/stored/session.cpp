// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ranges>
#include <sstream>

#include "zeroth/catalog/safe_option.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/engine/limits.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/stored/store_journal.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

// To resume a run under another name begins a new one, which is seldom what was meant. Empty: nothing to say.
std::string no_run_of_that_name(Store& store, const RunRow& wanted) {
  std::vector<std::string> names;
  for (const RunRow& row : store.runs()) {
    if (row.name == wanted.name) return {};
    if (std::ranges::find(names, row.name) == names.end()) names.push_back(row.name);
  }
  if (names.empty()) return {};
  constexpr std::size_t most = 8;
  const std::size_t more = names.size() > most ? names.size() - most : 0;
  names.resize(names.size() - more);
  return fmt::format(
      "there is no run named '{}' in {} to resume, so a new one begins; there are runs named '{}'{}. A run is "
      "found by the problem's name",
      wanted.name, store.path(), fmt::join(names, "', '"), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

RunRow choose_run(Store& store, const RunRow& wanted, const std::string& file) {
  std::optional<RunRow> smaller, changed, larger;
  auto rows = store.runs();
  for (RunRow& row : rows | std::views::reverse) {
    if (row.name != wanted.name || row.stage() == Stage::failed || row.stage() == Stage::imported) continue;
    const bool same = identity_changes(row.identity, wanted.identity).empty();
    if (same && row.budget == wanted.budget) return row;
    if (same && row.budget < wanted.budget && (!smaller || smaller->budget < row.budget)) smaller = row;
    if (same && row.budget > wanted.budget && row.unfinished() && !larger) larger = row;
    if (!same && row.unfinished() && !changed) changed = row;
  }
  RunRow chosen = wanted;
  if (wanted.continues > 0) return chosen;
  if (smaller) {
    chosen.continues = smaller->id;
  } else if (larger) {
    throw Error(file,
                fmt::format("run {} in '{}' has a budget of {}, above {}; a run can only be resumed with the same or "
                            "a larger budget (start afresh without --resume)",
                            larger->id, store.path(), larger->budget, wanted.budget));
  } else if (changed) {
    throw Error(file,
                fmt::format("the problem has changed since run {} in '{}' was begun:\n  {}\nOnly the budget may be "
                            "raised in a resumed run. Undo the change, or start afresh without --resume.",
                            changed->id, store.path(),
                            fmt::join(identity_changes(changed->identity, wanted.identity), "\n  ")));
  }
  return chosen;
}

RunRow row_for(const ProblemSource& source, const ResolvedProblem& problem) {
  RunRow row;
  row.name = problem.name;
  row.identity = problem.identity;
  row.document = source.text;
  row.file = source.file;
  row.overrides = Json(source.overrides).dump(-1, ' ', false, Json::error_handler_t::replace);
  row.solver = problem.run.name;
  row.seed = problem.run.seed;
  row.budget = problem.run.budget;
  row.dimension = problem.spec.dimension();
  row.functions = problem.meaning ? problem.meaning->measured() : problem.spec.functions();
  row.maximize = problem.maximize;
  Json names{{"variables", problem.space.names()},
             {"constraints", problem.value_names()},
             {"equalities", problem.equality_names}};
  if (problem.meaning) names["statements"] = problem.constraint_names;
  if (const auto& values = problem.space.variables().values; !values.empty()) names["values"] = values;
  if (!problem.objective.empty()) names["objective"] = problem.objective;
  row.names = names.dump(-1, ' ', false, Json::error_handler_t::replace);
  row.version = version();
  row.continues = source.continues;
  return row;
}

ProblemSource read_source(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw Error(path, "is a directory; give the path of a problem file ('zeroth init' writes one)");
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || text.bad())
    throw Error(path, "cannot read this file; give the path of a problem file ('zeroth init' writes one)");
  return {path, text.str(), {}, 0, 0};
}

ResolvedProblem resolve(const ProblemSource& source, bool must_run, const std::vector<KnownLimit>& known) {
  Document document = parse_document(source.text, source.file);
  for (const auto& [option, assignment] : source.overrides) override_entry(document, assignment, option);
  // A store of a few kilobytes must not have ten million variables built.
  if (const Section* alike = document.find("variables"); alike && source.dimension > 0)
    if (const auto count = whole_at(*alike, "count"); count && *count != source.dimension)
      throw Error(alike->where_of("count"),
                  fmt::format("'count' is {}, but the run that this file is stored with has {} variables", *count,
                              source.dimension));
  return resolve(document, must_run, known);
}

ProblemSource source_of(const RunRow& row) {
  ProblemSource source{row.file, row.document, {}, row.continues, row.dimension};
  const Json parsed = parse_json<Json>(row.overrides);
  try {
    if (!parsed.is_discarded()) parsed.get_to(source.overrides);
  } catch (const Json::exception&) {
    throw sqlite::Failure(fmt::format("run {}: its command-line options cannot be read", row.id));
  }
  return source;
}

std::unique_ptr<Engine> local_engine(const ResolvedProblem& problem, int jobs) {
  if (!problem.parties.empty()) return joint_engine(problem.parties, jobs);
  if (problem.evaluator) return processes_engine(*problem.evaluator, jobs);
  return jobs > 1 ? threads_engine(*problem.builtin, jobs) : serial_engine(*problem.builtin);
}

RunRequest run_request(const ResolvedProblem& problem) {
  RunRequest r;
  r.solver = problem.run.name;
  r.budget = problem.run.budget - problem.run.carried;
  r.cost = problem.cost;
  if (problem.cost.size() > 0) r.carried_cost = static_cast<double>(problem.run.carried);
  else r.carried = problem.run.carried;
  r.seed = static_cast<std::uint64_t>(problem.run.seed);
  r.check_share = problem.run.check_share;
  r.confidence = problem.run.confidence;
  r.stop_rules = problem.stop_rules;
  r.safe = safe_probability(problem.run.name, problem.solver_options);
  r.names = {problem.constraint_names, problem.equality_names};
  r.meaning = problem.meaning ? &*problem.meaning : nullptr;
  return r;
}

SolveOutcome solve(const ProblemSource& source, const ResolvedProblem& problem, Engine& engine,
                   const SolveRequest& request) {
  Store store(request.store, Store::Access::create);
  RunRow row = row_for(source, problem);
  if (request.resume) {
    const std::string warning = no_run_of_that_name(store, row);
    if (!warning.empty() && request.warn) request.warn(warning);
    else if (!warning.empty() && request.say) request.say(warning);
    row = choose_run(store, row, source.file);
  }
  const bool resumed = row.id > 0;
  if (!resumed) row.id = store.begin_run(row);
  constexpr double patience = 3;
  if (!store.claim(row.id, patience))
    throw Error(request.store,
                fmt::format("run {} is being worked on by another process; wait for it or stop it", row.id));
  if (request.say) {
    const auto kept = store.answers(resumed ? row.id : row.continues);
    request.say(resumed                   ? fmt::format("resuming run {} with {} answers", row.id, kept)
                : problem.run.carried > 0 ? fmt::format("run {} in {}", row.id, request.store)
                : row.continues > 0       ? fmt::format("run {} has a larger budget than run {}; where it asks what "
                                                              "that one asked, the store answers",
                                                        row.id, row.continues)
                                          : fmt::format("run {} in {}", row.id, request.store));
  }

  SolveOutcome outcome;
  outcome.run = row.id;
  RunRow recalled = row;
  if (problem.run.carried > 0) recalled.continues = 0;  // they are known from the start, and no answers to questions
  StoreJournal journal(store, recalled, problem.space);
  RunRequest run_it = run_request(problem);
  run_it.journal = &journal;
  run_it.stop = request.stop;
  run_it.observe = [&](const Progress& p) {
    outcome.replayed = p.replayed;
    if (request.observe) request.observe(p);
  };
  try {
    outcome.result = run(problem.spec, start_solver(problem), engine, run_it);
  } catch (const EverythingFailed& e) {
    store.end_run(
        row.id, to_string(Stage::failed),
        Json{{"status", "failed"}, {"message", e.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    throw;
  } catch (const OutOfResources& e) {
    journal.commit();
    store.end_run(row.id, to_string(Stage::interrupted), "");
    throw OutOfResources(
        fmt::format("{}. This is a limit of the machine or the session (ulimit -a), not of the evaluator: nothing was "
                    "recorded as failed. Every answer is kept; go on with --resume, with fewer evaluations at a time",
                    e.what()));
  }
  journal.commit();
  outcome.json = result_json(outcome.result, problem);
  store.check_in_place();
  // A finished run that was merely replayed keeps the record of its own time.
  if (!resumed || row.unfinished()) store.end_run(row.id, to_string(outcome.result.status), outcome.json);
  return outcome;
}

}  // namespace zeroth
