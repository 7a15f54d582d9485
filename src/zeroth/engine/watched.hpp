// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "zeroth/engine/engine.hpp"

namespace zeroth {

// An engine that knows how long it has been waiting: what a hang looks like from outside.
class WatchedEngine final : public Engine {
 public:
  explicit WatchedEngine(Engine& engine) : engine_(engine) {}

  std::string name() const override { return engine_.name(); }
  int width() const override { return engine_.width(); }
  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop) override;
  void stream(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>& stop,
              const More& more) override;

  std::size_t under_way() const;  // evaluations that are being waited for, at most
  double silent_seconds() const;  // since the last answer, or since the batch began; 0: nothing is waited for

 private:
  using Clock = std::chrono::steady_clock;
  OnAnswer noting(const OnAnswer& on_answer);
  void begin(std::size_t questions);

  Engine& engine_;
  std::size_t open_ = 0;
  Clock::time_point last_{};
};

// When to speak of a silence: after a minute, and then whenever it has doubled.
class Silence {
 public:
  explicit Silence(double first = 60) : first_(first), next_(first) {}
  // True if it is time to say that nothing has come for so long.
  bool worth_saying(double seconds) {
    if (seconds < first_ / 2) next_ = first_;  // something came meanwhile
    if (seconds < next_) return false;
    next_ = 2 * seconds;
    return true;
  }

 private:
  double first_, next_;
};

}  // namespace zeroth
