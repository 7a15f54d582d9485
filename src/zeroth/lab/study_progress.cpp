// SPDX-License-Identifier: MIT
#include "zeroth/lab/study_progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace zeroth {

void StudyProgress::done() {
  const std::lock_guard lock(mutex_);
  ++done_;
  const auto now = Clock::now();
  constexpr auto pause = std::chrono::seconds(5);
  if (now - last_ < pause && done_ < cells_) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double left = seconds / static_cast<double>(done_) * static_cast<double>(cells_ - done_);
  fmt::print(stderr, "{}/{} cells  {:.0f} s  ETA {:.0f} min\n", done_, cells_, seconds, left / 60);
}

}  // namespace zeroth
