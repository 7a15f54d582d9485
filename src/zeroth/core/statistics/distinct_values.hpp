// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <set>

namespace zeroth {

// The values that a function has taken, as long as they are few: counts, shares, yes or no.
class DistinctValues {
 public:
  void add(double value) {
    if (values_.size() <= most && !std::isnan(value)) values_.insert(value);
  }
  // Whether it takes few values, having been seen at so many points. A function that is no count seldom repeats between
  // points, with noise or without.
  bool few(std::size_t points) const {
    return values_.size() > 1 && values_.size() <= most && 3 * values_.size() <= 2 * points;
  }
  bool any_change() const { return values_.size() > 1; }
  // The smallest step between two of them.
  double step() const {
    double smallest = std::numeric_limits<double>::infinity();
    for (auto it = values_.begin(); it != values_.end() && std::next(it) != values_.end(); ++it)
      smallest = std::min(smallest, *std::next(it) - *it);
    return smallest;
  }

 private:
  static constexpr std::size_t most = 32;
  std::set<double> values_;
};

}  // namespace zeroth
