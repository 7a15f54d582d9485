// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth {

// r^2 = sum_k ((x_ik - x_jk) / length_k)^2 of all pairs i > j, for a sampler that changes one length at a time: a trial
// costs one pass over the pairs, instead of one for every coordinate.
class PairDistances {
 public:
  explicit PairDistances(const Matrix& points);  // columns

  // Pair by pair: column after column of the lower triangle without its diagonal.
  const Vector& squared(const Eigen::Ref<const Vector>& lengths);

 private:
  Vector sum(const Eigen::Ref<const Vector>& lengths) const;
  void rebase(const Eigen::Ref<const Vector>& lengths);
  Vector moved(double length) const;  // the base with another length of tried_

  Matrix squares_;              // pairs x coordinates, for lengths of 1
  Vector base_lengths_, base_;  // what trials start from
  Vector trial_;
  Index tried_ = 0;  // the coordinate in which the last trial left the base
  int moves_ = 0;    // of the base since it was summed
};

}  // namespace zeroth
