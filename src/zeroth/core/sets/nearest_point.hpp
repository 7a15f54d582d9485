// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// The point of { w : low_k <= <normal_k, w> <= high_k } nearest to a given one, by the dual active-set method that
// quadratic_program.hpp names. The first normals are the rows of a matrix, of any length; if `bounds`, the unit vectors
// follow.
class NearestPoint {
 public:
  NearestPoint(const Matrix& rows, const Vector& low, const Vector& high, const Vector& cap, bool bounds);

  enum class Outcome : std::uint8_t { found, impossible, stalled };
  // `guess` as WorkingSet.
  Outcome find(const Vector& from, const std::vector<std::int8_t>& guess);

  const Vector& point() const { return w_; }
  Vector multipliers() const;  // of the constraints as they were given: from - point = sum of multiplier * normal
  std::vector<std::int8_t> working_set() const;
  const Vector& conflict() const { return conflict_; }  // weights, when impossible
  int changes() const { return changes_; }

 private:
  enum class State : std::uint8_t { idle, active, capped };
  struct Range {
    double low, high;
  };

  Index count() const { return static_cast<Index>(state_.size()); }
  void normal_of(Index k, Vector& out) const;
  Vector products(const Vector& w) const;  // <normal_k, w> for all k
  double end_of(Index k) const { return side_[static_cast<std::size_t>(k)] > 0 ? high_[k] : low_[k]; }
  Range range_of(Index k) const;  // in which the multiplier may move
  double tolerance_of(double end) const;

  bool reduce(const Vector& normal);  // splits it into basis and remainder; false if nothing remains
  void append(Index k);               // the normal that was just reduced
  void remove(Index position);
  void refresh();  // point and multipliers from the working set alone
  void begin(const std::vector<std::int8_t>& guess);
  struct Entering {
    Index k = -1;
    double direction = 0, violation = 0;
  };
  Entering most_violated() const;
  enum class Step : std::uint8_t { entered, left, impossible };
  Step enter(const Entering& entering);

  Vector scale_;  // one over the length of each row
  Matrix rows_;   // of length one
  Vector low_, high_, cap_;
  bool bounds_;
  Vector from_, w_, y_;
  std::vector<State> state_;
  std::vector<std::int8_t> side_;
  std::vector<std::uint8_t> settled_;  // dependent on the working set and as good as satisfied
  std::vector<Index> working_;
  Matrix q_, r_;  // normals of the working set = q_ r_, in the first columns
  Vector along_, rest_;
  double rest_length_ = 0;
  Vector conflict_;
  int changes_ = 0;
};

}  // namespace zeroth
