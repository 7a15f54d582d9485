// SPDX-License-Identifier: MIT
#include "zeroth/model/embedding.hpp"

#include <cmath>

namespace zeroth {
namespace {

constexpr double arc = 0.63661977236758134308;   // 2 / pi
constexpr double edge = 0.70710678118654752440;  // 1 / sqrt 2: corners of a simplex are then 1 apart

}  // namespace

Embedding::Embedding(const UnitBox& box) : box_(&box) {
  bool needed = false;
  for (Index k = 0; k < box.dimension(); ++k) {
    const Part part{static_cast<Index>(rows_.size()), box.categories(k), box.sometimes(k)};
    needed = needed || part.levels > 0 || part.sometimes;
    const int rows = part.levels > 0 ? part.levels : part.sometimes ? 2 : 1;
    rows_.insert(rows_.end(), static_cast<std::size_t>(rows), k);
    parts_.push_back(part);
  }
  if (!needed) rows_.clear();
}

Matrix Embedding::operator()(const Matrix& units, const InputWarp& warp) const {
  if (plain()) return warp(units);
  Matrix out(static_cast<Index>(rows_.size()), units.cols());
  for (Index i = 0; i < units.cols(); ++i) {
    const std::vector<std::uint8_t> active = box_->active(units.col(i));
    for (Index k = 0; k < units.rows(); ++k) {
      const Part& part = parts_[static_cast<std::size_t>(k)];
      const double u = warp.at(k, units(k, i));
      const bool counts = active[static_cast<std::size_t>(k)] != 0;
      if (part.levels > 0) {
        const Index level = box_->level_of(k, units(k, i));
        for (Index j = 0; j < part.levels; ++j)
          out(part.first + j, i) = counts ? 0.5 + edge * ((j == level ? 1 : 0) - 1.0 / part.levels) : 0.5;
      } else if (part.sometimes) {
        const double angle = (u - 0.5) / arc;
        out(part.first, i) = counts ? 0.5 + arc * std::sin(angle) : 0.5;
        out(part.first + 1, i) = counts ? 0.5 + arc * std::cos(angle) : 0.5;
      } else {
        out(part.first, i) = u;
      }
    }
  }
  return out;
}

Vector Embedding::slope_by_unit(const Vector& by_rows, const Vector& unit, const InputWarp& warp) const {
  Vector slope = by_rows;
  if (!plain()) {
    slope = Vector::Zero(unit.size());
    const std::vector<std::uint8_t> active = box_->active(unit);
    for (Index k = 0; k < unit.size(); ++k) {
      const Part& part = parts_[static_cast<std::size_t>(k)];
      if (part.levels > 0 || active[static_cast<std::size_t>(k)] == 0) continue;
      const double angle = (warp.at(k, unit[k]) - 0.5) / arc;
      slope[k] = part.sometimes ? by_rows[part.first] * std::cos(angle) - by_rows[part.first + 1] * std::sin(angle)
                                : by_rows[part.first];
    }
  }
  if (warp.active())
    for (Index k = 0; k < unit.size(); ++k) slope[k] *= warp.slope(k, unit[k]);
  return slope;
}

}  // namespace zeroth
