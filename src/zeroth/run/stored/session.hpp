// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {

// A problem file as people hand it in: its text, and what the command line says on top.
struct ProblemSource {
  std::string file;  // for messages, and where relative commands are looked for
  std::string text;
  std::vector<std::pair<std::string, std::string>> overrides;  // option as given, "section.key=value"
  std::int64_t continues = 0;  // the run in the store whose evaluations this one begins with; 0: none
  std::int64_t dimension = 0;  // of the run that it was stored with; 0: not stored
};

ProblemSource read_source(const std::string& path);
ResolvedProblem resolve(const ProblemSource& source, bool must_run = true, const std::vector<KnownLimit>& known = {});
ProblemSource source_of(const RunRow& row);  // what a stored run was started from

struct SolveRequest {
  std::string store = "zeroth.db";
  bool resume = false;
  std::function<bool()> stop;
  std::function<void(const Progress&)> observe;
  std::function<void(const std::string&)> say;   // a line about what is going on: new, resumed, continued
  std::function<void(const std::string&)> warn;  // what the user may not have meant; empty: `say` is told
};

struct SolveOutcome {
  Result result;
  std::string json;
  std::int64_t run = 0;
  std::int64_t replayed = 0;
};

// In-process problems on threads, commands as processes, `jobs` at a time.
std::unique_ptr<Engine> local_engine(const ResolvedProblem& problem, int jobs);

RunRow row_for(const ProblemSource& source, const ResolvedProblem& problem);  // as a new run's first row
// The run to go on with (its id set), the run to begin from the answers of another (`continues` set), or a new one.
RunRow choose_run(Store& store, const RunRow& wanted, const std::string& file);
RunRequest run_request(const ResolvedProblem& problem);

// One run from the store's first row to its last: chosen (or begun), replayed as far as it is known, finished,
// recorded.
SolveOutcome solve(const ProblemSource& source, const ResolvedProblem& problem, Engine& engine,
                   const SolveRequest& request);

}  // namespace zeroth
