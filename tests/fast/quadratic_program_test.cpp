// SPDX-License-Identifier: MIT
#include "zeroth/core/quadratic_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlopt.hpp>

#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {

using Status = QuadraticSolution::Status;

Matrix normal_matrix(Rng& rng, Index rows, Index columns) {
  Matrix m(rows, columns);
  for (Index j = 0; j < columns; ++j)
    for (Index i = 0; i < rows; ++i) m(i, j) = rng.normal();
  return m;
}
Vector normal_vector(Rng& rng, Index size) { return normal_matrix(rng, size, 1); }

// A program that some point satisfies; one row in four is an equality, one end in three is missing.
QuadraticProgram random_program(Rng& rng, Index n, Index m, bool identity) {
  QuadraticProgram p;
  if (!identity) {
    const Matrix root = normal_matrix(rng, n, n);
    p.hessian = root * root.transpose() + 0.1 * Matrix::Identity(n, n);
  }
  p.linear = 3 * normal_vector(rng, n);
  p.rows = normal_matrix(rng, m, n);
  p.lower = Vector::Constant(n, -1);
  p.upper = Vector::Constant(n, 1);
  Vector inside(n);
  for (double& e : inside) e = rng.uniform(-0.9, 0.9);
  const Vector at = p.rows * inside;
  p.row_lower = at;
  p.row_upper = at;
  for (Index i = 0; i < m; ++i) {
    if (i % 4 == 3 && i / 4 < n / 2) continue;
    p.row_lower[i] = rng.below(3) == 0 ? -infinity : at[i] - rng.uniform(0, 0.5);
    p.row_upper[i] = rng.below(3) == 0 ? infinity : at[i] + rng.uniform(0, 0.5);
  }
  return p;
}

// The optimality conditions, which for a convex program are all there is to say.
void expect_optimal(const QuadraticProgram& p, const QuadraticSolution& s, double tolerance = 1e-8) {
  ASSERT_EQ(s.status, Status::solved);
  const double scale = 1 + p.linear.norm() + s.row_multipliers.norm();
  Vector slope = p.linear + (p.hessian.size() > 0 ? Vector(p.hessian * s.x) : s.x);
  slope += p.rows.transpose() * s.row_multipliers;
  if (p.lower.size() > 0) slope += s.bound_multipliers;
  EXPECT_LE(slope.norm(), tolerance * scale);
  const auto check = [&](double value, double low, double high, double y, double penalty) {
    EXPECT_LE(std::abs(y), penalty * (1 + 1e-9));
    const double outside = std::max({0.0, low - value, value - high});
    if (std::isinf(penalty)) {
      EXPECT_LE(outside, tolerance);
    } else if (outside > tolerance) {
      EXPECT_NEAR(std::abs(y), penalty, tolerance * (1 + penalty));
    }
    if (y > 1e-9 * scale) {
      EXPECT_GE(value, high - tolerance);
    }
    if (y < -1e-9 * scale) {
      EXPECT_LE(value, low + tolerance);
    }
  };
  const Vector values = p.rows * s.x;
  for (Index i = 0; i < values.size(); ++i)
    check(values[i], p.row_lower[i], p.row_upper[i], s.row_multipliers[i], p.penalty_of(i));
  for (Index i = 0; i < p.lower.size(); ++i) check(s.x[i], p.lower[i], p.upper[i], s.bound_multipliers[i], infinity);
}

// --- another's opinion: NLopt's SLSQP -----------------------------------------------------------------------------

double value_at(const QuadraticProgram& p, const Vector& x) {
  return p.linear.dot(x) + 0.5 * (p.hessian.size() > 0 ? x.dot(p.hessian * x) : x.squaredNorm());
}

Vector by_nlopt(const QuadraticProgram& p) {
  const auto n = static_cast<unsigned>(p.linear.size());
  nlopt::opt opt(nlopt::LD_SLSQP, n);
  opt.set_lower_bounds({p.lower.begin(), p.lower.end()});
  opt.set_upper_bounds({p.upper.begin(), p.upper.end()});
  opt.set_min_objective(
      [](const std::vector<double>& x, std::vector<double>& gradient, void* data) {
        const auto& q = *static_cast<const QuadraticProgram*>(data);
        const Vector at = as_vector(x);
        const Vector slope = q.linear + (q.hessian.size() > 0 ? Vector(q.hessian * at) : at);
        if (!gradient.empty()) std::copy(slope.begin(), slope.end(), gradient.begin());
        return value_at(q, at);
      },
      const_cast<QuadraticProgram*>(&p));
  struct Row {
    Vector normal;
    double end;
  };
  std::vector<std::unique_ptr<Row>> kept;
  const nlopt::vfunc linear = [](const std::vector<double>& x, std::vector<double>& gradient, void* data) {
    const auto& row = *static_cast<const Row*>(data);
    if (!gradient.empty()) std::copy(row.normal.begin(), row.normal.end(), gradient.begin());
    return row.normal.dot(as_vector(x)) - row.end;
  };
  for (Index i = 0; i < p.rows.rows(); ++i) {
    const Vector a = p.rows.row(i);
    if (p.row_lower[i] == p.row_upper[i]) {
      kept.push_back(std::make_unique<Row>(Row{a, p.row_upper[i]}));
      opt.add_equality_constraint(linear, kept.back().get(), 1e-12);
      continue;
    }
    if (std::isfinite(p.row_upper[i])) {
      kept.push_back(std::make_unique<Row>(Row{a, p.row_upper[i]}));
      opt.add_inequality_constraint(linear, kept.back().get(), 1e-12);
    }
    if (std::isfinite(p.row_lower[i])) {
      kept.push_back(std::make_unique<Row>(Row{-a, -p.row_lower[i]}));
      opt.add_inequality_constraint(linear, kept.back().get(), 1e-12);
    }
  }
  opt.set_ftol_rel(1e-15);
  opt.set_xtol_rel(1e-12);
  opt.set_maxeval(2000);
  std::vector<double> x(n, 0);
  double value = 0;
  opt.optimize(x, value);
  return as_vector(x);
}

TEST(QuadraticProgram, SatisfiesTheOptimalityConditions) {
  Rng rng(1);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = 1 + static_cast<Index>(rng.below(25)), m = static_cast<Index>(rng.below(40));
    const QuadraticProgram p = random_program(rng, n, m, trial % 2 == 0);
    expect_optimal(p, solve(p));
  }
}

TEST(QuadraticProgram, AgreesWithNlopt) {
  Rng rng(2);
  for (int trial = 0; trial < 60; ++trial) {
    const Index n = 2 + static_cast<Index>(rng.below(8)), m = static_cast<Index>(rng.below(8));
    const QuadraticProgram p = random_program(rng, n, m, trial % 2 == 0);
    const QuadraticSolution ours = solve(p);
    ASSERT_TRUE(ours.solved());
    const Vector theirs = by_nlopt(p);
    EXPECT_LE(ours.value, value_at(p, theirs) + 1e-7 * (1 + std::abs(ours.value)));
    EXPECT_LE((ours.x - theirs).norm(), 1e-4);
  }
}

TEST(QuadraticProgram, ManyRowsAtOnePointAreNoTrouble) {
  Rng rng(3);
  for (int trial = 0; trial < 50; ++trial) {
    QuadraticProgram p;
    const Index n = 5, m = 60;  // a corner where 60 rows meet, twice
    p.linear = normal_vector(rng, n);
    p.rows.resize(2 * m, n);
    p.rows.topRows(m) = normal_matrix(rng, m, n);
    p.rows.bottomRows(m) = p.rows.topRows(m);
    p.row_lower = Vector::Constant(2 * m, -infinity);
    p.row_upper = Vector::Zero(2 * m);
    expect_optimal(p, solve(p));
  }
}

TEST(QuadraticProgram, ElasticRowsPayTheirPrice) {
  Rng rng(4);
  for (int trial = 0; trial < 100; ++trial) {
    const Index n = 1 + static_cast<Index>(rng.below(20)), m = 1 + static_cast<Index>(rng.below(60));
    QuadraticProgram p = random_program(rng, n, m, trial % 2 == 0);
    for (Index i = 0; i < m; ++i) p.row_upper[i] -= rng.uniform(0, 2);  // now they contradict each other
    p.row_lower = p.row_lower.cwiseMin(p.row_upper);
    p.penalty = Vector::Constant(m, std::pow(10.0, rng.uniform(-1, 3)));
    const QuadraticSolution s = solve(p);
    expect_optimal(p, s);
    // The same with the slacks written out, by the same method for singular H: slack variables cost linearly.
    if (n + m > 25) continue;
    QuadraticProgram q;
    q.hessian = Matrix::Zero(n + 2 * m, n + 2 * m);
    q.hessian.topLeftCorner(n, n) = p.hessian.size() > 0 ? p.hessian : Matrix(Matrix::Identity(n, n));
    q.linear.resize(n + 2 * m);
    q.linear << p.linear, p.penalty, p.penalty;
    q.rows.resize(m, n + 2 * m);
    q.rows << p.rows, Matrix::Identity(m, m), -Matrix::Identity(m, m);
    q.row_lower = p.row_lower;
    q.row_upper = p.row_upper;
    q.lower.resize(n + 2 * m);
    q.lower << p.lower, Vector::Zero(2 * m);
    q.upper.resize(n + 2 * m);
    q.upper << p.upper, Vector::Constant(2 * m, infinity);
    const QuadraticSolution written_out = solve(q);
    ASSERT_TRUE(written_out.solved());
    EXPECT_NEAR(written_out.value, s.value, 1e-6 * (1 + std::abs(s.value)));
  }
}

TEST(QuadraticProgram, ContradictionsAreProvedAndNamed) {
  QuadraticProgram p;
  p.linear = Vector::Zero(3);
  p.rows.resize(4, 3);
  p.rows << 1, 1, 1, 1, 0, 0, 0, 1, 1, 2, -1, 0;
  p.row_lower.resize(4);
  p.row_upper.resize(4);
  p.row_lower << -infinity, 3, 4, -infinity;
  p.row_upper << 6, infinity, infinity, 100;
  const QuadraticSolution s = solve(p);  // x1 >= 3 and x2 + x3 >= 4 leave no room under x1 + x2 + x3 <= 6
  ASSERT_EQ(s.status, Status::infeasible);
  std::vector<Index> rows = s.conflict.rows;
  std::ranges::sort(rows);
  EXPECT_EQ(rows, (std::vector<Index>{0, 1, 2}));
}

TEST(QuadraticProgram, EveryConflictIsACertificate) {
  Rng rng(5);
  int infeasible = 0, unproved = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Index n = 1 + static_cast<Index>(rng.below(12)), m = 2 + static_cast<Index>(rng.below(30));
    QuadraticProgram p = random_program(rng, n, m, trial % 2 == 0);
    for (Index i = 0; i < m; ++i) p.row_upper[i] -= rng.uniform(0, 1);
    p.row_lower = p.row_lower.cwiseMin(p.row_upper);
    const QuadraticSolution s = solve(p);
    if (s.solved()) {
      expect_optimal(p, s);
      continue;
    }
    if (s.status == Status::stalled) {  // no claim without a proof
      ++unproved;
      continue;
    }
    ASSERT_EQ(s.status, Status::infeasible);
    ++infeasible;
    Vector sum = Vector::Zero(n);
    double allowed = 0, size = 0;
    const auto use = [&](double weight, double low, double high) {
      allowed += weight > 0 ? weight * high : weight * low;
      size += std::abs(weight);
    };
    for (std::size_t k = 0; k < s.conflict.rows.size(); ++k) {
      sum += s.conflict.row_weights[k] * p.rows.row(s.conflict.rows[k]).transpose();
      use(s.conflict.row_weights[k], p.row_lower[s.conflict.rows[k]], p.row_upper[s.conflict.rows[k]]);
    }
    for (std::size_t k = 0; k < s.conflict.variables.size(); ++k) {
      sum[s.conflict.variables[k]] += s.conflict.variable_weights[k];
      use(s.conflict.variable_weights[k], p.lower[s.conflict.variables[k]], p.upper[s.conflict.variables[k]]);
    }
    EXPECT_LE(sum.norm(), 1e-6 * size);
    EXPECT_LT(allowed, 0);
  }
  EXPECT_GT(infeasible, 20);
  EXPECT_LT(20 * unproved, infeasible);
}

TEST(QuadraticProgram, AWarmStartGivesTheSamePointWithFewChanges) {
  Rng rng(6);
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 50; ++trial) {
    QuadraticProgram p = random_program(rng, 20, 30, trial % 2 == 0);
    const QuadraticSolution first = solve(p);
    p.linear += 1e-3 * normal_vector(rng, 20);
    const QuadraticSolution from_nothing = solve(p), from_first = solve(p, first.working_set);
    expect_optimal(p, from_first);
    EXPECT_LE((from_nothing.x - from_first.x).norm(), 1e-8);
    int size = 0;
    for (const auto side : first.working_set) size += side != 0;
    cold += from_nothing.changes;
    warm += from_first.changes - size;  // putting the guess in is no search
  }
  EXPECT_LT(5 * warm, cold);
}

TEST(QuadraticProgram, LinearProgramsAndSingularHessians) {
  QuadraticProgram p;  // max 3 x + 2 y, x + y <= 4, x + 3 y <= 6, x <= 3: at (3, 1)
  p.hessian = Matrix::Zero(2, 2);
  p.linear = Vector(2);
  p.linear << -3, -2;
  p.rows.resize(2, 2);
  p.rows << 1, 1, 1, 3;
  p.row_lower = Vector::Constant(2, -infinity);
  p.row_upper = Vector(2);
  p.row_upper << 4, 6;
  p.lower = Vector::Zero(2);
  p.upper = Vector(2);
  p.upper << 3, infinity;
  const QuadraticSolution s = solve(p);
  ASSERT_TRUE(s.solved());
  EXPECT_NEAR(s.x[0], 3, 1e-9);
  EXPECT_NEAR(s.x[1], 1, 1e-9);
  EXPECT_NEAR(s.row_multipliers[0], 2, 1e-8);
  p.rows = Matrix::Zero(0, 2);
  p.row_lower = p.row_upper = Vector(0);
  EXPECT_EQ(solve(p).status, Status::unbounded);
  p.hessian(1, 1) = 1;  // now only x is without curvature, and it has bounds
  const QuadraticSolution half = solve(p);
  ASSERT_TRUE(half.solved());
  EXPECT_NEAR(half.x[1], 2, 1e-8);
}

// Next to no curvature puts the smallest value without limits so far away that rounding there is larger than the set.
TEST(QuadraticProgram, HardlyAnyCurvatureCostsNoAccuracy) {
  Rng rng(11);
  for (const double curvature : {1e-4, 1e-10, 1e-20}) {
    QuadraticProgram p = random_program(rng, 12, 60, false);
    p.hessian = curvature * Matrix::Identity(12, 12);
    const QuadraticSolution s = solve(p);
    ASSERT_TRUE(s.solved()) << curvature;
    const Vector at = p.rows * s.x;
    EXPECT_LT((at - p.row_upper).maxCoeff(), 1e-11) << curvature;
    EXPECT_LT((p.row_lower - at).maxCoeff(), 1e-11) << curvature;
  }
}

TEST(QuadraticProgram, EmptyAndTrivialPrograms) {
  QuadraticProgram p;
  p.linear = Vector::Constant(3, 2);
  p.rows = Matrix::Zero(0, 3);
  p.row_lower = p.row_upper = Vector(0);
  EXPECT_EQ(solve(p).x, Vector(Vector::Constant(3, -2)));
  p.rows = Matrix::Zero(1, 3);
  p.row_lower = Vector::Constant(1, -1);
  p.row_upper = Vector::Constant(1, 1);
  EXPECT_TRUE(solve(p).solved());
  p.row_lower[0] = 0.5;
  const auto s = solve(p);
  EXPECT_EQ(s.status, Status::infeasible);
  EXPECT_EQ(s.conflict.rows, std::vector<Index>{0});
}

TEST(QuadraticProgram, AThousandVariablesAndRows) {
  Rng rng(7);
  const QuadraticProgram p = random_program(rng, 1000, 1000, true);
  expect_optimal(p, solve(p), 1e-7);
}

}  // namespace
}  // namespace zeroth
