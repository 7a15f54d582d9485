// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "zeroth/model/unit_box.hpp"
#include "zeroth/model/warp.hpp"

namespace zeroth {

// Points of the unit cube as a kernel sees them, in rows of which several may belong to one coordinate and share its
// length:
//   a number          itself
//   a category        a corner of a simplex with edges of length 1 around 1/2: any two differ alike, so that the kernel
//                     is 1 for the same and one number, learned with the length, for two different ones
//   what may not      a number u on an arc of radius r = 2 / pi, (1/2 + r sin a, 1/2 + r cos a), a = (u - 1/2) / r:
//   near apply             by near by as before, and all of them equally far from (1/2, 1/2), where it does not apply
//                     (Hutter and Osborne, 2013)
class Embedding {
 public:
  Embedding() = default;
  explicit Embedding(const UnitBox& box);

  bool plain() const { return rows_.empty(); }  // every coordinate is itself
  // Which coordinate's length a row has; null if plain.
  std::shared_ptr<const std::vector<Index>> length_of_row() const {
    return plain() ? nullptr : std::make_shared<const std::vector<Index>>(rows_);
  }
  Matrix operator()(const Matrix& units, const InputWarp& warp) const;
  // A slope by rows at `unit` as one by coordinates, through the warp; 0 for those that cannot be moved.
  Vector slope_by_unit(const Vector& by_rows, const Vector& unit, const InputWarp& warp) const;

 private:
  struct Part {
    Index first = 0;  // row
    int levels = 0;   // of a category
    bool sometimes = false;
  };
  const UnitBox* box_ = nullptr;
  std::vector<Part> parts_;  // one per coordinate
  std::vector<Index> rows_;
};

}  // namespace zeroth
