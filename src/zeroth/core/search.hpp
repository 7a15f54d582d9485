// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <coroutine>
#include <exception>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// What a solver would answer if it had to stop now.
struct Incumbent {
  Vector x;
  Vector multipliers;                   // y for constraints, then equalities; empty if the solver has none
  std::map<std::string, double> trace;  // named figures worth a column: step sizes, noise estimates, residuals
  std::string note;                     // what the solver chose and why, in words
  // What a solver with a model knows beyond x; left empty by the others.
  std::vector<Vector> cautious;  // fallbacks with more and more distance from the constraints' limits
  Vector multiplier_se;          // standard errors of the multipliers
  double kkt_residual = std::numeric_limits<double>::quiet_NaN();  // noise removed, relative to the objective's slopes
  double kkt_se = std::numeric_limits<double>::quiet_NaN();
};

// A solver is a coroutine that returns a Search. Inside it:
//   Incumbent& incumbent = co_await recommendation();   the answer it keeps current; outlives the coroutine's locals
//   auto answers = co_await look(batch);                asks a batch of queries and gets as many answers, in the same
//   order
// Keep coroutine parameters by value, and the memory that queries point to in the frame.
//
// Everybody else sees three verbs: ask, tell, recommend.
class [[nodiscard]] Search {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Search(Search&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Search& operator=(Search&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;
  ~Search() {
    if (handle_) handle_.destroy();
  }

  bool done() const;
  // The batch that waits for answers; empty when the solver has finished. Valid until tell().
  std::span<const Query> ask() const;
  void tell(std::span<const Answer> answers);
  const Incumbent& recommend() const;

 private:
  explicit Search(Handle handle) : handle_(handle) {}
  Handle handle_;
};

struct Search::promise_type {
  std::span<const Query> batch;
  std::span<const Answer> answers;
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
class Look {
 public:
  explicit Look(std::span<const Query> batch) : batch_(batch) {}
  bool await_ready() const noexcept { return batch_.empty(); }
  void await_suspend(Search::Handle handle) noexcept {
    promise_ = &handle.promise();
    promise_->batch = batch_;
  }
  std::span<const Answer> await_resume() const noexcept {
    return promise_ ? promise_->answers : std::span<const Answer>{};
  }

 private:
  std::span<const Query> batch_;
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

inline Look look(std::span<const Query> batch) { return Look(batch); }
inline Recommendation recommendation() { return {}; }

inline bool Search::done() const { return handle_.done(); }

inline std::span<const Query> Search::ask() const {
  if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
  return handle_.promise().batch;
}

inline void Search::tell(std::span<const Answer> answers) {
  assert(!done() && answers.size() == ask().size());
  handle_.promise().answers = answers;
  handle_.resume();
  if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
}

inline const Incumbent& Search::recommend() const { return handle_.promise().incumbent; }

}  // namespace zeroth
