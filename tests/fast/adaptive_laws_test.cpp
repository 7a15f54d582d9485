// SPDX-License-Identifier: MIT
//
// What adaptive-conex must not depend on: units, zero points, the order of variables and constraints, and degenerate
// statements of a problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/core/random.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"

namespace zeroth {
namespace {

enum class Noise { none, shared, independent };

// min sum a_j (x_j - t_j)^2 + bends s.t. sum x <= 0 and a ball, on [-1, 1]^n, known by one key per evaluation.
Problem valley(Index n, Noise noise) {
  Problem p;
  p.spec.domain = Domain::box(n, -1, 1);
  p.spec.constraints = 2;
  p.spec.start = Vector::Constant(n, -0.25);
  p.spec.common_noise = noise != Noise::independent;
  p.spec.budget = 400;
  p.oracle = [noise](std::span<const double> x, Rng& rng, std::span<double> values) {
    double f = 0, sum = 0, ball = -0.5 * static_cast<double>(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double a = 1 + static_cast<double>(j % 3), t = 0.5 - 0.1 * static_cast<double>(j % 5);
      f += a * (x[j] - t) * (x[j] - t) + 0.1 * std::pow(x[j], 4);
      sum += x[j];
      ball += x[j] * x[j];
    }
    values[0] = f;
    values[1] = sum;
    values[2] = ball;
    if (noise != Noise::none)
      for (double& v : values) v += 0.1 * rng.normal();
  };
  return p;
}

// The same problem, told in other units.
struct Units {
  std::vector<double> x, values;  // factors
  std::vector<double> shift;      // of the values, after scaling
};

Problem told_in(const Problem& p, const Units& u) {
  Problem q = p;
  const Index n = p.spec.dimension();
  const Box box = p.spec.domain.bounds();
  const Eigen::Map<const Vector> factor(u.x.data(), n);
  q.spec.domain = Domain::box(box.lower.cwiseProduct(factor), box.upper.cwiseProduct(factor));
  q.spec.start = p.spec.start.cwiseProduct(factor);
  q.oracle = [u, oracle = p.oracle](std::span<const double> x, Rng& rng, std::span<double> values) {
    std::vector<double> own(x.begin(), x.end());
    for (std::size_t j = 0; j < own.size(); ++j) own[j] /= u.x[j];
    oracle(own, rng, values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = u.values[i] * values[i] + u.shift[i];
  };
  return q;
}

struct Story {
  std::vector<Vector> x;
  std::vector<std::uint64_t> keys;
  Incumbent incumbent;
};

Story run_of(const Problem& p, std::int64_t budget, std::uint64_t seed) {
  Search search = adaptive_conex(p.spec, {}, seed);
  Story run;
  while (static_cast<std::int64_t>(run.x.size()) < budget) {
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) {
      run.x.emplace_back(as_vector(q.x));
      run.keys.push_back(q.noise);
      answers.push_back(evaluate_once(p, q));
    }
    search.tell(answers);
  }
  run.incumbent = search.recommend();
  return run;
}

constexpr Noise every_noise[] = {Noise::none, Noise::shared, Noise::independent};

TEST(AdaptiveLaws, PowersOfTwoAreTheSameRunBitForBit) {
  for (const Index n : {1, 3, 10, 40})
    for (const Noise noise : every_noise) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", noise " << static_cast<int>(noise));
      const Problem p = valley(n, noise);
      Units u{{}, {0x1p12, 0x1p-9, 0x1p30}, {0, 0, 0}};
      for (Index j = 0; j < n; ++j) u.x.push_back(std::exp2(static_cast<double>(7 * j % 31) - 15));
      const Story a = run_of(p, 400, 3), b = run_of(told_in(p, u), 400, 3);
      ASSERT_EQ(a.keys, b.keys);
      const Eigen::Map<const Vector> factor(u.x.data(), n);
      for (std::size_t k = 0; k < a.x.size(); ++k) ASSERT_EQ(Vector(a.x[k].cwiseProduct(factor)), b.x[k]) << k;
      EXPECT_EQ(Vector(a.incumbent.x.cwiseProduct(factor)), b.incumbent.x);
      for (Index i = 0; i < 2; ++i) {
        const double ratio = u.values[0] / u.values[static_cast<std::size_t>(i) + 1];
        EXPECT_EQ(ratio * a.incumbent.multipliers[i], b.incumbent.multipliers[i]);
      }
      EXPECT_EQ(a.incumbent.kkt_residual, b.incumbent.kkt_residual);
      EXPECT_EQ(a.incumbent.kkt_se, b.incumbent.kkt_se);
    }
}

// Many variables, whose vectors live elsewhere (large_scale).
TEST(AdaptiveLaws, PowersOfTwoAreTheSameRunWithThousandsOfVariables) {
  const Index n = 2100;
  const Problem p = valley(n, Noise::independent);
  const Story a = run_of(p, 100, 3);
  const Story b = run_of(told_in(p, {std::vector<double>(n, 0x1p-8), {0x1p20, 0x1p-9, 0x1p3}, {0, 0, 0}}), 100, 3);
  for (std::size_t k = 0; k < a.x.size(); ++k) ASSERT_EQ(Vector(0x1p-8 * a.x[k]), b.x[k]) << k;
}

// Zero points and other factors change the last bits of values and so, in the end, all bits; but until decisions hang
// on rounding the questions are the same, and the answer is to the errors of both.
TEST(AdaptiveLaws, OtherUnitsAndZeroPointsAreTheSameRunUpToRounding) {
  for (const Index n : {1, 5, 30})
    for (const Noise noise : every_noise) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", noise " << static_cast<int>(noise));
      const Problem p = valley(n, noise);
      Units scaled{std::vector<double>(static_cast<std::size_t>(n), 3), {10, 0.3, 7}, {0, 0, 0}};
      Units shifted{std::vector<double>(static_cast<std::size_t>(n), 1), {1, 1, 1}, {1000, 0, 0}};
      const Story plain = run_of(p, 300, 3);
      for (const Units& u : {scaled, shifted}) {
        const Story other = run_of(told_in(p, u), 300, 3);
        std::size_t same = 0;
        while (same < 20 && (plain.x[same] - other.x[same] / u.x[0]).norm() < 0.01) ++same;
        EXPECT_EQ(same, 20u);
        const double apart = (plain.incumbent.x - other.incumbent.x / u.x[0]).norm() / std::sqrt(n);
        EXPECT_LT(apart, noise == Noise::independent ? 0.01 : 1e-4);
      }
    }
}

double score_of(const Vector& x, const Problem& exact) {
  Rng none(1);
  std::vector<double> values(3);
  exact.oracle(as_span(x), none, values);
  return values[0] + 10 * std::max({0.0, values[1], values[2]});
}

// Two samples from one distribution: the rank sum within three standard deviations of its mean.
bool alike(const std::vector<double>& a, const std::vector<double>& b) {
  double above = 0;
  for (const double x : a)
    for (const double y : b) above += x > y ? 1 : x == y ? 0.5 : 0;
  const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
  return std::abs(above - 0.5 * n * m) < 3 * std::sqrt(n * m * (n + m + 1) / 12);
}

TEST(AdaptiveLaws, TheOrderOfVariablesAndConstraintsDoesNotMatter) {
  const Index n = 4;
  std::vector<std::size_t> order(n);
  std::iota(order.rbegin(), order.rend(), 0u);
  std::swap(order[0], order[2]);
  for (const Noise noise : every_noise) {
    const Problem p = valley(n, noise), exact = valley(n, Noise::none);
    Problem turned = p;
    turned.oracle = [oracle = p.oracle, order](std::span<const double> x, Rng& rng, std::span<double> values) {
      std::vector<double> own(x.size());
      for (std::size_t j = 0; j < own.size(); ++j) own[order[j]] = x[j];
      oracle(own, rng, values);
      std::swap(values[1], values[2]);
    };
    std::vector<double> one, other;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      one.push_back(score_of(run_of(p, 60, seed).incumbent.x, exact));
      const Vector x = run_of(turned, 60, 1000 + seed).incumbent.x;
      Vector own(n);
      for (std::size_t j = 0; j < order.size(); ++j) own[static_cast<Index>(order[j])] = x[static_cast<Index>(j)];
      other.push_back(score_of(own, exact));
    }
    EXPECT_TRUE(alike(one, other)) << static_cast<int>(noise);
  }
}

// min |x - 1|^2 on [-1, 1]^n under limits that are stated badly; what they leave is known.
struct Degenerate {
  std::string name;
  Index n = 4, equalities = 0;
  std::vector<std::function<double(const Vector&)>> limits;
  double best = 0;  // of f
};

std::vector<Degenerate> degenerate_problems() {
  const auto sum = [](double most) { return [most](const Vector& x) { return x.sum() - most; }; };
  return {{"duplicated", 4, 0, {sum(2), sum(2), sum(2)}, 1},
          {"constant", 4, 0, {sum(2), [](const Vector&) { return -0.5; }}, 1},
          {"always_zero", 4, 0, {sum(2), [](const Vector&) { return 0.0; }}, 1},
          {"dependent",
           4,
           0,
           {[](const Vector& x) { return x[0] - 0.5; }, [](const Vector& x) { return x[1] - 0.5; },
            [](const Vector& x) { return x[0] + x[1] - 1; }},
           0.5},
          {"one_variable", 1, 0, {[](const Vector& x) { return x[0] - 0.5; }}, 0.25},
          {"one_variable_free", 1, 0, {}, 0}};
}

TEST(AdaptiveLaws, DegenerateStatementsDoNotHideTheOptimum) {
  for (const Degenerate& d : degenerate_problems())
    for (const double sd : {0.0, 0.02})
      for (const double at : {0.0, -1.0}) {  // the centre and a corner
        SCOPED_TRACE(testing::Message() << d.name << ", noise " << sd << ", start " << at);
        Problem p;
        p.spec.domain = Domain::box(d.n, -1, 1);
        p.spec.constraints = static_cast<Index>(d.limits.size());
        p.spec.start = Vector::Constant(d.n, at);
        p.spec.budget = 600;
        p.oracle = [&d, sd](std::span<const double> x, Rng& rng, std::span<double> values) {
          const Vector v = as_vector(x);
          values[0] = (v.array() - 1).square().sum() + sd * rng.normal();
          for (std::size_t i = 0; i < d.limits.size(); ++i) values[i + 1] = d.limits[i](v);
        };
        const Incumbent r = run_of(p, 600, 5).incumbent;
        const double tolerance = sd > 0 ? 0.1 : 0.01;
        EXPECT_NEAR((r.x.array() - 1).square().sum(), d.best, tolerance);
        for (const auto& limit : d.limits) EXPECT_LE(limit(r.x), tolerance);
      }
}

// Of duplicated constraints each multiplier may be anything: withheld. Of a constraint that stands alone it is known.
TEST(AdaptiveCertificate, WithholdsMultipliersThatAreNotDetermined) {
  for (const bool twice : {false, true}) {
    Problem p;
    p.spec.domain = Domain::box(3, -1, 1);
    p.spec.constraints = twice ? 2 : 1;
    p.spec.start = Vector::Zero(3);
    p.spec.budget = 300;
    p.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
      const Vector v = as_vector(x);
      values[0] = (v.array() - 1).square().sum();
      for (std::size_t i = 1; i < values.size(); ++i) values[i] = v.sum();
    };
    const Incumbent r = run_of(p, 300, 5).incumbent;
    if (twice) EXPECT_TRUE(std::isnan(r.multipliers[0]) && std::isnan(r.multipliers[1]));
    else EXPECT_NEAR(r.multipliers[0], 2, 0.02);
    EXPECT_LT(r.kkt_residual, 0.01);
  }
}

// Equalities that contradict each other: no multipliers, no residual that a claim could rest on.
TEST(AdaptiveCertificate, ClaimsNothingWhereEqualitiesContradict) {
  Problem p;
  p.spec.domain = Domain::box(3, -1, 1);
  p.spec.equalities = 2;
  p.spec.start = Vector::Zero(3);
  p.spec.budget = 300;
  p.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
    const Vector v = as_vector(x);
    values[0] = (v.array() - 1).square().sum();
    values[1] = v.sum() - 0.5;
    values[2] = v.sum() + 0.5;
  };
  const Incumbent r = run_of(p, 300, 5).incumbent;
  EXPECT_TRUE(p.spec.domain.contains(r.x));
  EXPECT_LT(std::abs(r.x.sum()), 0.6);
  EXPECT_TRUE(std::isnan(r.multipliers[0]) || std::isnan(r.multipliers[1]));
  EXPECT_FALSE(r.kkt_residual < 0.01);
}

// The residual says how far slopes are from balance, wherever the search began.
TEST(AdaptiveCertificate, ResidualDoesNotDependOnTheStart) {
  std::vector<double> residuals;
  for (const double start : {-0.9, -0.25, 0.3}) {
    Problem p = valley(5, Noise::shared);
    p.spec.start = Vector::Constant(5, start);
    residuals.push_back(run_of(p, 600, 3).incumbent.kkt_residual);
  }
  for (const double r : residuals) EXPECT_LT(r, 0.05);
}

}  // namespace
}  // namespace zeroth
