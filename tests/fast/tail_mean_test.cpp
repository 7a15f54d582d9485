// SPDX-License-Identifier: MIT
//
// CVaR: its estimate and interval, the solver's view, and whole runs with it as constraint and as objective.
#include "zeroth/core/statistics/tail_mean.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/adapters/tail_model.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

constexpr double normal_cvar_90 = 1.7549833193;  // of a standard normal value: density at its quantile / 0.1

double exponential(Rng& rng) { return -std::log(rng.uniform()); }

TEST(TailMean, IntervalsCoverAsOftenAsTheySay) {
  // Of an exponential value the mean of the worst tenth is 1 + log 10.
  for (const bool heavy : {false, true})
    for (const std::size_t evaluations : {60u, 200u}) {
      const double truth = heavy ? 1 + std::log(10.0) : normal_cvar_90;
      constexpr int runs = 1500;
      int covered = 0, claimed = 0;
      double mean = 0;
      for (int run = 0; run < runs; ++run) {
        Rng rng(derive_key(11, heavy, evaluations * 10000 + static_cast<std::uint64_t>(run)));
        std::vector<double> v(evaluations);
        for (double& value : v) value = heavy ? exponential(rng) : rng.normal();
        const TailMean t = tail_mean(v, 0.1);
        covered += t.lower() <= truth && truth <= t.upper();
        claimed += t.probability_at_most(truth - 1e-9) >= 0.95;  // claims what is not true
        if (run == 0) EXPECT_NEAR(t.probability_at_most(t.upper()), 0.975, 1e-9);
        mean += t.mean / runs;
      }
      EXPECT_GE(covered, 0.9 * runs) << heavy << evaluations;
      EXPECT_LE(claimed, 0.08 * runs) << heavy << evaluations;
      EXPECT_GT(mean, truth - 0.03) << "not drawn below the truth";
      EXPECT_LT(mean, truth + 10.0 / static_cast<double>(evaluations));
    }
}

TEST(TailMean, OfFewOrEqualEvaluations) {
  EXPECT_TRUE(std::isnan(tail_mean({}, 0.1).mean));
  EXPECT_EQ(tail_mean({2}, 0.1).mean, 2);
  const TailMean same = tail_mean(std::vector<double>(20, 3.0), 0.1);
  EXPECT_EQ(same.mean, 3);
  EXPECT_EQ(same.probability_at_most(3), 1);
  EXPECT_EQ(same.probability_at_most(2.9), 0);
}

TEST(TailModel, IsNearlyUnbiasedWhereTheMiddleMoves) {
  // v = x + x^2 + noise over [0, 1]: evaluations everywhere, the mean of what the model makes of them is the CVaR
  // there.
  TailModel model(0.1);
  Rng rng(5);
  std::vector<double> x(1);
  const auto value = [&] { return x[0] + x[0] * x[0] + 0.2 * rng.normal(); };
  for (int i = 0; i < 600; ++i) {
    x[0] = rng.uniform();
    model.observe(x, value());
    model.update();
  }
  for (const double place : {0.1, 0.5, 0.9}) {
    x[0] = place;
    double mean = 0;
    constexpr int evaluations = 20000;
    for (int i = 0; i < evaluations; ++i) mean += model.of(x, value()) / evaluations;
    EXPECT_NEAR(mean, place + place * place + 0.2 * normal_cvar_90, 0.03) << place;
  }
}

Problem risky() {
  // Cost falls with x, its spread grows with it: the mean wants 1, the worst tenth does not.
  Problem p;
  p.spec.domain = Domain::box(1, 0, 1);
  p.spec.constraints = 1;
  p.constraint_names = {"loss"};
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    const double z = noise.normal();
    values[0] = 1 - x[0] + x[0] * x[0] * z;
    values[1] = x[0] + 0.5 * z;
  };
  return p;
}

TEST(Cvar, AsAConstraint) {
  MinimizeOptions options;
  options.budget = 600;
  options.constraints = {"cvar(loss, 0.9) <= 1.5"};
  const Result r = minimize(risky(), options);
  const double limit = 1.5 - 0.5 * normal_cvar_90;  // 0.6225
  EXPECT_LE(r.x[0], limit + 0.05);
  EXPECT_GE(r.x[0], limit - 0.35);
  ASSERT_TRUE(r.constraints[0].chance && r.constraints[0].chance->cvar);
  const Chance& c = *r.constraints[0].chance;
  EXPECT_LE(c.lower, r.x[0] + 0.5 * normal_cvar_90);
  EXPECT_GE(c.upper, r.x[0] + 0.5 * normal_cvar_90);
}

TEST(Cvar, AsTheObjective) {
  // CVaR of 1 - x + x^2 z is 1 - x + 1.755 x^2: least at x = 1 / (2 1.755) = 0.285, the mean's optimum is 1.
  for (const std::int64_t budget : {150, 1500}) {
    MinimizeOptions options;
    options.budget = budget;
    options.objective = "cvar(cost, 0.9)";
    options.constraints = {"mean(loss) <= 5"};
    const Result r = minimize(risky(), options);
    const double truth = 1 - r.x[0] + normal_cvar_90 * r.x[0] * r.x[0];
    EXPECT_LT(truth, 0.8575 + (budget > 1000 ? 0.05 : 0.15)) << r.x[0];
    EXPECT_NEAR(r.objective.mean, truth, 5 * r.objective.se + 0.02);
  }
}

TEST(Cvar, OfSmallValuesWhereSmallIsBad) {
  MinimizeOptions options;
  options.budget = 400;
  options.constraints = {"cvar(loss, 0.9) >= -0.5"};  // the mean of the smallest tenth: x - 0.8775
  Problem p = risky();
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = x[0] * x[0];
    values[1] = x[0] + 0.5 * noise.normal();
  };
  const Result r = minimize(p, options);
  EXPECT_GE(r.x[0], 0.3275);
  EXPECT_LE(r.x[0], 0.75);
}

}  // namespace
}  // namespace zeroth
