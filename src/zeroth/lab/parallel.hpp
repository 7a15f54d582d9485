// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace zeroth {

// Calls work(0) .. work(count - 1) on `jobs` threads (0: as many as there are cores), dealt to whoever is free. The
// order of calls is not fixed, so work(i) must depend on i alone. The first exception is thrown again here, after all
// have ended.
void parallel_for(int jobs, std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace zeroth
