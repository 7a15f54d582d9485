// SPDX-License-Identifier: MIT
#include "zeroth/model/site_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/model/design.hpp"
#include "zeroth/model/site_gp.hpp"

namespace zeroth {
namespace {

Answer values(std::initializer_list<double> v) { return {std::vector<double>(v), {}}; }

SiteData random_data(Index d, Index n, Rng& rng) {
  SiteData data{latin_hypercube(d, n, rng), Vector(n), Vector(n)};
  for (Index i = 0; i < n; ++i) {
    data.values[i] = std::sin(4 * data.points(0, i)) + rng.normal() * 0.1;
    data.variance[i] = 0.01 * rng.uniform();
  }
  return data;
}

TEST(SiteGp, LikelihoodGradientIsExact) {
  Rng rng(3);
  const SiteData data = random_data(3, 12, rng);
  Vector p = SiteKernel::typical(3).packed();
  for (double& v : p) v += 0.2 * rng.normal();
  Vector gradient;
  log_posterior(data, SiteKernel::unpacked(p, 3), &gradient);
  constexpr double h = 1e-5;
  for (Index k = 0; k < p.size(); ++k) {
    Vector up = p, down = p;
    up[k] += h;
    down[k] -= h;
    const double slope = (log_posterior(data, SiteKernel::unpacked(up, 3), nullptr) -
                          log_posterior(data, SiteKernel::unpacked(down, 3), nullptr)) /
                         (2 * h);
    EXPECT_NEAR(gradient[k], slope, 1e-5 * (1 + std::abs(slope))) << k;
  }
}

TEST(SiteGp, MeanGradientIsExact) {
  Rng rng(4);
  const SiteGp gp(random_data(2, 15, rng), SiteKernel::typical(2));
  const Vector u = Vector::Constant(2, 0.37);
  Vector gradient, mean;
  const double value = gp.mean(u, &gradient);
  gp.at(u, mean, nullptr);
  EXPECT_NEAR(value, mean[0], 1e-12);
  constexpr double h = 1e-6;
  for (Index k = 0; k < 2; ++k)
    EXPECT_NEAR(gradient[k],
                (gp.mean(u + h * Vector::Unit(2, k), nullptr) - gp.mean(u - h * Vector::Unit(2, k), nullptr)) / (2 * h),
                1e-6);
}

// However rough the function: a smooth kernel must not average away what many replicates say of a point.
TEST(SiteGp, ASiteThatWasReplicatedOftenIsKnownByItsOwnMean) {
  Rng rng(6);
  SiteData data = random_data(2, 40, rng);
  for (double& v : data.values) v = rng.normal();  // no smoothness at all
  data.variance.setConstant(0.5);
  data.variance[7] = 1e-4;
  data.values[7] = 3;
  const SiteGp gp(data, fit(data, SiteKernel::typical(2), 60).kernel);
  Vector mean, variance;
  gp.at(data.points.col(7), mean, &variance);
  EXPECT_NEAR(mean[0], 3, 0.1);
  EXPECT_LE(variance[0], 0.01);
}

// y = f(u) + c_key + small noise: what all share is gone from comparisons, and is said to be unknown of the level.
TEST(Sites, SharedNoiseIsRemovedFromComparisons) {
  Rng rng(11);
  Sites sites(1);
  std::vector<double> shared(400);
  for (double& c : shared) c = 10 * rng.normal();
  const auto f = [](double u) { return 3 * u; };
  const auto evaluate = [&](double u, Index key) {
    const Vector at = Vector::Constant(1, u);
    sites.add(at, values({f(u) + shared[static_cast<std::size_t>(key)] + 0.1 * rng.normal()}), key);
    return sites.find(at);
  };
  for (Index key = 0; key < 100; ++key) evaluate(0.5, key);
  std::vector<Index> which{0};
  for (int i = 0; i < 20; ++i) {
    const double u = 0.3 + 0.02 * i + 0.001;
    for (int r = 0; r < 3; ++r) {
      const Index site = sites.find(Vector::Constant(1, u));
      const auto key = sites.known_key(site, rng);
      ASSERT_TRUE(key);
      const Index now = evaluate(u, *key);
      if (r == 0) which.push_back(now);
    }
  }
  sites.remove_shared_noise(which);
  for (const Index i : which)
    EXPECT_NEAR(sites[i].mean[0] - sites[0].mean[0], f(sites[i].unit[0]) - f(0.5), 0.4) << i;  // raw: 10 / sqrt(3)
  EXPECT_NEAR(sites.level_variance(), 1, 0.5);                                                 // 100 / 100
}

TEST(Sites, NoiseThatIsNotSharedIsLeftAlone) {
  Rng rng(12);
  Sites sites(1);
  std::vector<Index> which{0};
  std::vector<double> before;
  for (Index key = 0; key < 100; ++key) sites.add(Vector::Constant(1, 0.5), values({rng.normal()}), key);
  for (int i = 0; i < 20; ++i)
    for (Index r = 0; r < 3; ++r) {
      const Index now = sites.add(Vector::Constant(1, 0.3 + 0.02 * i + 0.001), values({rng.normal()}), 3 * i + r);
      if (r == 0) which.push_back(now);
    }
  for (const Index i : which) before.push_back(sites[i].mean[0]);
  sites.remove_shared_noise(which);
  for (std::size_t k = 0; k < which.size(); ++k) EXPECT_NEAR(sites[which[k]].mean[0], before[k], 0.25);
}

TEST(Sites, ReplicatesCollapseToMeanAndVarianceWhateverTheOrder) {
  Rng rng(5);
  Sites sites(2);
  const Vector a = Vector::Constant(2, 0.2), b = Vector::Constant(2, 0.7);
  double sum = 0, squares = 0;
  for (int k = 0; k < 50; ++k) {
    const double v = rng.normal();
    sum += v;
    squares += v * v;
    sites.add(a, values({v, 1}));
    sites.add(b, values({-v, 2}));
  }
  ASSERT_EQ(sites.size(), 2);
  EXPECT_NEAR(sites[0].mean[0], sum / 50, 1e-12);
  EXPECT_NEAR(sites[0].squares[0], squares - sum * sum / 50, 1e-10);
  EXPECT_EQ(sites[1].squares[1], 0);
  sites.add(a, Answer::failed_because("no"));
  EXPECT_EQ(sites[0].failed, 1);
  EXPECT_EQ(sites[0].answered, 50);
}

TEST(Sites, EvaluationsFromElsewhereEqualTheSameOnesMadeHere) {
  Sites one(1), other(1);
  const Vector u = Vector::Constant(1, 0.5);
  for (const double v : {1.0, 2.0, 4.0, 7.0, 11.0}) one.add(u, values({v}));
  other.add(u, values({1.0}));
  other.add(u, values({2.0}));
  const double mean = 22.0 / 3,
               sd = std::sqrt((std::pow(4 - mean, 2) + std::pow(7 - mean, 2) + std::pow(11 - mean, 2)) / 2);
  other.add(u, Evaluated{u, {mean}, {sd / std::sqrt(3.0)}, 3});
  EXPECT_NEAR(one[0].mean[0], other[0].mean[0], 1e-12);
  EXPECT_NEAR(one[0].squares[0], other[0].squares[0], 1e-9);
}

TEST(Sites, NoiseIsLearnedWhereItIsLarge) {
  Rng rng(6);
  Sites sites(1);
  std::vector<Index> which;
  for (int k = 0; k < 20; ++k) {
    const Vector u = Vector::Constant(1, (k + 0.5) / 20);
    for (int r = 0; r < 12; ++r) sites.add(u, values({(k < 10 ? 0.1 : 1.0) * rng.normal() + k}));
    which.push_back(k);
  }
  const Vector v = noise_variances(sites, which, 0);
  EXPECT_LT(v.head(8).maxCoeff(), 0.1);
  EXPECT_GT(v.tail(8).minCoeff(), 0.3);
}

// Yes or no, seen twelve times as no: the next one may yet be yes.
TEST(Sites, ACountThatRepeatsIsNotWithoutNoise) {
  Sites sites(1);
  for (int r = 0; r < 12; ++r) {
    sites.add(Vector::Constant(1, 0.1), values({0.0}));
    sites.add(Vector::Constant(1, 0.9), values({r % 2 == 0 ? 0.0 : 1.0}));
    sites.add(Vector::Constant(1, 0.5), values({0.0}));
  }
  EXPECT_EQ(sites.quantum(0), 1);
  const Vector v = noise_variances(sites, {0, 1, 2}, 0);
  EXPECT_GT(v[0], 1.0 / 20);
}

// Scales by powers of two change no bit of what the model thinks.
TEST(SiteModel, IsInvariantToTheScaleOfEveryFunction) {
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  spec.constraints = 1;
  const UnitBox box(spec);
  const auto probabilities = [&](double f, double g) {
    SiteModel model(spec, box);
    Rng rng(7);
    const Matrix points = latin_hypercube(2, 15, rng);
    for (int r = 0; r < 2; ++r)
      for (Index i = 0; i < points.cols(); ++i) {
        const Vector u = points.col(i);
        model.observe(u, values({f * (std::exp(3 * u[0]) + rng.normal()), g * (u[1] - 0.5 + 0.1 * rng.normal())}));
      }
    model.update(Vector::Constant(2, 0.5));
    return model.predict(points);
  };
  const Beliefs a = probabilities(1, 1), b = probabilities(1024, 1.0 / 4096);
  EXPECT_TRUE((a.mean - b.mean).isZero(0));
  EXPECT_TRUE((a.sd - b.sd).isZero(0));
}

// A wall of 1/x: with warps the model predicts what it has not seen far better than a plain process would.
TEST(SiteModel, WarpsMakeAWallPredictable) {
  Spec spec;
  spec.domain = Domain::box(Vector::Constant(1, 0.01), Vector::Constant(1, 100.0));
  const UnitBox box(spec);
  EXPECT_NEAR(box.log_offset()[0], 0.01 / 99.99, 1e-12);
  SiteModel model(spec, box);
  const auto f = [](double x) { return 1 / x + x; };
  const InputWarp log{box.log_offset()};
  for (int k = 0; k <= 12; ++k) {
    const Vector u = Vector::Constant(1, log.back(0, k / 12.0));
    for (int r = 0; r < 2; ++r) model.observe(u, values({f(box.to_domain(u)[0])}));
  }
  model.update(Vector::Constant(1, 0.5));
  EXPECT_TRUE(model.function(0).log_inputs());
  for (const double w : {0.23, 0.46, 0.71}) {
    const Vector u = Vector::Constant(1, log.back(0, w));
    const double truth = model.function(0).to_model(f(box.to_domain(u)[0]));
    EXPECT_NEAR(model.predict(u).mean(0, 0), truth, 0.1) << w;
  }
}

TEST(SiteModel, LearnsWhereEvaluationsFail) {
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  const UnitBox box(spec);
  SiteModel model(spec, box);
  Rng rng(8);
  const Matrix points = latin_hypercube(2, 40, rng);
  for (Index i = 0; i < points.cols(); ++i) {
    const Vector u = points.col(i);
    model.observe(u, u[0] > 0.5 ? Answer::failed_because("no") : values({u[1]}));
  }
  model.update(Vector::Constant(2, 0.5));
  Matrix there(2, 2);
  there << 0.15, 0.85, 0.5, 0.5;
  const Beliefs b = model.predict(there);
  EXPECT_GT(b.answered[0], 0.8);
  EXPECT_LT(b.answered[1], 0.2);
}

TEST(SiteModel, SurvivesAnyFiniteValues) {
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  spec.constraints = 1;
  const UnitBox box(spec);
  for (const double v : {0.0, 5e-324, 1e-300, 1e160, 1e300, 1.7e308}) {
    SiteModel model(spec, box);
    Rng rng(9);
    const Matrix points = latin_hypercube(2, 12, rng);
    for (Index i = 0; i < points.cols(); ++i)
      model.observe(points.col(i), values({i % 2 == 0 ? v : -v, i % 3 == 0 ? v : 1.0}));
    model.update(Vector::Constant(2, 0.5));
    const Beliefs b = model.predict(points);
    EXPECT_TRUE(b.mean.allFinite() && b.sd.allFinite()) << v;
  }
}

}  // namespace
}  // namespace zeroth
