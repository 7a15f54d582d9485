// SPDX-License-Identifier: MIT
//
// What a set does with some of its variables alone, where they are separate: for callers that work in blocks that stay
// in cache.
#include <cassert>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/sets/box_room.hpp"

namespace zeroth {

bool Domain::separable() const {
  return factors().size() == 1 &&
         (std::holds_alternative<Box>(factors()[0].shape) || std::holds_alternative<WholeSpace>(factors()[0].shape));
}

void Domain::prox_part(const Eigen::Ref<const Vector>& v, const Eigen::Ref<const Vector>& from, double eta, Index begin,
                       Eigen::Ref<Vector> out) const {
  assert(separable() && out.size() == v.size() && from.size() == v.size());
  const auto moved = from - v / eta;
  if (const auto* box = std::get_if<Box>(&factors()[0].shape))
    out = moved.cwiseMax(box->lower.segment(begin, v.size())).cwiseMin(box->upper.segment(begin, v.size()));
  else out = moved;
}

void Domain::project_part(Index begin, Eigen::Ref<Vector> x) const {
  assert(separable());
  if (const auto* box = std::get_if<Box>(&factors()[0].shape))
    x = x.cwiseMax(box->lower.segment(begin, x.size())).cwiseMin(box->upper.segment(begin, x.size()));
}

void Domain::make_room_part(Index begin, Eigen::Ref<Vector> x, Eigen::Ref<Vector> step, bool both_sides) const {
  assert(separable());
  if (const auto* box = std::get_if<Box>(&factors()[0].shape))
    make_room_in_box(box->lower.segment(begin, x.size()), box->upper.segment(begin, x.size()), x, step, both_sides);
}

bool Domain::has_room_part(Index begin, const Eigen::Ref<const Vector>& x, double length) const {
  assert(separable());
  const auto* box = std::get_if<Box>(&factors()[0].shape);
  if (!box) return true;
  const auto lower = box->lower.segment(begin, x.size()), upper = box->upper.segment(begin, x.size());
  return (x.array() >= lower.array() + length).all() && (x.array() <= upper.array() - length).all();
}

}  // namespace zeroth
