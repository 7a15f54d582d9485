// SPDX-License-Identifier: MIT
// The parts of the model against finite differences, brute force and their own laws.
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/design.hpp"
#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/fit.hpp"
#include "zeroth/model/maximize.hpp"
#include "zeroth/model/normal.hpp"
#include "zeroth/model/slice_sampling.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/pesc/pair_distances.hpp"
#include "zeroth/solvers/pesc/random_features.hpp"

namespace zeroth {
namespace {

Evaluations some_evaluations(Index dimension, Index count) {
  Rng rng(11);
  Evaluations evaluations{latin_hypercube(dimension, count, rng), Vector(count), Vector(count)};
  for (Index i = 0; i < count; ++i) {
    evaluations.values[i] =
        std::sin(5 * evaluations.points(0, i)) + evaluations.points.col(i).squaredNorm() + 0.1 * rng.normal();
    evaluations.spread[i] = 0.5 + rng.uniform();
  }
  return evaluations;
}

template <class Function>
void expect_gradient(const Function& value, const Vector& at, const Vector& gradient, double tolerance) {
  for (Index k = 0; k < at.size(); ++k) {
    const double h = 1e-5 * std::max(1.0, std::abs(at[k]));
    Vector up = at, down = at;
    up[k] += h;
    down[k] -= h;
    const double difference = (value(up) - value(down)) / (2 * h);
    EXPECT_NEAR(gradient[k], difference, tolerance * (1 + std::abs(difference))) << "coordinate " << k;
  }
}

using Forms = testing::TestWithParam<Kernel::Form>;
class EveryKernel : public Forms {};

TEST_P(EveryKernel, LikelihoodGradientIsExact) {
  const Evaluations evaluations = some_evaluations(3, 15);
  for (const Trend trend : {Trend::zero, Trend::constant})
    for (const auto& [lengths, mixing] : {std::pair<Index, Index>{1, 0}, {3, 0}, {3, 3}}) {
      const Hyperparameters h{Vector::LinSpaced(lengths, -1, 0.5), 0.3, -3, Vector::LinSpaced(mixing, -0.7, 0.4)};
      Vector gradient;
      log_likelihood(GetParam(), trend, evaluations, h, &gradient);
      const auto value = [&](const Vector& p) {
        return log_likelihood(GetParam(), trend, evaluations, Hyperparameters::unpacked(p, h.log_length.size()),
                              nullptr);
      };
      expect_gradient(value, h.packed(), gradient, 1e-6);
    }
}

TEST_P(EveryKernel, PredictionGradientsAreExact) {
  const Evaluations evaluations = some_evaluations(3, 15);
  const Gp gp =
      make_gp(GetParam(), Trend::constant, evaluations, {Vector::Constant(3, -0.7), 0.1, -4, Vector{{0.5, -0.8, 0.3}}});
  const Vector at{{0.3, 0.62, 0.55}};
  Vector mean_gradient, variance_gradient;
  gp.with_gradients(at, mean_gradient, variance_gradient);
  expect_gradient([&](const Vector& x) { return gp.at(x).mean; }, at, mean_gradient, 1e-6);
  expect_gradient([&](const Vector& x) { return gp.at(x).variance; }, at, variance_gradient, 1e-6);
  EXPECT_TRUE(gp.mean_gradient(at).isApprox(mean_gradient, 1e-12));
}

TEST_P(EveryKernel, AppendingEqualsRebuilding) {
  const Evaluations evaluations = some_evaluations(2, 20);
  const Kernel kernel{GetParam(), Vector::Constant(2, 0.4), 1.3};
  Gp grown(kernel, 0.2, evaluations.points.leftCols(12), evaluations.values.head(12),
           Vector(evaluations.spread.head(12)));
  for (Index i = 12; i < 20; ++i) grown.append(evaluations.points.col(i), evaluations.values[i], evaluations.spread[i]);
  const Gp whole(kernel, 0.2, evaluations.points, evaluations.values, evaluations.spread);
  const Vector at{{0.2, 0.8}};
  EXPECT_NEAR(grown.at(at).mean, whole.at(at).mean, 1e-12);
  EXPECT_NEAR(grown.at(at).variance, whole.at(at).variance, 1e-12);
  EXPECT_NEAR(grown.factor().log_determinant(), whole.factor().log_determinant(), 1e-10);
}

// A posterior sample has the posterior's mean and variance: means over many draws, to 4.5 standard errors plus the
// error of the features (which is of order 1/sqrt(F)).
TEST_P(EveryKernel, FunctionSamplesFollowThePosterior) {
  const Evaluations evaluations = some_evaluations(2, 8);
  const Gp gp = make_gp(GetParam(), Trend::constant, evaluations, {Vector::Constant(2, -1), 0, -2});
  Matrix at(2, 3);
  at << 0.1, 0.5, 0.95, 0.9, 0.4, 0.05;
  for (const bool pathwise : {false, true}) {
    constexpr int draws = 600;
    Vector sum = Vector::Zero(3), squares = Vector::Zero(3);
    Gp data = gp;
    if (!pathwise) data = Gp(gp.kernel(), gp.mean(), gp.points(), gp.values(), gp.noise().mean());
    for (int i = 0; i < draws; ++i) {
      Rng rng(derive_key(5, i));
      const FunctionSample f =
          pathwise ? FunctionSample::pathwise(data, 500, rng) : FunctionSample::weight_space(data, 500, rng);
      const Vector values = f.at(at);
      sum += values;
      squares += values.cwiseAbs2();
      if (i == 0) {
        Vector gradient;
        const Vector x = at.col(1);
        EXPECT_NEAR(f(x, gradient), values[1], 1e-9);
        expect_gradient([&](const Vector& p) { return f(p); }, x, gradient, 1e-5);
      }
    }
    for (Index k = 0; k < 3; ++k) {
      const Prediction p = data.at(at.col(k));
      const double mean = sum[k] / draws, variance = squares[k] / draws - mean * mean;
      EXPECT_NEAR(mean, p.mean, 4.5 * std::sqrt(p.variance / draws));
      EXPECT_NEAR(variance / p.variance, 1, 4.5 * std::sqrt(2.0 / draws) + 0.05);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EveryKernel,
                         testing::Values(Kernel::Form::squared_exponential, Kernel::Form::matern52));

TEST(ScaleFreePosterior, GradientIsExact) {
  const Evaluations evaluations = some_evaluations(3, 15);
  const Vector d{{0.1, 0.4, 1.5}};
  Vector gradient;
  scale_free_log_posterior(evaluations, d, 1e-3, {}, &gradient);
  expect_gradient([&](const Vector& p) { return scale_free_log_posterior(evaluations, p, 1e-3, {}, nullptr); }, d,
                  gradient, 1e-6);
}

TEST(Cholesky, JitterMakesASingularMatrixFactor) {
  const Matrix ones = Matrix::Ones(5, 5);
  const Cholesky factor(ones);
  EXPECT_GT(factor.jitter(), 0);
  EXPECT_LE(factor.jitter(), 1e-8);
  EXPECT_TRUE((factor.lower() * factor.lower().transpose()).isApprox(ones, 1e-7));
  EXPECT_THROW(Cholesky(Matrix::Constant(2, 2, std::nan(""))), Error);
}

TEST(Designs, LatinHypercubesHaveOnePointPerStratum) {
  Rng rng(3);
  for (const Matrix& points : {latin_hypercube(4, 13, rng), maximin_latin_hypercube(4, 13, rng)})
    for (Index k = 0; k < 4; ++k) {
      std::vector<bool> seen(13);
      for (Index i = 0; i < 13; ++i) seen[static_cast<std::size_t>(points(k, i) * 13)] = true;
      EXPECT_TRUE(std::ranges::all_of(seen, [](bool b) { return b; }));
    }
}

TEST(Designs, DOptimalSubsetBeatsRandomOnes) {
  Rng rng(4);
  const Matrix candidates = latin_hypercube(2, 100, rng);
  const Matrix subset = d_optimal_subset(candidates, 10, rng);
  const auto criterion = [](const Matrix& x) {
    Matrix k = Kernel{Kernel::Form::squared_exponential, Vector::Constant(1, std::sqrt(0.002)), 1}(x);
    k.diagonal().array() += 0.01;
    return Cholesky(k).log_determinant();
  };
  for (int i = 0; i < 50; ++i) EXPECT_GT(criterion(subset), criterion(latin_hypercube(2, 10, rng)));
}

TEST(Designs, SobolIsBalancedAndContinues) {
  SobolSequence one(5, 9), two(5, 9);
  const Matrix whole = one.next(64);
  Matrix parts(5, 64);
  parts << two.next(20), two.next(44);
  EXPECT_EQ(whole, parts);
  // Any 64 consecutive points of a digital (t, s)-net's first block fall one into each of 64 strips of each axis.
  for (Index k = 0; k < 5; ++k) {
    std::vector<int> count(8);
    for (Index i = 0; i < 64; ++i) ++count[static_cast<std::size_t>(whole(k, i) * 8)];
    for (const int c : count) EXPECT_NEAR(c, 8, 1);  // boost leaves the origin out, so a block may be off by one
  }
}

// Neal's sampler leaves the target as it is: moments of a correlated pair with a bounded, skewed second coordinate.
TEST(SliceSampling, HasTheTargetsMoments) {
  const auto log_density = [](const Vector& v) {
    if (v[1] <= 0) return -std::numeric_limits<double>::infinity();
    return 2 * std::log(v[1]) - v[1] - 0.5 * std::pow(v[0] - v[1], 2);  // Gamma(3), then N(v1, 1)
  };
  Rng rng(8);
  Vector x{{1, 1}};
  double at_x = log_density(x);
  constexpr int draws = 20000;
  double sum0 = 0, sum1 = 0, squares1 = 0;
  for (int i = 0; i < draws; ++i) {
    at_x = slice_sweep(log_density, x, at_x, 1, rng);
    EXPECT_EQ(at_x, log_density(x));
    sum0 += x[0];
    sum1 += x[1];
    squares1 += x[1] * x[1];
  }
  // Autocorrelation time is below 10 sweeps; sd of both is below 2.1.
  const double tolerance = 4.5 * 2.1 * std::sqrt(10.0 / draws);
  EXPECT_NEAR(sum0 / draws, 3, tolerance);
  EXPECT_NEAR(sum1 / draws, 3, tolerance);
  EXPECT_NEAR(squares1 / draws, 12, 4.5 * 17 * std::sqrt(10.0 / draws));
}

// As the slice sampler goes about it: one length is tried, also far too short, then kept or not, then the next one.
TEST(PairDistances, AreTheSumsHoweverTheLengthsGotThere) {
  Rng rng(3);
  const Index d = 40, n = 12;
  const Matrix points = latin_hypercube(d, n, rng);
  PairDistances distances(points);
  const auto expect_sums = [&](const Vector& lengths) {
    const Vector& got = distances.squared(lengths);
    for (Index j = 0, pair = 0; j < n; ++j)
      for (Index i = j + 1; i < n; ++i, ++pair) {
        const double sum = (points.col(i) - points.col(j)).cwiseQuotient(lengths).squaredNorm();
        ASSERT_NEAR(got[pair], sum, 1e-11 * sum);
      }
  };
  Vector lengths = Vector::Constant(d, 0.5);
  for (int sweep = 0; sweep < 10; ++sweep)
    for (Index k = 0; k < d; ++k) {
      const double before = lengths[k];
      for (const double trial : {1e-6, 3.0, 0.2 + rng.uniform()}) {
        lengths[k] = trial;
        expect_sums(lengths);
      }
      if (rng.below(3) == 0) lengths[k] = before;
    }
  lengths.setConstant(1);
  expect_sums(lengths);
}

// Many coordinates are summed in another order than few.
TEST(Kernel, ColumnIsAColumnOfTheMatrix) {
  Rng rng(4);
  for (const Index d : {3, 32, 33, 80}) {
    const Matrix points = latin_hypercube(d, 9, rng);
    const Kernel kernel{Kernel::Form::matern52, Vector::LinSpaced(d, 0.5, 3), 2};
    const Matrix all = kernel(points);
    EXPECT_LT((kernel.column(points, points.col(4)) - all.col(4)).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_LT((kernel.slopes(points, points.col(4)) - kernel.slopes(points).col(4)).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(Acquisitions, ExpectedImprovementByBruteForce) {
  const Prediction y{0.3, 0.25};
  Rng rng(1);
  double sum = 0;
  constexpr int draws = 400000;
  for (int i = 0; i < draws; ++i) sum += std::max(0.0, 0.1 - (0.3 + 0.5 * rng.normal()));
  EXPECT_NEAR(expected_improvement(y, 0.1), sum / draws, 4.5 * 0.3 / std::sqrt(draws));
  EXPECT_EQ(expected_improvement({0.3, 0}, 0.5), 0.2);
  EXPECT_NEAR(probability_nonpositive(y), 0.2742531, 1e-7);
}

class SlackImprovement : public testing::TestWithParam<int> {};

TEST_P(SlackImprovement, EqualsBruteForce) {
  const Index m = GetParam();
  AugmentedLagrangian al{Vector::LinSpaced(m, 0.2, 1.5), 0.3, 1};
  BeliefAt belief{{0.2, 0.01}, {}};
  for (Index j = 0; j < m; ++j)
    belief.constraints.push_back({-0.2 + 0.1 * static_cast<double>(j), 0.02 + 0.01 * static_cast<double>(j)});
  const double best = al.slack_mean(belief);
  Vector slacks(m);
  for (Index j = 0; j < m; ++j) slacks[j] = al.slack(j, belief.constraints[static_cast<std::size_t>(j)].mean);
  Rng rng(2);
  double sum = 0, squares = 0;
  constexpr int draws = 400000;
  for (int i = 0; i < draws; ++i) {
    double value = 0.2 + 0.1 * rng.normal();
    for (Index j = 0; j < m; ++j) {
      const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
      const double shifted = p.mean + std::sqrt(p.variance) * rng.normal() + slacks[j];
      value += al.lambda[j] * shifted + shifted * shifted / (2 * al.rho);
    }
    const double gain = std::max(0.0, best - value);
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / draws, se = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_NEAR(al.slack_improvement(belief, best), mean, 4.5 * se + 1e-3 * mean);
}

INSTANTIATE_TEST_SUITE_P(Constraints, SlackImprovement, testing::Values(1, 2, 3, 5));

// min |x - 1|^2 s.t. x_0 + ... + x_n-1 <= n/2: x = 1/2. In few dimensions by SLSQP, in many by MMA; and where all
// coordinates are held, the start and not what SLSQP makes of a step of no length.
TEST(MinimizeConstrained, FindsTheOptimumAndStaysWhereItIsHeld) {
  const Differentiable objective = [](const Vector& x, Vector* gradient) {
    if (gradient) *gradient = 2 * (x.array() - 1);
    return (x.array() - 1).square().sum();
  };
  const std::vector<Differentiable> inequality{[](const Vector& x, Vector* gradient) {
    if (gradient) *gradient = Vector::Ones(x.size());
    return x.sum() - 0.5 * static_cast<double>(x.size());
  }};
  for (const Index n : {3, 150}) {
    const Vector zero = Vector::Zero(n), one = Vector::Ones(n), held = Vector::Constant(n, 0.25);
    const auto found = minimize_constrained(objective, inequality, {}, zero, zero, one, 200, 1e-7);
    EXPECT_TRUE(found.feasible);
    EXPECT_LT((found.x.array() - 0.5).abs().maxCoeff(), 1e-3) << n;
    const auto stays = minimize_constrained(objective, inequality, {}, held, held, held, 200, 1e-7);
    EXPECT_EQ(stays.x, held) << n;
  }
}

TEST(NormalLaw, TailsAreSmooth) {
  for (const double x : {-40.0, -30.001, -29.999, -5.0, 0.0, 4.999, 5.001, 9.0}) {
    const double h = 1e-5;
    const double slope = (log_normal_cdf(x + h) - log_normal_cdf(x - h)) / (2 * h);
    EXPECT_NEAR(slope, normal_hazard(x), 1e-4 * (1e-3 + normal_hazard(x)));
  }
  EXPECT_NEAR(normal_hazard(-100), 100.01, 1e-3);
  EXPECT_NEAR(log_one_minus_exp(-1e-10), std::log(1e-10), 1e-6);
}

TEST(UnitBox, GoesThereAndBack) {
  Spec spec;
  spec.domain = Domain::box(Vector{{-5, 0, 2}}, Vector{{5, 1, 9}});
  spec.integer = {false, false, true};
  const UnitBox box(spec);
  EXPECT_EQ(box.to_domain(Vector::Zero(3)), (Vector{{-5, 0, 2}}));
  EXPECT_EQ(box.to_domain(Vector::Ones(3)), (Vector{{5, 1, 9}}));
  const Vector x = box.to_domain(Vector{{0.3, 0.7, 0.5}});
  EXPECT_EQ(x[2], std::round(x[2]));
  EXPECT_TRUE(box.to_domain(box.to_unit(x)).isApprox(x, 1e-14));
  spec.domain = Domain::whole_space(3);
  EXPECT_THROW(UnitBox{spec}, Error);
  spec.domain = Domain::ball(Vector::Constant(3, 1.0), 2);
  spec.integer = {};
  EXPECT_TRUE(spec.domain.contains(UnitBox(spec).to_domain(Vector::Ones(3))));
}

TEST(Fit, PosteriorMeanIsThePriorsWhereThatIsNarrow) {
  const Evaluations evaluations = some_evaluations(3, 12);
  const Vector wanted{{-0.3, 0.2, 0.7, 0.1, -3}};
  const double sd = 0.02;
  const LogPrior prior = [&](const Vector& packed, Vector*) {
    return -0.5 * (packed - wanted).squaredNorm() / (sd * sd);
  };
  Rng rng(5);
  Hyperparameters chain{Vector::Zero(3), 0, -2};
  const auto mean = [&] {
    return posterior_mean(Kernel::Form::matern52, Trend::constant, evaluations, chain, FitBounds{}, prior, 60, rng)
        .packed();
  };
  mean();  // on the way there
  EXPECT_LT((mean() - wanted).cwiseAbs().maxCoeff(), 0.03);
}

// Evaluations at a linear function of four variables: the likelihood has peaks at short lengths and hardly any noise.
TEST(FailureModel, LearnsAHalfThatFailsAndForgivesChance) {
  FailureModel half, chance;
  Rng rng(6);
  for (int i = 0; i < 60; ++i) {
    const Vector x{{rng.uniform(), rng.uniform()}};
    half.record(x, x[0] > 0.6);
    chance.record(x, rng.uniform() < 0.3);
  }
  half.refit();
  chance.refit();
  EXPECT_LT(half.probability_answered(Vector{{0.9, 0.5}}), 0.1);
  EXPECT_GT(half.probability_answered(Vector{{0.2, 0.5}}), 0.9);
  for (int i = 0; i < 10; ++i) EXPECT_GT(chance.probability_answered(Vector{{rng.uniform(), rng.uniform()}}), 0.6);
}

}  // namespace
}  // namespace zeroth
