// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// The unit cube in which the Bayesian solvers think, and the way back into X: scale, round whole-valued coordinates,
// and project where X is not a box. A coordinate that is flagged as whole is rounded here only if its bounds are whole
// numbers other than 0 and 1: there X may have been scaled, its levels are not known, and whoever evaluates rounds.
// Categories are always rounded. What does not count at a point is put to rest in the middle, so that points that
// differ in nothing else are one.
class UnitBox {
 public:
  explicit UnitBox(const Spec& spec);  // throws an Error if X is unbounded

  Index dimension() const { return lower_.size(); }
  bool whole(Index coordinate) const { return whole_[static_cast<std::size_t>(coordinate)]; }
  // From one whole value to the next.
  double level(Index coordinate) const {
    const int levels = categories(coordinate);
    return levels > 0 ? 1.0 / std::max(1, levels - 1) : 1 / width_[coordinate];
  }
  // How many values without an order a coordinate has; 0: it is a number.
  int categories(Index coordinate) const {
    return categories_.empty() ? 0 : categories_[static_cast<std::size_t>(coordinate)];
  }
  bool any_categories() const { return !categories_.empty(); }
  Index level_of(Index coordinate, double unit) const;  // of a category, from 0 on
  // Each value with the same share of [0, 1], where rounding would give half of one to the first and the last.
  double category_at(Index coordinate, double share) const;
  bool conditional() const { return static_cast<bool>(active_); }
  bool sometimes(Index coordinate) const;  // there are points where it does not count
  // Which coordinates count at `unit`: one flag each.
  std::vector<std::uint8_t> active(const Eigen::Ref<const Vector>& unit) const;
  bool is_box() const { return is_box_; }
  double lower(Index coordinate) const { return lower_[coordinate]; }
  double upper(Index coordinate) const { return lower_[coordinate] + width_[coordinate]; }
  bool any_whole() const { return any_whole_; }

  Vector to_unit(const Vector& x) const;
  Vector to_domain(const Eigen::Ref<const Vector>& unit) const;
  // Where a logarithmic scale may fit better than the linear one: see Spec::log_offset.
  const Vector& log_offset() const { return log_offset_; }
  // A point drawn uniformly from X, in the unit cube.
  Vector sample(Rng& rng) const { return snap(to_unit(domain_.sample(rng))); }
  // The unit point that is really evaluated when `unit` is proposed.
  Vector snap(const Eigen::Ref<const Vector>& unit) const;
  // Whether known limits (Spec::known) let that be evaluated.
  bool allowed(const Eigen::Ref<const Vector>& unit) const;
  bool limited() const { return static_cast<bool>(known_); }
  // `unit`, or where that is not allowed another point drawn from X, or the last one on the way from `inside` that is.
  Vector allowed_instead(Vector unit, const Vector& inside, Rng& rng) const;

 private:
  Domain domain_;
  void find_sometimes();
  Vector rounded(Vector x) const;

  Vector lower_, width_, log_offset_;
  std::vector<int> categories_;
  std::function<void(std::span<const double>, std::span<std::uint8_t>)> active_;
  std::function<bool(std::span<const double>)> known_;
  std::vector<bool> sometimes_;
  Vector resting_;  // where a coordinate is put when it does not count
  std::vector<bool> whole_;
  bool any_whole_ = false, is_box_ = true;
};

}  // namespace zeroth
