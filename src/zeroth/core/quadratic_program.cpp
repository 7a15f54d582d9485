// SPDX-License-Identifier: MIT
#include "zeroth/core/quadratic_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "zeroth/core/sets/nearest_point.hpp"

namespace zeroth {
namespace {

using Status = QuadraticSolution::Status;

// All constraints in one list, rows first.
struct Limits {
  Vector low, high, cap;
};

Limits limits_of(const QuadraticProgram& p) {
  const Index m = p.rows.rows(), n = p.linear.size(), bounds = p.lower.size();
  Limits l{Vector(m + bounds), Vector(m + bounds), Vector::Constant(m + bounds, infinity)};
  l.low.head(m) = p.row_lower;
  l.high.head(m) = p.row_upper;
  for (Index i = 0; i < m; ++i) l.cap[i] = p.penalty_of(i);
  if (bounds > 0) {
    assert(bounds == n && p.upper.size() == n);
    l.low.tail(n) = p.lower;
    l.high.tail(n) = p.upper;
  }
  return l;
}

void read_conflict(const Vector& weights, Index rows, QuadraticSolution& out) {
  const double largest = weights.lpNorm<Eigen::Infinity>();
  for (Index k = 0; k < weights.size(); ++k) {
    if (std::abs(weights[k]) <= 1e-9 * largest) continue;
    (k < rows ? out.conflict.rows : out.conflict.variables).push_back(k < rows ? k : k - rows);
    (k < rows ? out.conflict.row_weights : out.conflict.variable_weights).push_back(weights[k]);
  }
}

void read(const NearestPoint& nearest, NearestPoint::Outcome outcome, Index rows, QuadraticSolution& out) {
  out.changes += nearest.changes();
  out.status = outcome == NearestPoint::Outcome::found        ? Status::solved
               : outcome == NearestPoint::Outcome::impossible ? Status::infeasible
                                                              : Status::stalled;
  if (out.status == Status::infeasible) read_conflict(nearest.conflict(), rows, out);
  const Vector y = nearest.multipliers();
  out.row_multipliers = y.head(rows);
  out.bound_multipliers = y.tail(y.size() - rows);
  out.working_set = nearest.working_set();
}

// With H the identity: bounds are unit vectors and need no rows.
void solve_identity(const QuadraticProgram& p, const Limits& l, const WorkingSet& guess, QuadraticSolution& out) {
  NearestPoint nearest(p.rows, l.low, l.high, l.cap, p.lower.size() > 0);
  const auto outcome = nearest.find(-p.linear, guess);
  read(nearest, outcome, p.rows.rows(), out);
  out.x = nearest.point();
}

// With H a diagonal: the same in w = sqrt(H) x. Entries without curvature get some by proximal-point steps (see below),
// the others need none.
void solve_diagonal(const QuadraticProgram& p, const Limits& l, const WorkingSet& guess, QuadraticSolution& out) {
  const Index m = p.rows.rows(), n = p.linear.size();
  const double most = p.hessian.maxCoeff();
  Vector shift = Vector::Zero(n);
  for (Index i = 0; i < n; ++i)
    if (!(p.hessian(i, 0) > 1e-11 * most)) shift[i] = 1e-4 * most;
  const Vector root = (p.hessian.col(0) + shift).cwiseSqrt();
  const Matrix rows = p.rows * root.cwiseInverse().asDiagonal();
  Limits scaled = l;
  if (p.lower.size() > 0) {
    scaled.low.tail(n) = l.low.tail(n).cwiseProduct(root);
    scaled.high.tail(n) = l.high.tail(n).cwiseProduct(root);
  }
  Vector x = Vector::Zero(n);
  WorkingSet set = guess;
  for (int step = 0; step < 200; ++step) {
    NearestPoint nearest(rows, scaled.low, scaled.high, scaled.cap, p.lower.size() > 0);
    const auto outcome = nearest.find((shift.cwiseProduct(x) - p.linear).cwiseQuotient(root), set);
    read(nearest, outcome, m, out);
    if (p.lower.size() > 0) out.bound_multipliers = out.bound_multipliers.cwiseProduct(root);
    out.x = nearest.point().cwiseQuotient(root);
    const double moved = shift.cwiseProduct(out.x - x).norm();
    x = out.x;
    set = out.working_set;
    if (!out.solved() || moved <= 1e-14 * most * (1 + x.norm())) return;
  }
}

// In w = L'x the rows are A inv(L'), and the bounds rows of inv(L').
class Transformed {
 public:
  Transformed(const QuadraticProgram& p, const Eigen::LLT<Matrix>& factor, const Limits& l) : factor_(factor) {
    const Index m = p.rows.rows(), n = p.linear.size(), bounds = p.lower.size();
    normals_.resize(m + bounds, n);
    if (m > 0) normals_.topRows(m) = factor.matrixL().solve(p.rows.transpose()).transpose();
    if (bounds > 0) normals_.bottomRows(n) = factor.matrixL().solve(Matrix::Identity(n, n)).transpose();
    limits_ = l;
  }
  void solve(const Vector& linear, Index rows, const WorkingSet& guess, QuadraticSolution& out) const {
    NearestPoint nearest(normals_, limits_.low, limits_.high, limits_.cap, false);
    const auto outcome = nearest.find(-factor_.matrixL().solve(linear), guess);
    read(nearest, outcome, rows, out);
    out.x = factor_.matrixU().solve(nearest.point());
  }

 private:
  const Eigen::LLT<Matrix>& factor_;
  Matrix normals_;
  Limits limits_;
};

bool definite(const Eigen::LLT<Matrix>& factor, const Matrix& h) {
  if (factor.info() != Eigen::Success) return false;
  const double least = factor.matrixLLT().diagonal().cwiseAbs().minCoeff();
  return least * least > 1e-11 * h.diagonal().cwiseAbs().maxCoeff();
}

// How far apart the points of the set may be: what a step should be able to cross.
double reach_of(const QuadraticProgram& p, const Limits& l) {
  if (p.lower.size() > 0 && p.lower.allFinite() && p.upper.allFinite())
    if (const double box = p.lower.cwiseAbs().cwiseMax(p.upper.cwiseAbs()).norm(); box > 0) return box;
  double reach = 1;
  for (Index k = 0; k < l.low.size(); ++k) {
    const double length = k < p.rows.rows() ? p.rows.row(k).norm() : 1;
    for (const double end : {l.low[k], l.high[k]})
      if (std::isfinite(end) && length > 0) reach = std::max(reach, std::abs(end) / length);
  }
  return reach;
}

// min c'x + x'Hx/2 + shift |x - x_k|^2 / 2, again and again: R. T. Rockafellar, Monotone operators and the proximal
// point algorithm, SIAM J. Control and Optimization 14, 1976. On a linear program it ends after finitely many steps.
void solve_singular(const QuadraticProgram& p, const Limits& l, const WorkingSet& guess, QuadraticSolution& out) {
  const Index n = p.linear.size();
  const double reach = reach_of(p, l), size = p.hessian.diagonal().cwiseAbs().maxCoeff();
  double shift = std::max(1e-7 * size, p.linear.norm() / (1e3 * reach));
  if (!(shift > 0)) shift = 1;
  Matrix shifted = p.hessian;
  shifted.diagonal().array() += shift;
  const Eigen::LLT<Matrix> factor(shifted);
  const Transformed transformed(p, factor, l);
  Vector x = Vector::Zero(n);
  WorkingSet set = guess;
  double last = infinity;
  for (int step = 0; step < 500; ++step) {
    transformed.solve(p.linear - shift * x, p.rows.rows(), set, out);
    const double moved = (out.x - x).norm();
    x = out.x;
    set = out.working_set;
    if (!out.solved() || moved <= 1e-12 * (1 + x.norm())) return;
    // Where there is no end, every step is as long as the one before it.
    if (step > 50 && x.norm() > 1e4 * reach && moved > 0.999 * last) break;
    last = moved;
  }
  out.status = last > 1e-6 * (1 + x.norm()) ? Status::unbounded : out.status;
}

}  // namespace

namespace {

// Whether the weights prove that nothing satisfies the rows and bounds they name.
bool proves(const QuadraticProgram& p, const QuadraticSolution::Conflict& c) {
  constexpr double rounding = 1e-7;
  Vector sum = Vector::Zero(p.linear.size());
  double allowed = 0, size = 0;
  const auto use = [&](double weight, double low, double high) {
    allowed += weight > 0 ? weight * high : weight * low;
    size += std::abs(weight);
  };
  for (std::size_t k = 0; k < c.rows.size(); ++k) {
    sum += c.row_weights[k] * p.rows.row(c.rows[k]).transpose();
    use(c.row_weights[k], p.row_lower[c.rows[k]], p.row_upper[c.rows[k]]);
  }
  for (std::size_t k = 0; k < c.variables.size(); ++k) {
    sum[c.variables[k]] += c.variable_weights[k];
    use(c.variable_weights[k], p.lower[c.variables[k]], p.upper[c.variables[k]]);
  }
  return sum.norm() <= rounding * size && allowed < 0;
}

}  // namespace

QuadraticSolution solve(const QuadraticProgram& p, const WorkingSet& guess) {
  assert(p.rows.rows() == p.row_lower.size() && p.rows.rows() == p.row_upper.size());
  const Limits l = limits_of(p);
  QuadraticSolution out;
  const bool diagonal = p.hessian.cols() == 1 && p.hessian.maxCoeff() > 0;
  if (p.hessian.size() == 0) {
    solve_identity(p, l, guess, out);
  } else if (diagonal) {
    solve_diagonal(p, l, guess, out);
  } else if (p.hessian.cols() == 1) {  // a linear program
    QuadraticProgram square = p;
    square.hessian = Matrix(p.hessian.col(0).asDiagonal());
    solve_singular(square, l, guess, out);
  } else {
    const Eigen::LLT<Matrix> factor(p.hessian);
    // Where the way to the smallest value without limits is much longer than the set is wide, rounding would be as
    // large as the set.
    constexpr double longest = 1e6;
    const bool definite_enough =
        definite(factor, p.hessian) && factor.solve(p.linear).norm() <= longest * reach_of(p, l);
    if (definite_enough) Transformed(p, factor, l).solve(p.linear, p.rows.rows(), guess, out);
    else solve_singular(p, l, guess, out);
  }
  // What is called infeasible is proved to be.
  if (out.status == QuadraticSolution::Status::infeasible && !proves(p, out.conflict))
    out.status = QuadraticSolution::Status::stalled;
  if (p.lower.size() > 0) out.x = out.x.cwiseMax(p.lower).cwiseMin(p.upper);  // rounding apart, this changes nothing
  const Vector curved = p.hessian.size() == 0   ? out.x
                        : p.hessian.cols() == 1 ? Vector(p.hessian.col(0).cwiseProduct(out.x))
                                                : Vector(p.hessian * out.x);
  out.value = 0.5 * out.x.dot(curved) + p.linear.dot(out.x);
  const Vector values = p.rows * out.x;
  for (Index i = 0; i < values.size(); ++i)
    if (std::isfinite(p.penalty_of(i)))
      out.value += p.penalty_of(i) * std::max({0.0, values[i] - p.row_upper[i], p.row_lower[i] - values[i]});
  return out;
}

}  // namespace zeroth
