// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Room for a step in a box, coordinate by coordinate: a step longer than the interval allows is cut, then x slides
// inward by the overshoot.
inline void make_room_in_box(const Eigen::Ref<const Vector>& lower, const Eigen::Ref<const Vector>& upper,
                             Eigen::Ref<Vector> x, Eigen::Ref<Vector> step, bool both_sides) {
  for (Index i = 0; i < x.size(); ++i) {
    const double most = (upper[i] - lower[i]) * (both_sides ? 0.5 : 1.0);
    step[i] = std::clamp(step[i], -most, most);
    const double down = both_sides ? std::abs(step[i]) : std::max(0.0, -step[i]);
    const double up = both_sides ? std::abs(step[i]) : std::max(0.0, step[i]);
    const double low = lower[i] + down, high = upper[i] - up;
    x[i] = low <= high ? std::clamp(x[i], low, high) : 0.5 * (low + high);
  }
}

}  // namespace zeroth
