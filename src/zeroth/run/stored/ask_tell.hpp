// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>

#include "zeroth/run/stored/session.hpp"
#include "zeroth/store/questions.hpp"

namespace zeroth {

// A run whose evaluations are made elsewhere: by a job manager, a laboratory, people. The store is all that is shared,
// so that many processes may ask and tell at once, days apart, and any of them may be killed at any moment. The run is
// the one that `solve` would make, with the same numbers and noise: either may go on with what the other began.

struct AskRequest {
  std::string store = "zeroth.db";
  std::int64_t count = 1;  // questions wanted
  bool again = false;      // those that were handed out and wait, instead of new ones
  double patience = 600;   // seconds to wait for another process that asks
};

struct AskOutcome {
  std::int64_t run = 0;
  bool done = false;         // nothing more will be asked
  std::int64_t waiting = 0;  // questions handed out, these included, without an answer
  std::int64_t most = 0;     // that may wait at a time
  Result result;             // what the run ends with; before its end, what it would end with now
  std::string json;
};

// Gets the questions that are handed out, in order of their numbers: to show them. They count as handed out when this
// has returned; if it throws, or the process dies, they are handed out again, under the same ids.
using Deliver = std::function<void(std::span<const StoredQuestion>, std::span<const Query>)>;

// Replays the run of this problem in the store (or begins it) as far as its answers reach, and hands out what it asks.
AskOutcome ask(const ProblemSource& source, const ResolvedProblem& problem, const AskRequest& request,
               const Deliver& deliver);

struct TellOutcome {
  std::int64_t kept = 0;
  std::int64_t known = 0;                        // had the same answer already
  std::vector<std::int64_t> contradicted;        // ids that had another answer already, which stays
  std::map<std::int64_t, std::int64_t> waiting;  // per run that was told: questions without an answer
};

// Answers from JSON lines as evaluators write them, or from a table with a column `id`; rows of it without any value
// are not answers yet. All of them are kept, or none if one cannot be read.
TellOutcome tell(const std::string& store, const std::string& text, const std::string& file, double patience = 600);

// Takes a question back: the next who asks gets it.
void withdraw(const std::string& store, std::int64_t id);

// What a question looks like and how its answers are read, whether there is a program or not.
Evaluator questions_and_answers(const ResolvedProblem& problem);

}  // namespace zeroth
