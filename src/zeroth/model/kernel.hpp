// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth {

// A stationary covariance k(x, y) = amplitude * rho(r^2), r^2 = sum_k ((x_k - y_k) / length_k)^2, with
//   squared exponential: rho = exp(-r^2 / 2)
//   Matern 5/2:          rho = (1 + sqrt5 r + 5 r^2 / 3) exp(-sqrt5 r).
// One length for all coordinates is the isotropic kernel. With `mixing`, x and y stand for mixing * x and mixing * y:
// what acts is then a combination of coordinates, as when only a ratio of two variables matters. Points are the columns
// of a matrix everywhere.
struct Kernel {
  enum class Form { squared_exponential, matern52 };

  Form form = Form::matern52;
  Vector length;
  double amplitude = 1;
  Matrix mixing = {};  // unit upper triangular; empty: none

  bool mixed() const { return mixing.size() > 0; }
  bool isotropic() const { return length.size() == 1; }
  double length_of(Index coordinate) const { return isotropic() ? length[0] : length[coordinate]; }

  Matrix operator()(const Matrix& a, const Matrix& b) const;
  Matrix operator()(const Matrix& a) const;  // symmetric
  Vector column(const Matrix& a, const Eigen::Ref<const Vector>& x) const;
  double operator()(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y) const;

  void from_squared_distances(Vector& r2) const;  // r^2 becomes k

  // d k(a_i, x) / d(r^2), from which follow all derivatives by x and by the lengths.
  Vector slopes(const Matrix& a, const Eigen::Ref<const Vector>& x) const;
  Matrix slopes(const Matrix& a) const;
};

}  // namespace zeroth
