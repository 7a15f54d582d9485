// SPDX-License-Identifier: MIT
#include "zeroth/solvers/pesc/pair_distances.hpp"

namespace zeroth {
namespace {

// Rounding errors of the moves add up: after so many the sum is taken afresh.
constexpr int most_moves = 100;
constexpr double most_cancelled = 1e4;

double weight(double length) { return 1 / (length * length); }

}  // namespace

PairDistances::PairDistances(const Matrix& points) : squares_(points.cols() * (points.cols() - 1) / 2, points.rows()) {
  for (Index k = 0; k < points.rows(); ++k)
    for (Index j = 0, pair = 0; j < points.cols(); ++j)
      for (Index i = j + 1; i < points.cols(); ++i, ++pair) {
        const double difference = points(k, i) - points(k, j);
        squares_(pair, k) = difference * difference;
      }
}

Vector PairDistances::sum(const Eigen::Ref<const Vector>& lengths) const {
  Vector total = Vector::Zero(squares_.rows());
  for (Index k = 0; k < lengths.size(); ++k) total += weight(lengths[k]) * squares_.col(k);
  return total;
}

void PairDistances::rebase(const Eigen::Ref<const Vector>& lengths) {
  base_lengths_ = lengths;
  base_ = sum(lengths);
  moves_ = 0;
}

// What a very short length contributed would leave its rounding error behind.
Vector PairDistances::moved(double length) const {
  const double before = weight(base_lengths_[tried_]), after = weight(length);
  if (before > most_cancelled * after) {
    Vector lengths = base_lengths_;
    lengths[tried_] = length;
    return sum(lengths);
  }
  return (base_ + (after - before) * squares_.col(tried_)).cwiseMax(0);
}

// Trials do not build on one another: the base moves when a trial turns out to have been accepted, that is, when it
// stands while another coordinate is tried.
const Vector& PairDistances::squared(const Eigen::Ref<const Vector>& lengths) {
  if (base_lengths_.size() != lengths.size()) rebase(lengths);
  Index coordinate = -1, others = 0;
  for (Index k = 0; k < lengths.size(); ++k)
    if (k != tried_ && lengths[k] != base_lengths_[k]) coordinate = k, ++others;
  if (others > 1) {
    rebase(lengths);
  } else if (others == 1) {
    if (moves_ == most_moves) {
      Vector accepted = lengths;
      accepted[coordinate] = base_lengths_[coordinate];
      rebase(accepted);
    } else if (lengths[tried_] != base_lengths_[tried_]) {
      base_ = moved(lengths[tried_]);
      base_lengths_[tried_] = lengths[tried_];
      ++moves_;
    }
    tried_ = coordinate;
  }
  if (lengths[tried_] == base_lengths_[tried_]) return base_;
  trial_ = moved(lengths[tried_]);
  return trial_;
}

}  // namespace zeroth
