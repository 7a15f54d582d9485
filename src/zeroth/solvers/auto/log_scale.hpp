// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/core/search.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/model/warp.hpp"

namespace zeroth {

// A problem whose variables are seen on logarithmic scales where their bounds allow it, all of them from 0 to 1.
// Whoever searches there sees another Spec; everybody else sees points of the problem.
class LogScale {
 public:
  // Whether there is anything to gain: real variables in a box, some of them between positive bounds far apart.
  static bool possible(const Spec& spec);

  explicit LogScale(const Spec& spec);

  Spec spec() const;  // the problem as it is seen there
  Vector to_problem(std::span<const double> z) const;
  Vector from_problem(const Vector& x) const;
  // Questions asked there, as the problem's own; valid until the next call.
  std::span<const Query> to_problem(std::span<const Query> batch);
  void to_problem(Incumbent& incumbent) const;

 private:
  const Spec& spec_;
  UnitBox box_;
  InputWarp warp_;
  std::vector<Vector> x_;
  std::vector<Query> batch_;
};

}  // namespace zeroth
