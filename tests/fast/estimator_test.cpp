// SPDX-License-Identifier: MIT
#include "zeroth/core/estimator.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "zeroth/engine/engine.hpp"
#include "zeroth/problems/qcqp.hpp"

namespace zeroth {
namespace {

struct Choice {
  const char* directions;
  const char* difference;
  std::int64_t batch;
  bool shared;
};

std::vector<Choice> all_choices() {
  std::vector<Choice> all;
  for (const char* directions : {"gaussian", "signs", "sphere", "orthonormal"})
    for (const char* difference : {"forward", "central", "one-point"})
      for (const std::int64_t batch : {1, 3})
        for (const bool shared : {false, true}) all.push_back({directions, difference, batch, shared});
  return all;
}

class EstimatorLaws : public testing::TestWithParam<Choice> {
 protected:
  Estimator estimator() const {
    const Choice& c = GetParam();
    return {c.directions, c.difference, c.batch, c.shared};
  }
};

bool evaluation_at(const Problem& problem, GradientSample& sample, const Vector& x, std::uint64_t key) {
  std::vector<Query> batch;
  sample.propose(x, key, batch);
  EXPECT_EQ(batch.size(), sample.queries());
  std::vector<Answer> answers;
  for (const Query& q : batch) answers.push_back(evaluate_once(problem, q));
  return sample.read(answers);
}

// On a quadratic, smoothing only shifts the value by nu^2 tr A (Gaussian and, with E[uu'] = I, every other direction),
// so the gradient of the smoothed function is the gradient itself: means must agree within 4 standard errors.
TEST_P(EstimatorLaws, IsUnbiasedForTheSmoothedFunctions) {
  QcqpOptions options;
  options.n = 4;
  options.m = 2;
  options.noise_sd = 0.3;
  const Problem problem = qcqp(options);
  const auto f = qcqp_functions(options);
  Vector x(4);
  x << 0.3, -0.2, 0.7, 0.1;
  const std::vector<double> nu{0.5, 0.5, 0.8};
  GradientSample sample(problem.spec, estimator(), nu, {0, 1, 2});
  const int repeats = 6000;
  for (Index i = 0; i < 3; ++i) {
    Vector sum = Vector::Zero(4), squares = Vector::Zero(4), weights = Vector::Zero(3);
    double value_sum = 0, value_squares = 0;
    weights[i] = 1;
    for (int r = 0; r < repeats; ++r) {
      ASSERT_TRUE(evaluation_at(problem, sample, x,
                                derive_key(77, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(r))));
      Vector g = Vector::Zero(4);
      sample.combine(weights, 0, g);
      sum += g;
      squares += g.cwiseAbs2();
      value_sum += sample.value(i);
      value_squares += sample.value(i) * sample.value(i);
    }
    const auto& q = f[static_cast<std::size_t>(i)];
    const double radius = nu[static_cast<std::size_t>(i)];
    const Vector mean = sum / repeats, truth = q.gradient(x);
    for (Index j = 0; j < 4; ++j) {
      const double se = std::sqrt((squares[j] / repeats - mean[j] * mean[j]) / repeats);
      EXPECT_LE(std::abs(mean[j] - truth[j]), 4 * se) << "function " << i << " coordinate " << j;
    }
    const double value = value_sum / repeats;
    const double value_se = std::sqrt((value_squares / repeats - value * value) / repeats);
    EXPECT_LE(std::abs(value - q.value(x) - radius * radius * q.A.trace()), 4 * value_se) << "function " << i;
  }
}

// Where the oracle answers only in X, no point leaves X, and a linear function is still estimated without error in its
// slope along the direction used, even from a corner.
TEST_P(EstimatorLaws, StaysInsideXAndIsExactForLinearFunctionsAtTheBoundary) {
  Problem problem;
  problem.spec.domain = Domain::box(3, 0, 1);
  problem.spec.constraints = 1;
  problem.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
    values[0] = 2 * x[0] - x[1] + 0.5 * x[2];
    values[1] = x[0] + x[2] - 1;
  };
  if (std::string(GetParam().difference) == "one-point") return;  // not exact for linear functions anywhere
  GradientSample sample(problem.spec, estimator(), {0.4, 0.4}, {0, 1});
  Vector corner(3);
  corner << 1, 0, 1;
  Vector gradient(3);
  gradient << 2, -1, 0.5;
  Vector result(2), weights(2);
  weights << 1, 0;
  for (std::uint64_t key = 0; key < 200; ++key) {
    std::vector<Query> batch;
    sample.propose(corner, key, batch);
    std::vector<Answer> answers;
    for (const Query& q : batch) {
      ASSERT_TRUE(problem.spec.domain.contains(as_vector(q.x), 0));
      answers.push_back(evaluate_once(problem, q));
    }
    ASSERT_TRUE(sample.read(answers));
    // G = (1/b) sum <g, u> u, so <G, g> = (1/b) sum <g, u>^2 >= 0: never a wrong sign.
    Vector g = Vector::Zero(3);
    sample.combine(weights, 0, g);
    EXPECT_GE(g.dot(gradient), -1e-9);
    result.setZero();
    sample.add_along(gradient, 0, result);
    EXPECT_NEAR(result[0], g.dot(gradient), 1e-9 * (1 + std::abs(result[0])));
  }
}

TEST_P(EstimatorLaws, AFailedEvaluationChangesNothing) {
  const Problem problem = qcqp({});
  GradientSample sample(problem.spec, estimator(), {0.1, 0.1}, {0, 1});
  const Vector x = Vector::Zero(10);
  ASSERT_TRUE(evaluation_at(problem, sample, x, 1));
  const double before = sample.value(1);
  std::vector<Answer> answers(sample.queries(), Answer::failed_because("broken"));
  EXPECT_FALSE(sample.read(answers));
  EXPECT_EQ(sample.value(1), before);
}

INSTANTIATE_TEST_SUITE_P(All, EstimatorLaws, testing::ValuesIn(all_choices()), [](const auto& info) {
  std::string name = std::string(info.param.directions) + "_" + info.param.difference + "_" +
                     std::to_string(info.param.batch) + (info.param.shared ? "_shared" : "_independent");
  std::ranges::replace(name, '-', '_');
  return name;
});

// Of a linear function with gradient g the estimate is (g'u) u. With signs |u|^2 = n exactly, so that E|G|^2 = n |g|^2
// and Var G_j = |g|^2 - g_j^2; with Gaussian directions E|u|^4 = n (n + 2), hence (n + 2) |g|^2 and |g|^2 + g_j^2.
TEST(Estimator, HasTheVarianceOfItsDirections) {
  const Index n = 5;
  Problem problem;
  problem.spec.domain = Domain::whole_space(n);
  problem.spec.defined_everywhere = true;
  Vector g(n);
  g << 2, -1, 0.5, 0, 1;
  problem.oracle = [g](std::span<const double> x, Rng&, std::span<double> values) { values[0] = g.dot(as_vector(x)); };
  const int repeats = 20000;
  for (const bool signs : {true, false}) {
    GradientSample sample(problem.spec, {signs ? "signs" : "gaussian", "forward", 1, true}, {0.5}, {0});
    double length = 0;
    Vector squares = Vector::Zero(n), estimate(n);
    for (int r = 0; r < repeats; ++r) {
      ASSERT_TRUE(evaluation_at(problem, sample, Vector::Zero(n), derive_key(3, static_cast<std::uint64_t>(r))));
      sample.combine(Vector::Ones(1), 0, estimate);
      length += estimate.squaredNorm() / repeats;
      squares += (estimate - g).cwiseAbs2() / repeats;
    }
    const double expected = static_cast<double>(signs ? n : n + 2) * g.squaredNorm();
    EXPECT_NEAR(length, expected, 0.03 * expected) << signs;
    for (Index j = 0; j < n; ++j) {
      const double variance = g.squaredNorm() + (signs ? -1 : 1) * g[j] * g[j];
      EXPECT_NEAR(squares[j], variance, 0.06 * g.squaredNorm()) << signs << j;
    }
  }
}

// Paper: 2 calls per function and estimate; a joint oracle answers the evaluation at x for all functions at once.
TEST(Estimator, CountsItsCalls) {
  const Problem problem = qcqp({.n = 3, .m = 2});
  const auto count = [&](Estimator e) {
    const GradientSample s(problem.spec, e, {0.1, 0.1, 0.1}, {0, 1, 2});
    return std::pair(s.calls(), s.queries());
  };
  EXPECT_EQ(count({}), std::pair(std::int64_t{6}, std::size_t{4}));
  EXPECT_EQ(count({.shared_directions = true}), std::pair(std::int64_t{6}, std::size_t{2}));
  EXPECT_EQ(count({.difference = "central", .shared_directions = true}), std::pair(std::int64_t{6}, std::size_t{2}));
  EXPECT_EQ(count({.difference = "one-point"}), std::pair(std::int64_t{3}, std::size_t{3}));
  EXPECT_EQ(count({.batch = 5, .shared_directions = true}), std::pair(std::int64_t{30}, std::size_t{10}));
}

TEST(Estimator, AFullOrthonormalBatchIsExactForLinearFunctions) {
  Problem problem = qcqp({.n = 6, .m = 0, .curvature = 0, .noise = "none"});
  GradientSample sample(problem.spec, {"orthonormal", "forward", 6, true}, {0.3}, {0});
  const Vector x = Vector::Zero(6);
  ASSERT_TRUE(evaluation_at(problem, sample, x, 9));
  Vector g = Vector::Zero(6);
  sample.combine(Vector::Ones(1), 0, g);
  EXPECT_LE((g - qcqp_functions({.n = 6, .m = 0, .curvature = 0})[0].b).norm(), 1e-10);
}

// Sums asked from whoever holds the functions are the same estimate as single values weighted here.
TEST(EstimatorSums, AreTheWeightedEstimate) {
  QcqpOptions options;
  options.n = 5;
  options.m = 2;
  const Problem problem = qcqp(options);
  Vector x = Vector::Constant(5, 0.2), weights(3), each(5), summed(5);
  weights << 1, 0.7, 2.5;
  for (const char* difference : {"forward", "central"}) {
    for (const bool everywhere : {true, false}) {
      Spec spec = problem.spec;
      spec.defined_everywhere = everywhere;
      GradientSample sample(spec, {"gaussian", difference, 4, true}, {0.3, 0.3, 0.3}, {0, 1, 2});
      ASSERT_TRUE(sample.can_sum());
      ASSERT_TRUE(evaluation_at(problem, sample, x, 11));
      sample.combine(weights, 0, each);
      std::vector<Query> batch;
      sample.propose_sums(x, 11, weights, batch);
      std::vector<Answer> answers;
      for (const Query& q : batch) {  // every other one already added up, its values gone
        answers.push_back(evaluate_once(problem, q));
        if (answers.size() % 2 == 0) continue;
        const double sum = weighted_sum(q, answers.back());
        answers.back().values = {std::nan(""), std::nan(""), std::nan(""), sum};
      }
      ASSERT_TRUE(sample.read_sums(answers));
      sample.combine(weights, 0, summed);
      EXPECT_LT((each - summed).norm(), 1e-12 * each.norm()) << difference << everywhere;
    }
  }
}

TEST(EstimatorSums, NeedOneDirectionForAll) {
  const Problem problem = qcqp({});
  const auto count = static_cast<std::size_t>(problem.spec.functions());
  EXPECT_FALSE(GradientSample(problem.spec, {"gaussian", "forward", 1, false}, std::vector<double>(count, 0.1),
                              range(0, problem.spec.functions()))
                   .can_sum());
}

}  // namespace
}  // namespace zeroth
