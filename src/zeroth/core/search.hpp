// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// What a model expects of all functions at a point, in their own units; empty: it expects nothing.
struct Belief {
  Vector mean;   // f_0, constraints, equalities
  Vector sd;     // of the expectation itself, not of one evaluation
  Vector noise;  // standard deviation of one evaluation there
};

// What a solver would answer if it had to stop now.
struct Incumbent {
  Vector x;
  Vector multipliers;                   // y for constraints, then equalities; empty if the solver has none
  std::map<std::string, double> trace;  // named figures worth a column: step sizes, noise estimates, residuals
  std::string note;                     // what the solver chose and why, in words
  std::string chosen, chosen_because;   // by a solver that chooses another one: its name, and the reason in words
  // What a solver with a model knows beyond x; left empty by the others.
  std::vector<Vector> cautious;    // fallbacks with more and more distance from the constraints' limits
  std::vector<Vector> candidates;  // other points worth comparing with x by fresh evaluations, best first
  // What the solver's model expects at any point; empty: it has no model. Valid as long as the solver.
  std::function<Belief(const Vector& x)> believe;
  // Of the same model: the best point that keeps so many standard deviations from every limit.
  std::function<Vector(double deviations)> cautious_at;
  // With probability 0.95 no feasible point is better than x by more than this, in units of the objective; what going
  // on is expected to gain; whether the model sees several optima that might be the best.
  double possible_gain = std::numeric_limits<double>::quiet_NaN();
  double expected_improvement = std::numeric_limits<double>::quiet_NaN();
  bool several_optima = false;
  Vector multiplier_se;                                            // standard errors of the multipliers
  double kkt_residual = std::numeric_limits<double>::quiet_NaN();  // noise removed, relative to the objective's slopes
  double kkt_se = std::numeric_limits<double>::quiet_NaN();
  double kkt_fallback = std::numeric_limits<double>::quiet_NaN();  // the residual at the second of `cautious`
  // Brings x up to date where that was put off while others evaluate (core/iterate.hpp); empty: x always is.
  std::function<void()> refresh;
};

// A solver is a coroutine that returns a Search. Inside it:
//   Incumbent& incumbent = co_await recommendation();   the answer it keeps current; outlives the coroutine's locals
//   auto answers = co_await evaluate(batch);            asks a batch of queries and gets as many answers, in order
//
//   auto answers = co_await propose(batch);             asks a batch and gets the answers that are due: the
//   oldest ones that it has not been told yet, in the order of its questions. With Spec::lag = 0 that is
//   evaluate(batch); with more, up to `lag` questions stay open, and whoever asks treats them as pending. An empty
//   batch waits for the oldest.
// A solver that evaluates while questions are open is told these first, then the answers to its batch. Keep coroutine
// parameters by value, and the memory that queries point to in the frame.
//
// Everybody else sees three verbs: ask, tell, recommend.
class [[nodiscard]] Search {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;  // the coroutine behind it

  // Takes the coroutine over.
  Search(Search&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  // Takes the coroutine over.
  Search& operator=(Search&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Search(const Search&) = delete;             // one owner
  Search& operator=(const Search&) = delete;  // one owner
  ~Search() {
    if (handle_) handle_.destroy();
  }

  bool done() const;  // it has no more to ask
  // The batch that waits for answers; empty when the solver has finished. Valid until tell().
  std::span<const Query> ask() const;
  // One for each question that waits, in the order in which they were asked; if it proposes, the oldest of them
  // suffice.
  void tell(std::span<const Answer> answers);
  bool proposes() const;               // it goes on with the answers that are due
  const Incumbent& recommend() const;  // what it would answer now

 private:
  explicit Search(Handle handle) : handle_(handle) {}
  Handle handle_;
};

struct Search::promise_type {
  std::span<const Query> batch;
  std::span<const Answer> answers;
  bool proposes = false;
  std::size_t waiting = 0;  // questions without an answer, those of `batch` included
  Incumbent incumbent;
  std::exception_ptr error;

  Search get_return_object() { return Search(Handle::from_promise(*this)); }
  std::suspend_never initial_suspend() noexcept { return {}; }  // ask() is ready at once
  std::suspend_always final_suspend() noexcept { return {}; }
  void return_void() noexcept { batch = {}; }
  void unhandled_exception() {
    batch = {};
    error = std::current_exception();
  }
};

// The two things a solver awaits.
class Evaluation {
 public:
  Evaluation(std::span<const Query> batch, bool proposes) : batch_(batch), proposes_(proposes) {}
  bool await_ready() const noexcept { return batch_.empty() && !proposes_; }
  bool await_suspend(Search::Handle handle) noexcept {
    promise_ = &handle.promise();
    promise_->answers = {};
    if (batch_.empty() && promise_->waiting == 0) return false;  // there is nothing to wait for
    promise_->batch = batch_;
    promise_->proposes = proposes_;
    promise_->waiting += batch_.size();
    return true;
  }
  std::span<const Answer> await_resume() const noexcept {
    return promise_ ? promise_->answers : std::span<const Answer>{};
  }

 private:
  std::span<const Query> batch_;
  bool proposes_;
  Search::promise_type* promise_ = nullptr;
};

class Recommendation {
 public:
  bool await_ready() const noexcept { return false; }
  bool await_suspend(Search::Handle handle) noexcept {
    incumbent_ = &handle.promise().incumbent;
    return false;  // goes on at once
  }
  Incumbent& await_resume() const noexcept { return *incumbent_; }

 private:
  Incumbent* incumbent_ = nullptr;
};

// What a solver awaits: the answers to a batch, and the place of its recommendation.
inline Evaluation evaluate(std::span<const Query> batch) { return {batch, false}; }
// As evaluate, but for the answers that are due. `if_so`: for who passes on what another search asks, whether that
// proposes.
inline Evaluation propose(std::span<const Query> batch, bool if_so = true) { return {batch, if_so}; }
// The place of the recommendation, which the solver keeps current.
inline Recommendation recommendation() { return {}; }

inline bool Search::done() const { return handle_.done(); }

inline std::span<const Query> Search::ask() const {
  if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  return handle_.promise().batch;
}

inline bool Search::proposes() const { return handle_.promise().proposes; }

inline void Search::tell(std::span<const Answer> answers) {
  promise_type& promise = handle_.promise();
  assert(!done() && answers.size() <= promise.waiting && (promise.proposes || answers.size() == promise.waiting));
  promise.answers = answers;
  promise.waiting -= answers.size();
  handle_.resume();
  if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
}

inline const Incumbent& Search::recommend() const { return handle_.promise().incumbent; }

}  // namespace zeroth
