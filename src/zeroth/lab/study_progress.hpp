// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace zeroth {

// A line on stderr every few seconds while a study's cells are run: how many are done and when the rest may be.
class StudyProgress {
 public:
  explicit StudyProgress(std::size_t cells) : cells_(cells) {}
  void done();  // one more cell; safe from several threads

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t cells_, done_ = 0;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
  std::mutex mutex_;
};

}  // namespace zeroth
