// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stdexcept>

#include "zeroth/core/search.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/run/result.hpp"
#include "zeroth/run/statement.hpp"

namespace zeroth {

// Where answers are kept. Evaluations are numbered in the order in which they are proposed, whatever order they finish
// in; the number, with the question itself to be sure, is all that replay needs.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual const Answer* recall(std::int64_t number, const Query& query) = 0;  // null if it is not known yet
  virtual void record(std::int64_t number, const Query& query, const Answer& answer, const Circumstances& how) = 0;
  // Nothing else is to be done right now: what was recorded may be kept for good.
  virtual void idle() {}
  // The solver is about to be told: what was recorded must be kept for good when this returns.
  virtual void commit() {}
  // The incumbent after `evaluations`; called after every batch, cheap to ignore.
  virtual void trace(std::int64_t /*evaluations*/, const Incumbent& /*incumbent*/) {}
};

// The journal holds an answer to another question than the one asked: it belongs to another run or version.
class ReplayDiverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Every evaluation failed, from the first on: there is nothing to optimise. The message carries the evaluator's words.
class EverythingFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline constexpr std::int64_t failures_to_give_up = 20;

struct Progress {
  std::int64_t evaluations = 0, budget = 0, failed = 0, replayed = 0;
  double seconds = 0;
  const Incumbent* incumbent = nullptr;
  std::span<const Answer> answers;  // of the batch just told
  bool checking = false;            // looking at the recommended point
};

struct RunRequest {
  std::string solver;  // its name, for the result
  std::int64_t budget = 1000;
  std::uint64_t seed = 1;
  double check_share = 0.1;  // of the budget, kept for fresh looks at the recommended point
  double confidence = 0.95;  // below this probability of feasibility the answer is called infeasible
  FunctionNames names;
  const Meaning* meaning = nullptr;  // null: what is measured are the constraints themselves
  Journal* journal = nullptr;
  std::function<bool()> stop;                    // asked between evaluations
  std::function<void(const Progress&)> observe;  // after every batch
};

// Joint evaluations left for the search itself once the check has had its share.
std::int64_t search_budget(std::int64_t budget, double check_share);

// The one loop that evaluates: the solver's questions first, then fresh looks at what it recommends. Throws
// EverythingFailed after so many failures in a row from the start, or at the end if no evaluation succeeded.
Result run(const Spec& spec, Search search, Engine& engine, const RunRequest& request);

}  // namespace zeroth
