// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_subproblem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeroth::adaptive {
Vector solve_dual(const Matrix& m, const Vector& q, Index inequalities, double cap, Vector y) {
  Vector residual = m * y - q;
  const double tolerance = 1e-10 * (1 + q.cwiseAbs().maxCoeff());
  for (int sweep = 0; sweep < 2000; ++sweep) {
    double change = 0;
    for (Index i = 0; i < y.size(); ++i) {
      if (!(m(i, i) > 0)) continue;
      const double low = i < inequalities ? 0 : -cap;
      const double next = std::clamp(y[i] - residual[i] / m(i, i), low, cap);
      const double step = next - y[i];
      if (step == 0) continue;
      residual += step * m.col(i);
      change = std::max(change, std::abs(step) * m(i, i));
      y[i] = next;
    }
    if (change < tolerance) break;
  }
  return y;
}

namespace {

struct Quadratic {
  Eigen::LLT<Matrix> factor;  // of W + prox I, and of W + (prox + rho) I while X matters
  Matrix normals, solved, dual;
};

void prepare(const Matrix& w, double& shift, Quadratic& q) {
  for (int attempt = 0; attempt < 60; ++attempt) {
    Matrix shifted = w;
    shifted.diagonal().array() += shift;
    q.factor.compute(shifted);
    if (q.factor.info() == Eigen::Success) break;
    shift = std::max(2 * shift, 1e-6 * (1 + w.diagonal().cwiseAbs().maxCoeff()));
  }
  q.solved = q.factor.solve(q.normals);
  q.dual = q.normals.transpose() * q.solved;
}

// argmin gradient'p + p'Wp/2 s.t. c + normals'p <= 0; y is where the dual starts and ends.
Vector solve(const Quadratic& q, const Vector& gradient, const Vector& c, const Subproblem& problem, Vector& y) {
  Vector step = -q.factor.solve(gradient);
  if (c.size() > 0) {
    y = solve_dual(q.dual, c + q.normals.transpose() * step, problem.constraints, problem.multiplier_cap, y);
    step -= q.solved * y;
  }
  return step;
}

// The same over X, by the alternating direction method with over-relaxation; `from` is the point that steps start at.
Vector solve_in_set(const Matrix& w, double shift, Quadratic& q, const Vector& gradient, const Vector& c,
                    const Subproblem& problem, const Vector& from, Vector start, Vector& y) {
  // As stiff as the model, and stiff enough to hold a slope within X, of width 2 sqrt(n): linear models have no
  // Hessian.
  const double slope = gradient.norm() / std::sqrt(static_cast<double>(gradient.size()));
  const double rho = std::max({1e-12, w.diagonal().cwiseAbs().mean() + shift, slope});
  double total = shift + rho;
  prepare(w, total, q);
  Vector z = from + start, u = Vector::Zero(from.size()), previous;
  problem.project(z);
  for (int iteration = 0; iteration < 300; ++iteration) {
    const Vector step = solve(q, gradient - rho * (z - from - u), c, problem, y);
    const Vector relaxed = 1.6 * (from + step) - 0.6 * z;
    previous = z;
    z = relaxed + u;
    problem.project(z);
    u += relaxed - z;
    const double scale = 1e-5 * (1e-12 + (z - from).norm());
    if ((from + step - z).norm() < scale && (z - previous).norm() < scale) break;
  }
  return z - from;
}

}  // namespace

Proposal propose(const LocalModel& model, const Matrix& g, const Subproblem& problem, const Vector& multipliers) {
  const Index n = model.dimension(), count = problem.constraints + problem.equalities;
  Proposal p{Vector::Zero(n), multipliers, 0, 0};
  double shift = problem.prox;
  Matrix w(n, n);
  Quadratic q;
  q.normals.resize(n, count);
  Vector c(count), inside;
  bool bounded = false;
  for (int round = 0; round < problem.rounds; ++round) {
    w = model.hessian[0];
    for (Index i = 0; i < count; ++i)
      if (p.multipliers[i] != 0) w += p.multipliers[i] * model.hessian[static_cast<std::size_t>(i) + 1];
    for (Index i = 0; i < count; ++i) {
      const Vector bd = model.hessian[static_cast<std::size_t>(i) + 1] * p.d;
      q.normals.col(i) = g.col(i + 1) + bd;
      c[i] = model.level[i + 1] + problem.margin[i] + g.col(i + 1).dot(p.d) + 0.5 * p.d.dot(bd);
    }
    const Vector gradient = g.col(0) + model.hessian[0] * p.d + problem.prox * p.d;
    const Vector from = model.w + p.d;
    Vector y = p.multipliers, step;
    prepare(w, shift, q);
    step = solve(q, gradient, c, problem, y);
    inside = from + step;
    problem.project(inside);
    bounded = (inside - from - step).norm() > 1e-9 * (1 + step.norm());
    if (bounded) step = solve_in_set(w, shift, q, gradient, c, problem, from, inside - from, y);
    const double moved = (y - p.multipliers).cwiseAbs().sum();
    p.d += step;
    if (problem.noise.size() > 0) {
      p.worth = p.d.dot(w * p.d) + shift * p.d.squaredNorm();
      prepare(w, shift, q);
      p.worth_by_noise = problem.noise.dot(q.factor.solve(problem.noise));
    }
    const bool settled = round > 0 && step.norm() <= 1e-3 * p.d.norm() && moved <= 1e-3 * (1e-3 + y.cwiseAbs().sum());
    p.multipliers = y;
    if (settled) break;
  }
  return p;
}

}  // namespace zeroth::adaptive
