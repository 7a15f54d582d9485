// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "zeroth/engine/child.hpp"
#include "zeroth/python/callable.hpp"

namespace zeroth::python {

// A forked copy of this process that answers questions over a pair of pipes until the first of them is closed. It dies
// with us, and whatever it started dies with it.
class ForkWorker {
 public:
  ForkWorker() = default;
  ForkWorker(ForkWorker&& other) noexcept { *this = std::move(other); }
  ForkWorker& operator=(ForkWorker&& other) noexcept;
  ForkWorker(const ForkWorker&) = delete;
  ForkWorker& operator=(const ForkWorker&) = delete;
  ~ForkWorker() { kill(); }

  // Needs the GIL. `others` are closed in the copy, so that each worker sees the end of its own questions. Throws
  // OutOfResources if there are too few descriptors, processes or too little memory for another one.
  void start(const Callable& callable, Index dimension, const std::vector<int>& others);
  bool running() const { return pid_ > 0; }
  int questions() const { return questions_; }
  int answers() const { return answers_; }
  int end() const { return end_; }  // readable once the process has ended; -1 if the kernel cannot tell
  bool ended() const;               // whoever else still holds its pipes

  // False: it is gone. `functions` that can be asked alone: as many flags go with the question.
  bool ask(const Query& query, std::size_t functions);
  // Takes what has arrived; an outcome when it is whole. An ended process throws nothing: `gone` says so.
  // OutOfResources if it had too little memory to answer.
  std::optional<Outcome> receive(bool& gone);

  void close_questions();          // it ends by itself,
  Exit collect(int milliseconds);  // is given this time to,
  Exit kill();                     // or is killed, with all of its process group

 private:
  void close_pipes();
  pid_t pid_ = -1;
  int questions_ = -1, answers_ = -1, end_ = -1;
  std::string buffer_;
};

}  // namespace zeroth::python
