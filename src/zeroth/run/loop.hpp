// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stdexcept>

#include "zeroth/engine/engine.hpp"
#include "zeroth/run/run_state.hpp"

namespace zeroth {

// Where answers are kept. Evaluations are numbered in the order in which they are proposed, whatever order they finish
// in; the number, with the question itself to be sure, is all that replay needs.
class Journal {
 public:
  virtual ~Journal() = default;
  virtual const Answer* recall(std::int64_t number, const Query& query) = 0;  // null if it is not known yet
  virtual void record(std::int64_t number, const Query& query, const Answer& answer, const Circumstances& how) = 0;
  // Whether answer `number` is known and belongs to this very question; nothing if it is not known.
  virtual std::optional<bool> belongs(std::int64_t /*number*/, const Query& /*query*/) { return {}; }
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

struct Progress {
  std::int64_t evaluations = 0, budget = 0, failed = 0, replayed = 0;
  double spent = 0;  // of the budget: evaluations, or what they cost
  double seconds = 0;
  const Incumbent* incumbent = nullptr;  // its x: see Incumbent::refresh
  std::span<const Answer> answers;       // of the batch just told
  bool checking = false;                 // evaluating the recommended point
};

struct RunRequest : RunPlan {
  Journal* journal = nullptr;
  std::function<bool()> stop;                    // asked between evaluations
  std::function<void(const Progress&)> observe;  // after every batch
};

// The one loop that evaluates: asks the RunState, lets the journal or the engine answer. Throws EverythingFailed after
// so many failures in a row from the start, or at the end if no evaluation succeeded.
Result run(const Spec& spec, Search search, Engine& engine, const RunRequest& request);

}  // namespace zeroth
