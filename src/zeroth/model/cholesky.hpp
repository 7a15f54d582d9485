// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth {

// K = L L' of a covariance matrix, and the one place where jitter is decided: none if K factors as it is; otherwise the
// smallest of 1e-10, 1e-9, ..., times the mean of the diagonal, that makes it factor.
class Cholesky {
 public:
  Cholesky() = default;
  explicit Cholesky(const Matrix& k);

  Index size() const { return lower_.rows(); }
  const Matrix& lower() const { return lower_; }
  double jitter() const { return jitter_; }
  double log_determinant() const;

  void half_solve(Matrix& b) const;  // b := L^-1 b
  Vector half_solve(const Vector& b) const;
  Vector solve(const Vector& b) const;
  Matrix solve(const Matrix& b) const;
  Matrix inverse() const;

  // K grows by one row and column in O(n^2). A point that repeats another one too closely gets a jitter of its own.
  void append(const Vector& column, double diagonal);

 private:
  Matrix lower_;
  double jitter_ = 0;
};

}  // namespace zeroth
