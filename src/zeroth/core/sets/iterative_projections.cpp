// SPDX-License-Identifier: MIT
#include "zeroth/core/sets/iterative_projections.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <vector>

namespace zeroth {
namespace {

using MatrixView = Eigen::Map<const Matrix>;
using Svd = Eigen::JacobiSVD<Matrix>;

// Weights of the point of least norm in the affine hull of the columns: (W'W + 11') b = 1, a = b / sum b.
Vector affine_weights(const Matrix& w) {
  Matrix gram = w.transpose() * w;
  const double scale = std::max(gram.diagonal().maxCoeff(), 1e-300);
  gram = (gram / scale).eval();
  gram.array() += 1;
  const Vector b = gram.completeOrthogonalDecomposition().solve(Vector::Ones(gram.rows()));
  return b / b.sum();
}

}  // namespace

double nuclear_norm(Index rows, Index columns, const Vector& x) {
  return Svd(MatrixView(x.data(), rows, columns)).singularValues().sum();
}

void project_onto_nuclear_ball(Index rows, Index columns, double radius, Eigen::Ref<Vector> x,
                               const std::function<double(const Vector&, double)>& threshold) {
  const Svd svd(MatrixView(x.data(), rows, columns), Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Vector& values = svd.singularValues();
  if (values.sum() <= radius * (1 + 1e-14)) return;
  const Vector kept = (values.array() - threshold(values, radius)).max(0.0);
  Eigen::Map<Matrix>(x.data(), rows, columns) = svd.matrixU() * kept.asDiagonal() * svd.matrixV().transpose();
}

void leading_pair(Index rows, Index columns, const Eigen::Ref<const Vector>& matrix, Vector& u, Vector& v) {
  const MatrixView a(matrix.data(), rows, columns);
  // From the longest column: never orthogonal to the pair unless the matrix is zero.
  Index longest = 0;
  a.colwise().squaredNorm().maxCoeff(&longest);
  v = Vector::Unit(columns, longest);
  u = a.col(longest);
  double value = u.norm();
  if (!(value > 0)) {
    u = Vector::Unit(rows, 0);
    return;
  }
  u /= value;
  for (int iteration = 0; iteration < 1000; ++iteration) {
    v.noalias() = a.transpose() * u;
    v.normalize();
    u.noalias() = a * v;
    const double next = u.norm();
    u /= next;
    if (next - value <= 1e-12 * next) break;
    value = next;
  }
}

void project_onto_hull(const Matrix& vertices, Eigen::Ref<Vector> x) {
  const Matrix w = vertices.colwise() - Vector(x);
  Index first = 0;
  const Vector squares = w.colwise().squaredNorm();
  squares.minCoeff(&first);
  const double scale = std::max(squares.maxCoeff(), 1e-300);
  std::vector<Index> corral{first};
  Vector weights = Vector::Ones(1), point = w.col(first);
  const auto columns = [&] {
    Matrix c(w.rows(), static_cast<Index>(corral.size()));
    for (std::size_t k = 0; k < corral.size(); ++k) c.col(static_cast<Index>(k)) = w.col(corral[k]);
    return c;
  };
  for (Index major = 0; major < 20 * w.cols() + 100; ++major) {
    Index next = 0;
    const double least = (w.transpose() * point).minCoeff(&next);
    if (point.squaredNorm() - least <= 1e-15 * scale || std::ranges::find(corral, next) != corral.end()) break;
    corral.push_back(next);
    weights.conservativeResize(weights.size() + 1);
    weights[weights.size() - 1] = 0;
    for (;;) {
      const Matrix c = columns();
      const Vector wanted = affine_weights(c);
      if ((wanted.array() > 1e-14).all()) {
        weights = wanted;
        break;
      }
      double share = 1;  // of the way to `wanted` before a weight reaches zero
      for (Index k = 0; k < weights.size(); ++k)
        if (wanted[k] <= 1e-14) share = std::min(share, weights[k] / std::max(weights[k] - wanted[k], 1e-300));
      weights += std::clamp(share, 0.0, 1.0) * (wanted - weights);
      std::vector<Index> kept;
      std::vector<double> kept_weights;
      for (Index k = 0; k < weights.size(); ++k) {
        if (weights[k] <= 1e-14) continue;
        kept.push_back(corral[static_cast<std::size_t>(k)]);
        kept_weights.push_back(weights[k]);
      }
      corral = kept;
      weights = as_vector(kept_weights);
      weights /= weights.sum();
      if (corral.size() == 1) break;
    }
    point = columns() * weights;
  }
  x += point;
}

Matrix directions_of(const Matrix& columns) {
  const Eigen::ColPivHouseholderQR<Matrix> qr(columns);
  const Matrix q = qr.householderQ();
  return q.leftCols(qr.rank());
}

}  // namespace zeroth
