// SPDX-License-Identifier: MIT
#include "zeroth/model/cholesky.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

constexpr double smallest_jitter = 1e-10;
constexpr double largest_jitter = 1e2;

}  // namespace

Cholesky::Cholesky(const Matrix& k) {
  if (!k.allFinite()) throw Error("a covariance matrix holds numbers that are not finite");
  Eigen::LLT<Matrix> factor(k);
  // Of values that are all but the same nothing may be left but rounding, below zero even: the jitter must cover that.
  const double mean = k.rows() > 0 ? k.diagonal().mean() : 1;
  const double scale = mean > 0 ? mean : std::max(k.diagonal().cwiseAbs().maxCoeff(), 1e-200);
  for (double relative = smallest_jitter; factor.info() != Eigen::Success; relative *= 10) {
    if (relative > largest_jitter) throw Error("a covariance matrix is not positive definite whatever the jitter");
    jitter_ = relative * scale;
    Matrix raised = k;
    raised.diagonal().array() += jitter_;
    factor.compute(raised);
  }
  lower_ = factor.matrixL();
}

double Cholesky::log_determinant() const { return 2 * lower_.diagonal().array().log().sum(); }

void Cholesky::half_solve(Matrix& b) const { lower_.triangularView<Eigen::Lower>().solveInPlace(b); }

Vector Cholesky::half_solve(const Vector& b) const { return lower_.triangularView<Eigen::Lower>().solve(b); }

Vector Cholesky::solve(const Vector& b) const {
  return lower_.transpose().triangularView<Eigen::Upper>().solve(half_solve(b));
}

Matrix Cholesky::solve(const Matrix& b) const {
  Matrix x = b;
  half_solve(x);
  lower_.transpose().triangularView<Eigen::Upper>().solveInPlace(x);
  return x;
}

Matrix Cholesky::inverse() const {
  Matrix half = Matrix::Identity(size(), size());
  half_solve(half);
  Matrix result = Matrix::Zero(size(), size());
  result.selfadjointView<Eigen::Lower>().rankUpdate(half.transpose());
  return result.selfadjointView<Eigen::Lower>();
}

void Cholesky::append(const Vector& column, double diagonal) {
  const Index n = size();
  const Vector row = half_solve(column);
  const double pivot = diagonal + jitter_ - row.squaredNorm();
  lower_.conservativeResize(n + 1, n + 1);
  lower_.row(n).head(n) = row;
  lower_.col(n).head(n).setZero();
  lower_(n, n) = std::sqrt(std::max(pivot, smallest_jitter * diagonal));
}

}  // namespace zeroth
