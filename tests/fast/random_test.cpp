// SPDX-License-Identifier: MIT
#include "zeroth/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "zeroth/core/portable_math.hpp"
#include "zeroth/core/signs.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {
namespace {

// These words are part of the promise that a seed means the same run for ever.
TEST(Random, StreamsAreFixedForEver) {
  Rng rng(1);
  EXPECT_EQ(rng.bits(), 7365762783350892946ULL);
  EXPECT_EQ(derive_key(1, 2, 3), 10744102227640737360ULL);
  std::vector<double> u(3);
  fill_normal(7, u);
  EXPECT_EQ(u[0], 0x1.c65fc197264e9p-1);
  EXPECT_EQ(u[2], -0x1.99ed534f7f127p-3);
}

TEST(Random, AnElementDependsOnKeyAndPositionAlone) {
  std::vector<double> whole(1001);
  fill_normal(42, whole);
  for (std::size_t begin : {0u, 1u, 3u, 4u, 500u, 999u}) {
    std::vector<double> part(whole.size() - begin);
    fill_normal(42, part, begin);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<long>(begin))) << begin;
  }
}

TEST(Random, KeysWithDifferentLabelsDiffer) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t label = 0; label < 100; ++label)
    for (std::uint64_t index = 0; index < 100; ++index) keys.insert(derive_key(5, label, index));
  EXPECT_EQ(keys.size(), 10000u);
  for (std::uint64_t k : keys) EXPECT_LT(noise_key(k, 1), noise_key_limit);
}

// Largest distance between empirical and true distribution; above 1.95/sqrt(n) with probability 0.1 %.
template <class Cdf>
double kolmogorov_smirnov(std::vector<double> sample, Cdf cdf) {
  std::ranges::sort(sample);
  double worst = 0;
  const double n = static_cast<double>(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = cdf(sample[i]);
    worst = std::max({worst, std::abs(p - static_cast<double>(i) / n), std::abs(p - static_cast<double>(i + 1) / n)});
  }
  return worst * std::sqrt(n);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(Random, NormalsAreNormal) {
  std::vector<double> filled(200000), drawn(200000);
  fill_normal(3, filled);
  Rng rng(4);
  for (double& v : drawn) v = rng.normal();
  EXPECT_LT(kolmogorov_smirnov(filled, normal_cdf), 1.95);
  EXPECT_LT(kolmogorov_smirnov(drawn, normal_cdf), 1.95);
}

TEST(Random, NormalTailHasItsMass) {
  std::vector<double> sample(4000000);
  fill_normal(11, sample);
  for (const double edge : {3.0, 3.6541528853610088, 4.5}) {
    const double p = 2 * normal_cdf(-edge), n = static_cast<double>(sample.size());
    const auto beyond =
        static_cast<double>(std::ranges::count_if(sample, [&](double v) { return std::abs(v) > edge; }));
    EXPECT_LT(std::abs(beyond - n * p), 4 * std::sqrt(n * p)) << edge;
  }
}

TEST(Random, StudentTHasItsDistribution) {
  std::vector<double> sample(100000);
  Rng rng(5);
  for (double& v : sample) v = rng.student_t(5);
  // t with 5 degrees of freedom in closed form.
  const auto cdf = [](double t) {
    const double angle = std::atan(t / std::sqrt(5.0)), c = std::cos(angle);
    return 0.5 + (angle + std::sin(angle) * (c + 2.0 / 3 * c * c * c)) / M_PI;
  };
  EXPECT_LT(kolmogorov_smirnov(sample, cdf), 1.95);
}

TEST(Random, GammaHasItsMoments) {
  for (const double shape : {0.4, 1.0, 2.5}) {
    Rng rng(6);
    const int n = 200000;
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += rng.gamma(shape);
    EXPECT_NEAR(sum / n, shape, 4 * std::sqrt(shape / n)) << shape;
  }
}

TEST(Random, BelowIsUniform) {
  Rng rng(8);
  std::vector<double> counts(7, 0);
  const double n = 70000;
  for (int i = 0; i < n; ++i) counts[rng.below(7)] += 1;
  for (double c : counts) EXPECT_NEAR(c, n / 7, 4.5 * std::sqrt(n / 7));
}

// Where Eigen cuts a long sum must not depend on the machine's caches.
TEST(PortableMath, LongProductsAreCutAtTheSamePlacesEverywhere) {
  EXPECT_EQ(Eigen::l1CacheSize(), 48 * 1024);
  Eigen::Index rows = 6, columns = 6, depth = 500;
  Eigen::internal::computeProductBlockingSizes<double, double>(depth, rows, columns, Eigen::Index{1});
  EXPECT_EQ(depth, 256);
}

TEST(PortableMath, AgreesWithTheLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.37)
    EXPECT_NEAR(portable::log(x), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  for (double x = -600; x < 600; x += 0.37) EXPECT_NEAR(portable::exp(x) / std::exp(x), 1, 2e-15) << x;
}

TEST(Signs, AreTheSameHoweverTheyAreCutAndAsManyOfEach) {
  std::vector<double> whole(10'007), part(3000);
  fill_signs(11, whole);
  for (const std::size_t offset : {0u, 1u, 63u, 64u, 4096u, 7007u}) {
    fill_signs(11, part, offset);
    EXPECT_TRUE(std::ranges::equal(part, std::span(whole).subspan(offset, part.size()))) << offset;
  }
  double sum = 0, neighbours = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    ASSERT_EQ(std::abs(whole[i]), 1);
    sum += whole[i];
    if (i > 0) neighbours += whole[i] * whole[i - 1];
  }
  EXPECT_LT(std::abs(sum), 4 * std::sqrt(10'007));
  EXPECT_LT(std::abs(neighbours), 4 * std::sqrt(10'007));
}

TEST(Signs, AddUpToTheSumOfTheirDirections) {
  std::vector<WeightedSigns> directions;
  for (std::uint64_t k = 0; k < 37; ++k) directions.push_back({100 + k, 0.3 - 0.1 * static_cast<double>(k)});
  std::vector<double> sum(500), expected(500), one(500);
  combine_signs(directions, sum, 64);
  for (const WeightedSigns& d : directions) {
    fill_signs(d.key, one, 64);
    for (std::size_t i = 0; i < one.size(); ++i)
      expected[i] = d.key == 100 ? d.weight * one[i] : expected[i] + d.weight * one[i];
  }
  EXPECT_EQ(sum, expected);
}

}  // namespace
}  // namespace zeroth
