// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/smooth.hpp"
#include "zeroth/report/bench_race.hpp"
#include "zeroth/solvers/adaptive_basis.hpp"
#include "zeroth/solvers/adaptive_subproblem.hpp"

namespace zeroth {
namespace {

TEST(AdaptiveBasis, IsOrthonormalForEveryDimension) {
  for (const Index n : {1, 2, 7, 64, 129}) {
    const Matrix q = adaptive::Basis(n, 3).matrix();
    EXPECT_LT((q.transpose() * q - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-12) << n;
    EXPECT_LE(q.cwiseAbs().maxCoeff(), adaptive::Basis(n, 3).largest_entry() + 1e-12);
  }
}

TEST(AdaptiveDual, SatisfiesItsOptimalityConditions) {
  Matrix root = Matrix::Zero(4, 4);
  fill_normal(5, {root.data(), 16});
  const Matrix m = root * root.transpose() + 0.1 * Matrix::Identity(4, 4);
  const Vector q = Vector::LinSpaced(4, -2, 2);
  const Vector y = adaptive::solve_dual(m, q, 3, 1e6, Vector::Zero(4));
  const Vector gradient = m * y - q;
  for (Index i = 0; i < 3; ++i) {
    EXPECT_GE(y[i], 0);
    EXPECT_GE(gradient[i], -1e-6);
    EXPECT_NEAR(y[i] * gradient[i], 0, 1e-6);
  }
  EXPECT_NEAR(gradient[3], 0, 1e-6);  // the equality's multiplier is free
}

double evaluations_to_one_percent(const QcqpOptions& o, std::int64_t budget) {
  RaceLimits limits;
  limits.budget = budget;
  return race(qcqp(o), candidates_named("adaptive-conex", {})[0], limits, 11).first;
}

TEST(AdaptiveConex, ReachesOnePercentUnderCommonAndIndependentNoise) {
  QcqpOptions o;
  o.n = 50;
  EXPECT_LE(evaluations_to_one_percent(o, 1200), 600);
  o.noise_form = "independent";
  EXPECT_LE(evaluations_to_one_percent(o, 3500), 3500);
  o.noise = "t5";
  EXPECT_LE(evaluations_to_one_percent(o, 3500), 3500);
}

// The optimum of every family satisfies the optimality conditions: no nearby feasible point is better.
TEST(SmoothProblems, StatedOptimumIsALocalOne) {
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue", "hinge"}) {
    SmoothOptions o;
    o.family = family;
    const Problem p = smooth_problem(o);
    Rng rng(4);
    std::array<double, 2> values{};
    for (int k = 0; k < 2000; ++k) {
      Vector x = p.truth->best_point;
      for (Index j = 0; j < x.size(); ++j) x[j] += 0.1 * rng.normal();
      p.truth->expected(as_span(x), values);
      if (values[1] > 0) continue;
      EXPECT_GE(values[0], p.truth->best_value - 1e-6) << family;
    }
  }
}

}  // namespace
}  // namespace zeroth
