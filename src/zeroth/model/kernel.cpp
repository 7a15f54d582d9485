// SPDX-License-Identifier: MIT
#include "zeroth/model/kernel.hpp"

#include <cmath>

namespace zeroth {
namespace {

constexpr double sqrt5 = 2.2360679774997896964;
// Points with more coordinates than this are read one by one, shorter ones coordinate by coordinate.
constexpr Index many_coordinates = 32;

// Coordinates become columns, so that the loops over points run along memory.
Matrix scaled(const Kernel& k, const Matrix& points) {
  Matrix s = points.transpose();
  if (k.mixed()) s *= k.mixing.transpose();
  for (Index j = 0; j < s.cols(); ++j) s.col(j) /= k.length_of(j);
  return s;
}

// Differences, not the expanded square: close points keep all their digits.
template <class Column>
void squared_distances(const Matrix& scaled_points, const Eigen::RowVectorXd& y, Column&& out) {
  out = (scaled_points.col(0).array() - y[0]).square().matrix();
  for (Index j = 1; j < scaled_points.cols(); ++j) out += (scaled_points.col(j).array() - y[j]).square().matrix();
}

template <class Array>
void rho_of(Kernel::Form form, double amplitude, Array&& r2) {
  if (form == Kernel::Form::squared_exponential) {
    r2 = amplitude * (-0.5 * r2).exp();
  } else {
    const Eigen::ArrayXXd r = sqrt5 * r2.sqrt();
    r2 = amplitude * (1 + r + (5.0 / 3.0) * r2) * (-r).exp();
  }
}

template <class Array>
void slope_of(Kernel::Form form, double amplitude, Array&& r2) {
  if (form == Kernel::Form::squared_exponential) {
    r2 = -0.5 * amplitude * (-0.5 * r2).exp();
  } else {
    const Eigen::ArrayXXd r = sqrt5 * r2.sqrt();
    r2 = (-5.0 / 6.0) * amplitude * (1 + r) * (-r).exp();
  }
}

Matrix all_squared_distances(const Kernel& k, const Matrix& a, const Matrix& b) {
  const Matrix sa = scaled(k, a), sb = scaled(k, b);
  Matrix r2(a.cols(), b.cols());
  for (Index j = 0; j < b.cols(); ++j) squared_distances(sa, sb.row(j), r2.col(j));
  return r2;
}

// Among the columns of a: every distance once.
Matrix all_squared_distances(const Kernel& k, const Matrix& a) {
  const Matrix s = scaled(k, a);
  const Index n = a.cols();
  Matrix r2(n, n);
  for (Index j = 0; j < n; ++j) {
    auto below = r2.col(j).tail(n - j);
    below = (s.col(0).tail(n - j).array() - s(j, 0)).square().matrix();
    for (Index c = 1; c < s.cols(); ++c) below += (s.col(c).tail(n - j).array() - s(j, c)).square().matrix();
    r2.row(j).tail(n - j) = below.transpose();
  }
  return r2;
}

Vector squared_distances_to(const Kernel& k, const Matrix& a, const Eigen::Ref<const Vector>& x) {
  if (k.mixed()) {
    const Kernel plain{k.form, k.length, k.amplitude};
    return squared_distances_to(plain, k.mixing * a, k.mixing * x);
  }
  if (a.rows() > many_coordinates) {
    const Vector weight = Vector::NullaryExpr(a.rows(), [&](Index j) { return 1 / k.length_of(j); });
    return Vector::NullaryExpr(a.cols(), [&](Index i) { return (a.col(i) - x).cwiseProduct(weight).squaredNorm(); });
  }
  Vector r2 = Vector::Zero(a.cols());
  for (Index j = 0; j < a.rows(); ++j) r2 += ((a.row(j).transpose().array() - x[j]) / k.length_of(j)).square().matrix();
  return r2;
}

}  // namespace

Matrix Kernel::operator()(const Matrix& a, const Matrix& b) const {
  Matrix r2 = all_squared_distances(*this, a, b);
  rho_of(form, amplitude, r2.array());
  return r2;
}

Matrix Kernel::operator()(const Matrix& a) const {
  Matrix r2 = all_squared_distances(*this, a);
  rho_of(form, amplitude, r2.array());
  return r2;
}

Vector Kernel::column(const Matrix& a, const Eigen::Ref<const Vector>& x) const {
  Vector r2 = squared_distances_to(*this, a, x);
  rho_of(form, amplitude, r2.array());
  return r2;
}

double Kernel::operator()(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y) const {
  const Vector difference = mixed() ? Vector(mixing * (x - y)) : Vector(x - y);
  double r2 = 0;
  for (Index j = 0; j < x.size(); ++j) r2 += std::pow(difference[j] / length_of(j), 2);
  if (form == Form::squared_exponential) return amplitude * std::exp(-0.5 * r2);
  const double r = sqrt5 * std::sqrt(r2);
  return amplitude * (1 + r + 5.0 / 3.0 * r2) * std::exp(-r);
}

void Kernel::from_squared_distances(Vector& r2) const { rho_of(form, amplitude, r2.array()); }

Vector Kernel::slopes(const Matrix& a, const Eigen::Ref<const Vector>& x) const {
  Vector r2 = squared_distances_to(*this, a, x);
  slope_of(form, amplitude, r2.array());
  return r2;
}

Matrix Kernel::slopes(const Matrix& a) const {
  Matrix r2 = all_squared_distances(*this, a);
  slope_of(form, amplitude, r2.array());
  return r2;
}

}  // namespace zeroth
