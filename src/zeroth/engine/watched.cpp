// SPDX-License-Identifier: MIT
#include "zeroth/engine/watched.hpp"

#include <algorithm>

namespace zeroth {

void WatchedEngine::begin(std::size_t questions) {
  open_ = questions;
  last_ = Clock::now();
}

Engine::OnAnswer WatchedEngine::noting(const OnAnswer& on_answer) {
  return [this, &on_answer](std::size_t position, Answer answer, const Circumstances& how) {
    if (open_ > 0) --open_;
    last_ = Clock::now();
    on_answer(position, std::move(answer), how);
    last_ = Clock::now();  // what the solver thinks in there is no silence of the evaluator's
  };
}

void WatchedEngine::evaluate(std::span<const Query> batch, const OnAnswer& on_answer,
                             const std::function<bool()>& stop) {
  begin(batch.size());
  engine_.evaluate(batch, noting(on_answer), stop);
  open_ = 0;
}

void WatchedEngine::stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
                           const More& more) {
  begin(batch.size());
  if (!more) {
    engine_.stream(batch, noting(on_answer), stop, more);
  } else {
    engine_.stream(batch, noting(on_answer), stop, [&] {
      const auto added = more();
      open_ += added.size();
      last_ = Clock::now();
      return added;
    });
  }
  open_ = 0;
}

std::size_t WatchedEngine::under_way() const { return std::min(open_, static_cast<std::size_t>(std::max(1, width()))); }

double WatchedEngine::silent_seconds() const {
  return open_ == 0 ? 0 : std::chrono::duration<double>(Clock::now() - last_).count();
}

}  // namespace zeroth
