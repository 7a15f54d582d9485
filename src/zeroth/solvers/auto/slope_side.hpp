// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "zeroth/core/search.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {

// The search by slopes inside `auto`: over the real variables alone, the others held where it began. Everybody else
// sees points of the problem.
class SlopeSide {
 public:
  // What kind of search follows the slopes.
  enum class Noise : std::uint8_t { none, shared, independent };

  SlopeSide(const Spec& spec, const UnitBox* box, std::uint64_t seed);

  bool possible() const { return !all_reals_.empty() && separable_; }
  bool moves_everything() const { return static_cast<Index>(reals_.size()) == spec_.dimension(); }
  bool running() const { return search_.has_value(); }
  // Begins anew, with what is known of `from` without noise, if anything is. Where nothing is left to move, nothing
  // runs.
  void begin(const Vector& from, Noise noise, const std::vector<double>& known = {});
  std::uint64_t starts() const { return starts_; }

  bool done() const { return search_->done(); }
  bool proposes() const { return search_->proposes(); }
  std::span<const Query> ask();  // valid until tell()
  void tell(std::span<const Answer> answers) { search_->tell(answers); }
  Incumbent recommend() const;

 private:
  Spec spec_at(const Vector& from, Noise noise) const;
  Vector to_problem(std::span<const double> local) const;

  const Spec& spec_;
  const UnitBox* box_;  // null: X is unbounded
  std::uint64_t seed_, starts_ = 0;
  std::vector<Index> reals_, all_reals_;
  bool separable_ = true;
  Vector held_;
  std::optional<Search> search_;
  std::vector<Vector> x_;
  std::vector<Query> batch_;
};

// A step of the search without noise solves for as many weights as it keeps points, 2n + 1, and slopes.
bool interpolation_is_affordable(Index n);

}  // namespace zeroth
