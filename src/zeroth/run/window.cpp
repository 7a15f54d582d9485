// SPDX-License-Identifier: MIT
#include "zeroth/run/window.hpp"

namespace zeroth {

void Window::add(std::span<const Query> batch) {
  for (const Query& q : batch) {
    const Kept& kept = kept_.emplace_back(
        Kept{{q.x.begin(), q.x.end()}, {q.weights.begin(), q.weights.end()}, {q.wanted.begin(), q.wanted.end()}});
    queries_.push_back({kept.x, q.noise, kept.wanted, kept.weights});
  }
}

void Window::drop(std::size_t count) {
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
  queries_.erase(queries_.begin(), queries_.begin() + static_cast<std::ptrdiff_t>(count));
}

}  // namespace zeroth
