// SPDX-License-Identifier: MIT
//
// min f_0(x) s.t. f_i(x) <= 0 (i = 1..m) and, on a box, |x_j| <= size.
//   barrier:   phi_t(x) = t f_0(x) - sum_i log(-f_i(x)) - sum_j log(size^2 - x_j^2)
//   multiplier of constraint i on the central path: y_i = -1 / (t f_i(x)), of x_j^2 <= size^2: z_j = 1 / (t (size^2 -
//   x_j^2)). The dual function g(y, z) = min_x f_0 + sum y_i f_i + sum_j z_j (x_j^2 - size^2) is an unconstrained
//   convex quadratic: solved exactly, it certifies f_0(x) - g(y, z) >= f_0(x) - f_0*.
// Boyd and Vandenberghe, Convex Optimization, sections 11.2 and 11.3.
#include "zeroth/problems/qcqp_optimum.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace zeroth {
namespace {

struct Barrier {
  const std::vector<Quadratic>& f;
  bool box;
  double size;

  double value(const Vector& x, double t) const {
    double sum = t * f[0].value(x);
    for (std::size_t i = 1; i < f.size(); ++i) {
      const double slack = -f[i].value(x);
      if (!(slack > 0)) return std::numeric_limits<double>::infinity();
      sum -= std::log(slack);
    }
    if (box) {
      if ((x.array().abs() >= size).any()) return std::numeric_limits<double>::infinity();
      sum -= (size * size - x.array().square()).log().sum();
    }
    return sum;
  }

  void derivatives(const Vector& x, double t, Vector& gradient, Matrix& hessian) const {
    gradient = t * f[0].gradient(x);
    hessian = 2 * t * f[0].A;
    for (std::size_t i = 1; i < f.size(); ++i) {
      const double slack = -f[i].value(x);
      const Vector g = f[i].gradient(x);
      gradient += g / slack;
      hessian += (2 / slack) * f[i].A;
      hessian.selfadjointView<Eigen::Lower>().rankUpdate(g, 1 / (slack * slack));
    }
    if (box) {
      const auto room = (size * size - x.array().square()).eval();
      gradient.array() += 2 * x.array() / room;
      hessian.diagonal().array() += 2 / room + 4 * x.array().square() / room.square();
    }
  }
};

void newton(const Barrier& barrier, double t, Vector& x) {
  Vector gradient, step;
  Matrix hessian;
  for (int iteration = 0; iteration < 200; ++iteration) {
    barrier.derivatives(x, t, gradient, hessian);
    const Eigen::LLT<Matrix, Eigen::Lower> factor(hessian);
    step = -factor.solve(gradient);
    const double decrement = -gradient.dot(step);
    if (!(decrement > 1e-18)) return;
    double length = 1;
    const double here = barrier.value(x, t);
    while (length > 1e-12 && !(barrier.value(x + length * step, t) <= here - 0.25 * length * decrement)) length *= 0.5;
    if (length <= 1e-12) return;  // rounding: no further descent to be had at this t
    x += length * step;
  }
}

double dual_value(const std::vector<Quadratic>& f, const Vector& y, const Vector& z, double size) {
  Matrix A = f[0].A;
  Vector b = f[0].b;
  double c = f[0].c;
  for (std::size_t i = 1; i < f.size(); ++i) {
    const double yi = y[static_cast<Index>(i) - 1];
    A += yi * f[i].A;
    b += yi * f[i].b;
    c += yi * f[i].c;
  }
  if (z.size() > 0) {
    A.diagonal() += z;
    c -= size * size * z.sum();
  }
  const Vector x = -0.5 * Eigen::LLT<Matrix>(A).solve(b);
  return x.dot(A * x + b) + c;
}

}  // namespace

QcqpOptimum solve_convex_qcqp(const std::vector<Quadratic>& functions, const std::string& set, double size) {
  std::vector<Quadratic> f = functions;
  const Index n = f[0].b.size();
  const std::size_t m = f.size() - 1;
  if (set == "ball") f.push_back({Matrix::Identity(n, n), Vector::Zero(n), -size * size});
  const Barrier barrier{f, set == "box", size};

  Vector x = Vector::Zero(n);  // strictly feasible by construction of the instances: c_i - 1 < 0
  assert(std::isfinite(barrier.value(x, 1)));
  const double terms = static_cast<double>(f.size() - 1) + (barrier.box ? static_cast<double>(n) : 0);
  // From near the analytic centre in small steps: a central path left too far lets Newton creep along a curved
  // boundary.
  double t = 1e-3;
  for (; terms > 0 && terms / t > 1e-8 * std::max(1.0, std::abs(f[0].value(x))); t *= 20) newton(barrier, t, x);
  newton(barrier, t, x);

  Vector y(static_cast<Index>(f.size()) - 1), z;
  for (std::size_t i = 1; i < f.size(); ++i) y[static_cast<Index>(i) - 1] = -1 / (t * f[i].value(x));
  if (barrier.box) z = (t * (size * size - x.array().square())).inverse();

  QcqpOptimum result;
  result.x = x;
  result.value = f[0].value(x);
  result.multipliers = y.head(static_cast<Index>(m));
  result.duality_gap = result.value - dual_value(f, y, z, size);
  return result;
}

}  // namespace zeroth
