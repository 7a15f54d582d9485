// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/subproblem.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace zeroth::adaptive {
namespace {

constexpr double outside = 1e-10;     // X has width 2 in w
constexpr double first_shift = 1e-6;  // of the largest curvature, where W is not definite
constexpr double over_relaxation = 1.6;
constexpr int most_splittings = 300;

double power_of_two_near(double v) { return v > 0 && std::isfinite(v) ? std::exp2(std::ilogb(v)) : 1; }

// The quadratic programs of one round: one W, one set of normals; gradients, levels and starts change.
class Round {
 public:
  Round(const Matrix& w, const Matrix& normals, const Subproblem& problem) : w_(w), normals_(normals), p_(problem) {}

  // Factors W + shift I. With a larger shift where that is not definite; `flat`, a curvature, where it is zero.
  void factor(double& shift, double flat) {
    const double largest = std::max(w_.diagonal().cwiseAbs().maxCoeff(), flat);
    unit_ = power_of_two_near(std::max(largest, shift));
    for (int attempt = 0; attempt < 60; ++attempt) {
      Matrix shifted = w_ / unit_;
      shifted.diagonal().array() += shift / unit_;
      factor_.compute(shifted);
      if (factor_.info() == Eigen::Success) break;
      shift = std::max(2 * shift, first_shift * largest);
    }
    rows_ = factor_.matrixL().solve(normals_).transpose();
  }

  // argmin gradient'p + p'Wp/2 s.t. c + normals'p <= 0; the walls of X, too, if `from` is given.
  Vector solve(const Vector& gradient, const Vector& c, const Vector* from, Held& held) {
    const Index m = normals_.cols();
    QuadraticProgram q;
    q.linear = factor_.matrixL().solve(gradient / unit_);
    q.rows = rows_;
    q.row_upper = -c;
    q.row_lower = -c;
    q.row_lower.head(p_.constraints).setConstant(-infinity);
    q.penalty = p_.price / unit_;
    WorkingSet guess = held.constraints;
    guess.resize(static_cast<std::size_t>(m), 0);
    std::vector<Index> walls;
    Vector here;
    if (from) {
      here = p_.frame->wall_values(*from);
      held.walls.resize(static_cast<std::size_t>(here.size()), 0);
      for (Index k = 0; k < here.size(); ++k)
        if (held.walls[static_cast<std::size_t>(k)] != 0) walls.push_back(k);
      add(q, guess, walls, 0, here, held);
    }
    for (;;) {
      const QuadraticSolution s = zeroth::solve(q, guess);
      const Vector step = factor_.matrixU().solve(s.x);
      multipliers_ = s.row_multipliers.head(m) * unit_;
      guess = s.working_set;
      held.constraints.assign(guess.begin(), guess.begin() + m);
      if (!from) return step;
      std::ranges::fill(held.walls, 0);
      for (std::size_t k = 0; k < walls.size(); ++k)
        held.walls[static_cast<std::size_t>(walls[k])] = guess[static_cast<std::size_t>(m) + k];
      const std::size_t known = walls.size();
      add_violated(p_.frame->wall_values(*from + step), walls);
      if (walls.size() == known || !s.solved()) return step;
      add(q, guess, walls, known, here, held);
    }
  }

  const Vector& multipliers() const { return multipliers_; }
  double noise_energy(const Vector& noise) const { return noise.dot(factor_.solve(noise)) / unit_; }

 private:
  void add_violated(const Vector& values, std::vector<Index>& walls) const {
    std::vector<bool> there(static_cast<std::size_t>(values.size()));
    for (const Index k : walls) there[static_cast<std::size_t>(k)] = true;
    for (Index k = 0; k < values.size(); ++k)
      if (!there[static_cast<std::size_t>(k)] &&
          std::max(values[k] - p_.frame->wall_high()[k], p_.frame->wall_low()[k] - values[k]) > outside)
        walls.push_back(k);
  }

  // Walls from number `known` on become rows of the program, which are hard.
  void add(QuadraticProgram& q, WorkingSet& guess, const std::vector<Index>& walls, std::size_t known,
           const Vector& here, const Held& held) const {
    const Index first = normals_.cols() + static_cast<Index>(known);
    const Index all = normals_.cols() + static_cast<Index>(walls.size());
    q.rows.conservativeResize(all, w_.rows());
    for (Vector* v : {&q.row_lower, &q.row_upper, &q.penalty}) v->conservativeResize(all);
    guess.resize(static_cast<std::size_t>(all), 0);
    Matrix normals(w_.rows(), all - first);
    for (Index k = first; k < all; ++k) {
      const Index wall = walls[static_cast<std::size_t>(k - normals_.cols())];
      normals.col(k - first) = p_.frame->wall_normal(wall);
      q.row_lower[k] = std::min(0.0, p_.frame->wall_low()[wall] - here[wall]);  // 0: of rounding
      q.row_upper[k] = std::max(0.0, p_.frame->wall_high()[wall] - here[wall]);
      q.penalty[k] = infinity;
      guess[static_cast<std::size_t>(k)] = held.walls[static_cast<std::size_t>(wall)];
    }
    q.rows.bottomRows(all - first) = factor_.matrixL().solve(normals).transpose();
  }

  const Matrix& w_;
  const Matrix& normals_;
  const Subproblem& p_;
  double unit_ = 1;  // of the objective, so that curvatures are about one
  Eigen::LLT<Matrix> factor_;
  Matrix rows_;  // the normals in coordinates in which W is the identity
  Vector multipliers_;
};

// The same over an X that is more than bounds and rows, by the alternating direction method with over-relaxation.
Vector split(Round& round, double shift, double typical, const Vector& gradient, const Vector& c,
             const Subproblem& problem, const Vector& from, const Vector& start, Held& held) {
  // As stiff as the model, and stiff enough to hold a slope within X, of width 2 sqrt(n): linear models have no
  // Hessian.
  const double slope = gradient.norm() / std::sqrt(static_cast<double>(gradient.size()));
  const double rho = std::max(typical + shift, slope);
  double total = shift + rho;
  round.factor(total, rho);
  Vector z = from + start, u = Vector::Zero(from.size()), previous;
  problem.frame->project(z);
  for (int iteration = 0; iteration < most_splittings; ++iteration) {
    const Vector step = round.solve(gradient - rho * (z - from - u), c, nullptr, held);
    const Vector relaxed = over_relaxation * (from + step) + (1 - over_relaxation) * z;
    previous = z;
    z = relaxed + u;
    problem.frame->project(z);
    u += relaxed - z;
    const double scale = 1e-2 * problem.accuracy * (z - from).norm();
    if ((from + step - z).norm() <= scale && (z - previous).norm() <= scale) break;
  }
  return z - from;
}

}  // namespace

Vector solve_dual(const Matrix& m, const Vector& q, Index inequalities, double cap) {
  // In units in which the diagonal is about one.
  Vector unit(q.size());
  for (Index i = 0; i < q.size(); ++i) unit[i] = 1 / power_of_two_near(std::sqrt(m(i, i)));
  QuadraticProgram program;
  program.hessian = unit.asDiagonal() * m * unit.asDiagonal();
  program.linear = -unit.cwiseProduct(q);
  program.rows.resize(0, q.size());
  program.upper = cap * unit.cwiseInverse();
  for (Index i = 0; i < q.size(); ++i)
    if (!(m(i, i) > 0)) program.upper[i] = program.linear[i] = 0;
  program.lower = -program.upper;
  program.lower.head(inequalities).setZero();
  return unit.cwiseProduct(zeroth::solve(program).x);
}

Vector elastic_prices(const LocalModel& model, const Matrix& g, const Vector& multipliers, const Tuning& tuning) {
  double held = 0;
  for (Index i = 0; i < multipliers.size(); ++i) held = std::max(held, std::abs(multipliers[i]) * g.col(i + 1).norm());
  const double force = tuning.far_beyond * (g.col(0).norm() + model.typical_curvature(0)) + tuning.beyond_held * held;
  Vector price(multipliers.size());
  for (Index i = 0; i < price.size(); ++i) {
    const double slope = g.col(i + 1).norm(), p = force / slope;
    price[i] = slope > 0 && std::isfinite(p) ? p : 0;  // nothing can be done about a constant
  }
  return price;
}

Proposal propose(const LocalModel& model, const Matrix& g, const Subproblem& problem, const Vector& multipliers,
                 Held& held) {
  const Index n = model.dimension(), count = problem.constraints + problem.equalities;
  Proposal p{Vector::Zero(n), multipliers, std::vector<bool>(static_cast<std::size_t>(count)), 0, 0};
  double shift = problem.prox;
  Matrix w(n, n), normals(n, count);
  Vector c(count);
  for (int round = 0; round < problem.rounds; ++round) {
    w = model.hessian[0];
    for (Index i = 0; i < count; ++i)
      if (p.multipliers[i] != 0) w += p.multipliers[i] * model.hessian[static_cast<std::size_t>(i) + 1];
    for (Index i = 0; i < count; ++i) {
      const Vector bd = model.hessian[static_cast<std::size_t>(i) + 1] * p.d;
      normals.col(i) = g.col(i + 1) + bd;
      c[i] = model.level[i + 1] + problem.margin[i] + g.col(i + 1).dot(p.d) + 0.5 * p.d.dot(bd);
    }
    const Vector gradient = g.col(0) + model.hessian[0] * p.d + problem.prox * p.d, from = model.w + p.d;
    Round quadratic(w, normals, problem);
    quadratic.factor(shift, gradient.norm() / std::sqrt(static_cast<double>(n)));
    Vector step = quadratic.solve(gradient, c, problem.frame->walled() ? &from : nullptr, held);
    if (problem.noise.size() > 0) p.worth_by_noise = quadratic.noise_energy(problem.noise);
    if (!problem.frame->walled()) {
      Vector inside = from + step;
      problem.frame->project(inside);
      if ((inside - from - step).norm() > 1e-9 * (1 + step.norm()))
        step = split(quadratic, shift, w.diagonal().cwiseAbs().mean(), gradient, c, problem, from, inside - from, held);
    }
    const Vector& y = quadratic.multipliers();
    // Multipliers count by the forces that they are.
    const double moved = (y - p.multipliers).cwiseAbs().dot(normals.colwise().norm()),
                 held_by = y.cwiseAbs().dot(normals.colwise().norm());
    p.d += step;
    if (problem.noise.size() > 0) p.worth = p.d.dot(w * p.d) + shift * p.d.squaredNorm();
    const bool settled =
        round > 0 && step.norm() <= problem.accuracy * p.d.norm() && moved <= problem.accuracy * held_by;
    p.multipliers = y;
    for (Index i = 0; i < count; ++i)
      p.elastic[static_cast<std::size_t>(i)] = y[i] != 0 && std::abs(y[i]) >= (1 - 1e-9) * problem.price[i];
    if (settled) break;
  }
  return p;
}

}  // namespace zeroth::adaptive
