// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/ask_tell.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/stored/import.hpp"
#include "zeroth/run/stored/store_journal.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t every_asker = 0;  // what those who ask claim instead of a run: runs are numbered from 1 on

// The run in the store, begun if there is none. Nobody else may be solving it; those who tell may go on.
RunRow find_run(Store& store, const ProblemSource& source, const ResolvedProblem& problem, double patience) {
  if (!store.claim(every_asker, patience))
    throw Error(store.path(), "other processes have been asking this store all the time; try again later");
  RunRow row = choose_run(store, row_for(source, problem), source.file);
  if (row.id == 0) row.id = store.begin_run(row);
  if (!store.claim(row.id, patience))
    throw Error(store.path(), fmt::format("run {} is being solved by another process; wait for it or stop it", row.id));
  store.release(row.id);
  return row;
}

// Tells the solver what the journal knows, until an answer is missing that it needs.
void replay(RunState& state, StoreJournal& journal) {
  while (!state.done()) {
    const auto batch = state.batch();
    for (const std::int64_t number : state.pending())
      if (const Answer* known = journal.recall(number, batch[static_cast<std::size_t>(number - state.evaluations())]))
        state.receive(number, *known);
    if (!state.complete()) break;
    state.advance();
    journal.trace(state.evaluations(), state.told_incumbent());
  }
  journal.commit();
}

// What the run asks now and nobody has been asked yet, or what is being waited for; with the rows of the store.
struct Open {
  std::vector<StoredQuestion> rows;
  std::vector<Query> queries;
};

Open open_questions(Store& store, const RunRow& run, const RunState& state, const ResolvedProblem& problem) {
  Open open;
  const auto batch = state.batch();
  std::map<std::int64_t, StoredQuestion> before;
  for (StoredQuestion& q : questions_of(store, run.id)) before.emplace(q.number, std::move(q));
  for (const std::int64_t number : state.pending()) {
    const Query& query = batch[static_cast<std::size_t>(number - state.evaluations())];
    StoredQuestion q{0, run.id, number, {}, hash_of_question(query), query.noise, "", false, {}};
    if (problem.partial()) q.wanted.assign(query.wanted.begin(), query.wanted.end());
    if (const auto found = before.find(number); found != before.end()) {
      if (found->second.x_hash != q.x_hash || found->second.noise != q.noise)
        throw ReplayDiverged(
            fmt::format("question {} of run {} was another one when it was asked; the run was begun by "
                        "zeroth {}, so continue it with that version, on that kind of machine",
                        found->second.id, run.id, run.version));
      q = found->second;
    } else if (problem.spec.dimension() <= Store::x_limit) {
      q.x.resize(query.x.size());
      problem.space.to_user(query.x, q.x);
    }
    open.rows.push_back(std::move(q));
    open.queries.push_back(query);
  }
  return open;
}

void hand_out(Store& store, Open open, const AskRequest& request, AskOutcome& outcome, const Deliver& deliver) {
  outcome.waiting = std::ranges::count_if(open.rows, [](const StoredQuestion& q) { return !q.asked.empty(); });
  std::int64_t left = request.again ? request.count : std::min(request.count, outcome.most - outcome.waiting);
  Open chosen;
  for (std::size_t k = 0; k < open.rows.size() && left > 0; ++k) {
    if (open.rows[k].asked.empty() == request.again) continue;
    chosen.rows.push_back(std::move(open.rows[k]));
    chosen.queries.push_back(open.queries[k]);
    --left;
  }
  keep_questions(store, chosen.rows);
  deliver(chosen.rows, chosen.queries);
  mark_asked(store, chosen.rows);
  if (!request.again) outcome.waiting += static_cast<std::int64_t>(chosen.rows.size());
}

}  // namespace

Evaluator questions_and_answers(const ResolvedProblem& problem) {
  if (problem.evaluator) return *problem.evaluator;
  Evaluator e;
  e.constraints = static_cast<Index>(problem.value_names().size());
  e.equalities = static_cast<Index>(problem.equality_names.size());
  if (problem.cost.size() > 0) e.partial = function_columns(problem);
  e.write_x = [&space = problem.space](std::span<const double> x, std::string& json) {
    std::vector<double> user(x.size());
    space.to_user(x, user);
    space.write_json(user, json);
  };
  return e;
}

AskOutcome ask(const ProblemSource& source, const ResolvedProblem& problem, const AskRequest& request,
               const Deliver& deliver) {
  if (!problem.parties.empty())
    throw Error(source.file,
                "the functions of this problem belong to parties, who answer in their own way; 'zeroth "
                "ask' is for problems whose functions are measured together");
  Store store(request.store, Store::Access::create);
  const RunRow row = find_run(store, source, problem, request.patience);
  AskOutcome outcome;
  outcome.run = row.id;
  outcome.most = problem.run.width + problem.run.lag;
  StoreJournal journal(store, row, problem.space);
  RunState state(problem.spec, start_solver(problem, true), run_request(problem));
  const bool finished = !row.unfinished();
  try {
    replay(state, journal);
  } catch (const EverythingFailed& e) {
    store.end_run(row.id, to_string(Stage::failed), nlohmann::json{{"status", "failed"}, {"message", e.what()}}.dump());
    throw;
  }
  outcome.done = state.done();
  if (!outcome.done) hand_out(store, open_questions(store, row, state, problem), request, outcome, deliver);
  outcome.result = state.result();
  outcome.json = result_json(outcome.result, problem);
  if (outcome.done && !finished) store.end_run(row.id, to_string(outcome.result.status), outcome.json);
  if (!outcome.done && row.stage() != Stage::interrupted) store.end_run(row.id, to_string(Stage::interrupted), "");
  return outcome;
}

void withdraw(const std::string& path, std::int64_t id) {
  Store store(path, Store::Access::existing);
  const auto q = question(store, id);
  if (!q)
    throw Error(path, fmt::format("there is no question {}; 'zeroth ask FILE --again' lists those that wait", id));
  if (q->answered) throw Error(path, fmt::format("question {} has its answer already; that cannot be withdrawn", id));
  take_back(store, id);
}

}  // namespace zeroth
