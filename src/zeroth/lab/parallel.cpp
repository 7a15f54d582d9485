// SPDX-License-Identifier: MIT
#include "zeroth/lab/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace zeroth {

void parallel_for(int jobs, std::size_t count, const std::function<void(std::size_t)>& work) {
  if (jobs <= 0) jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto serve = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (int j = 1; j < jobs && static_cast<std::size_t>(j) < count; ++j) helpers.emplace_back(serve);
  serve();
  helpers.clear();  // joins
  if (error) std::rethrow_exception(error);
}

}  // namespace zeroth
