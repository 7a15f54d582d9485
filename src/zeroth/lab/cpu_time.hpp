// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

namespace zeroth {

// CPU seconds of the calling thread: what a study may report on a machine that others use too.
inline double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace zeroth
