// SPDX-License-Identifier: MIT
#include "zeroth/solvers/conex/theorem.hpp"

#include <gtest/gtest.h>

#include "zeroth/core/error.hpp"
#include "zeroth/problems/wedge.hpp"

namespace zeroth {
namespace {

Constants example() {
  Constants k;
  k.L = Vector(3);
  k.L << 2, 1, 3;
  k.M = Vector(3);
  k.M << 4, 5, 6;
  k.sigma = Vector(3);
  k.sigma << 0.5, 0.25, 1;
  k.sigma_f = Vector(3);
  k.sigma_f << 3, 2, 1;
  k.multiplier_bound = 1.5;
  k.diameter = 2;
  k.radius = 2.25;
  return k;
}

// Every formula of Theorem 3.1 evaluated independently, in Python with 50 digits, at n = 7, m = 2, T = 10^6.
TEST(Theorem, MatchesAnIndependentEvaluation) {
  const TheoremPlan p = plan_for_iterations(example(), 7, 1e6);
  const auto expect = [](double value, double reference) { EXPECT_NEAR(value / reference, 1, 1e-12); };
  expect(p.nu[0], 0.0059761430466719681);
  expect(p.nu[1], 0.0044947804052082692);
  expect(p.nu[2], 0.0025950626768952495);
  expect(p.sigma_nu[0], 86.04853958562893);
  expect(p.sigma_nu[2], 127.58044417429454);
  expect(p.sigma_f_nu, 3.1665297257071296);
  expect(p.sigma_X_f, 295.20296244815523);
  expect(p.H, 4.7434164902525691);
  expect(p.eta, 725618.35585133103);
  expect(p.tau, 2892386.5142238559);
  expect(p.zeta, 9256.8600693392527);
  expect(p.bias, 0.001);
  expect(p.objective_bound, 239.45539771804906);
  expect(p.violation_bound, 293.76211379884001);
  expect(p.calls(), 10000000);
}

TEST(Theorem, PlanForAnAccuracyIsTheSmallestThatKeepsBothBounds) {
  for (const double epsilon : {10.0, 1.0, 0.1}) {
    const TheoremPlan p = plan_for_accuracy(example(), 7, epsilon);
    EXPECT_LE(std::max(p.objective_bound, p.violation_bound), epsilon);
    const TheoremPlan less = plan_for_iterations(example(), 7, p.T * (1 - 1e-9) - 1);
    EXPECT_GT(std::max(less.objective_bound, less.violation_bound), epsilon);
    EXPECT_LE(p.T, iterations_of_the_proof(example(), 7, epsilon));
  }
}

// The conditions (1.25) that the proof puts on the steps; with M_f instead of 2 M_f in tau the first would fail.
TEST(Theorem, StepsSatisfyTheConditionsOfTheProof) {
  for (const double T : {1.0, 100.0, 1e8}) {
    const Constants k = example();
    const TheoremPlan p = plan_for_iterations(k, 7, T);
    const double M_f = k.M.tail(2).norm(), sigma = p.sigma_nu.tail(2).norm();
    EXPECT_LE(4 * M_f * M_f, p.tau * p.eta / 12 * (1 + 1e-12));
    EXPECT_LT(96 * sigma * sigma / (p.tau * p.eta), 1);
    EXPECT_LE(p.bias, 1 / std::sqrt(T) * 1.0001);
  }
}

TEST(Theorem, BoundsFallAsOneOverRootT) {
  const double ratio =
      plan_for_iterations(example(), 7, 1e12).objective_bound / plan_for_iterations(example(), 7, 1e14).objective_bound;
  EXPECT_NEAR(ratio, 10, 0.01);
}

TEST(Theorem, NonconvexTotalIsTheProductOfOuterAndInner) {
  const Vector mu = Vector::Constant(3, 0.5);
  const NonconvexPlan p = plan_nonconvex(example(), 7, mu, 0.5);
  // 4 (mu_0 + |y| mu_max)^2 M_0 sqrt(2) D_X / (mu_0 epsilon)
  EXPECT_EQ(p.K, std::ceil(4 * 1.25 * 1.25 * 4 * std::sqrt(2.0) * 2 / 0.25));
  EXPECT_EQ(p.calls(), p.K * p.inner.T * 10);
  EXPECT_EQ(p.inner.T, plan_for_accuracy(regularized(example(), mu), 7, 0.5).T);
}

TEST(Theorem, RefusesWhatItCannotPlan) {
  Constants k = example();
  k.diameter = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)plan_for_iterations(k, 7, 10), Error);
  EXPECT_THROW((void)plan_for_accuracy(example(), 7, 0), Error);
  k = example();
  k.M.resize(1);
  EXPECT_THROW((void)plan_for_iterations(k, 7, 10), Error);
}

// The closed-form optimum of the wedge satisfies its KKT conditions.
TEST(Wedge, KnowsItsOptimum) {
  for (const std::int64_t m : {1, 4}) {
    const Problem problem = wedge({.n = 4, .m = m});
    const Vector& x = problem.truth->best_point;
    EXPECT_NEAR(x.norm(), 1, 1e-12);
    const auto lagrangian = [&](const Vector& z) {
      std::vector<double> f(static_cast<std::size_t>(m) + 1);
      problem.truth->expected(as_span(z), f);
      double sum = f[0];
      for (Index i = 0; i < m; ++i) sum += problem.truth->multipliers[i] * f[static_cast<std::size_t>(i) + 1];
      return sum;
    };
    std::vector<double> f(static_cast<std::size_t>(m) + 1);
    problem.truth->expected(as_span(x), f);
    EXPECT_NEAR(f[0], problem.truth->best_value, 1e-12);
    for (Index i = 0; i < m; ++i) {
      EXPECT_NEAR(f[static_cast<std::size_t>(i) + 1], 0, 1e-12);
      EXPECT_GT(problem.truth->multipliers[i], 0);
    }
    Rng rng(1);
    for (int k = 0; k < 500; ++k) EXPECT_GE(lagrangian(problem.spec.domain.sample(rng)), lagrangian(x) - 1e-12);
  }
}

}  // namespace
}  // namespace zeroth
