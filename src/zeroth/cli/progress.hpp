// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth::cli {

// What the user sees on stderr while a run goes on: one line that renews itself on a terminal, a plain line now and
// then elsewhere, nothing when quiet.
class ProgressLine {
 public:
  ProgressLine(bool quiet, const ResolvedProblem& problem);  // the problem must live as long
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void say(const std::string& line);
  void observe(const Progress& progress);
  std::size_t largest_batch() const { return largest_batch_; }

 private:
  void evaluation_at(const Answer& answer);
  std::string text(const Progress& progress, double rate) const;
  void clear();

  using Clock = std::chrono::steady_clock;
  bool quiet_, terminal_, colour_, maximize_, drawn_ = false;
  Index constraints_;
  const Meaning* meaning_;
  double best_;              // lowest objective seen among answers that looked feasible
  std::deque<bool> recent_;  // whether the latest answers looked feasible
  std::size_t feasible_recently_ = 0, largest_batch_ = 0;
  std::int64_t first_live_ = -1;  // evaluations at hand when the replay was over: the rate counts from there
  double first_live_seconds_ = 0;
  Clock::time_point last_;
};

}  // namespace zeroth::cli
