// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// Open questions of a run with a lag, oldest first. They outlive the batch that they were asked in, so they are copied.
class Window {
 public:
  void add(std::span<const Query> batch);
  void drop(std::size_t count);  // the oldest
  std::span<const Query> queries() const { return queries_; }
  std::size_t size() const { return queries_.size(); }

 private:
  struct Kept {
    std::vector<double> x, weights;
    std::vector<std::uint8_t> wanted;
  };
  std::deque<Kept> kept_;  // what the queries point to: it stays where it is
  std::vector<Query> queries_;
};

}  // namespace zeroth
