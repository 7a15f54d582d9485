// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/problem.hpp"

namespace zeroth {

// The unit cube in which the Bayesian solvers think, and the way back into X: scale, round whole-valued coordinates,
// and project where X is not a box. A coordinate that is flagged as whole is rounded here only if its bounds are whole
// numbers other than 0 and 1: there X may have been scaled, its levels are not known, and whoever evaluates rounds.
class UnitBox {
 public:
  explicit UnitBox(const Spec& spec);  // throws an Error if X is unbounded

  Index dimension() const { return lower_.size(); }
  bool whole(Index coordinate) const { return whole_[static_cast<std::size_t>(coordinate)]; }
  bool any_whole() const { return any_whole_; }

  Vector to_unit(const Vector& x) const;
  Vector to_domain(const Eigen::Ref<const Vector>& unit) const;
  // The unit point that is really evaluated when `unit` is proposed.
  Vector snap(const Eigen::Ref<const Vector>& unit) const;

 private:
  Domain domain_;
  Vector lower_, width_;
  std::vector<bool> whole_;
  bool any_whole_ = false, is_box_ = true;
};

}  // namespace zeroth
