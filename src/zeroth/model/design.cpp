// SPDX-License-Identifier: MIT
#include "zeroth/model/design.hpp"

#include <algorithm>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "zeroth/model/cholesky.hpp"

namespace zeroth {
namespace {

double smallest_squared_distance(const Matrix& points) {
  double smallest = std::numeric_limits<double>::infinity();
  for (Index j = 1; j < points.cols(); ++j)
    for (Index i = 0; i < j; ++i) smallest = std::min(smallest, (points.col(i) - points.col(j)).squaredNorm());
  return smallest;
}

}  // namespace

double thinness(Index dimension) { return std::min(1.0, 2 / std::sqrt(static_cast<double>(dimension))); }

Matrix latin_hypercube(Index dimension, Index count, Rng& rng) {
  Matrix points(dimension, count);
  std::vector<Index> order(static_cast<std::size_t>(count));
  for (Index k = 0; k < dimension; ++k) {
    std::iota(order.begin(), order.end(), Index{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
    for (Index i = 0; i < count; ++i)
      points(k, i) =
          (static_cast<double>(order[static_cast<std::size_t>(i)]) + rng.uniform()) / static_cast<double>(count);
  }
  return points;
}

Matrix maximin_latin_hypercube(Index dimension, Index count, Rng& rng, int tries) {
  Matrix best = latin_hypercube(dimension, count, rng);
  double best_distance = smallest_squared_distance(best);
  for (int attempt = 1; attempt < tries; ++attempt) {
    Matrix other = latin_hypercube(dimension, count, rng);
    const double distance = smallest_squared_distance(other);
    if (distance > best_distance) {
      best_distance = distance;
      best = std::move(other);
    }
  }
  return best;
}

Matrix d_optimal_subset(const Matrix& candidates, Index count, Rng& rng, int swaps) {
  const Index pool = candidates.cols();
  std::vector<Index> order(static_cast<std::size_t>(pool));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = 0; i + 1 < order.size(); ++i) std::swap(order[i], order[i + rng.below(order.size() - i)]);

  const double scale = 0.001 * static_cast<double>(candidates.rows() * candidates.rows());
  const auto covariance = [&](Index a, Index b) {
    return std::exp(-(candidates.col(a) - candidates.col(b)).squaredNorm() / scale) + (a == b ? 0.01 : 0.0);
  };
  const auto chosen = [&](Index i) { return order[static_cast<std::size_t>(i)]; };
  Matrix k(count, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j < count; ++j) k(i, j) = covariance(chosen(i), chosen(j));
  // |K| with point i replaced is |K_rest| times a conditional variance: the inverse of K decides a swap in O(count^2).
  Matrix inverse = Cholesky(k).inverse();
  for (int swap = 0; swap < swaps && pool > count; ++swap) {
    const Index out = static_cast<Index>(rng.below(static_cast<std::uint64_t>(count)));
    const Index in = count + static_cast<Index>(rng.below(static_cast<std::uint64_t>(pool - count)));
    Vector column(count);
    for (Index i = 0; i < count; ++i) column[i] = covariance(chosen(i), chosen(in));
    column[out] = 0;
    const Vector solved = inverse * column;
    const double rest = column.dot(solved) - solved[out] * solved[out] / inverse(out, out);
    const double new_variance = covariance(chosen(in), chosen(in)) - rest;
    if (!(new_variance > 1 / inverse(out, out))) continue;
    std::swap(order[static_cast<std::size_t>(out)], order[static_cast<std::size_t>(in)]);
    column[out] = covariance(chosen(out), chosen(out));
    k.row(out) = column.transpose();
    k.col(out) = column;
    inverse = Cholesky(k).inverse();
  }
  Matrix subset(candidates.rows(), count);
  for (Index i = 0; i < count; ++i) subset.col(i) = candidates.col(chosen(i));
  return subset;
}

SobolSequence::SobolSequence(Index dimension, std::uint64_t key) : dimension_(dimension) {
  Rng rng(key);
  for (Index k = 0; k < dimension; ++k) shift_.push_back(rng.bits());
}

Matrix SobolSequence::next(Index count) {
  boost::random::sobol sequence(static_cast<std::size_t>(dimension_));
  sequence.discard(taken_ * static_cast<std::uint64_t>(dimension_));
  Matrix points(dimension_, count);
  for (Index i = 0; i < count; ++i)
    for (Index k = 0; k < dimension_; ++k) {
      const std::uint64_t bits = sequence() ^ shift_[static_cast<std::size_t>(k)];
      points(k, i) = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
    }
  taken_ += static_cast<std::uint64_t>(count);
  return points;
}

}  // namespace zeroth
