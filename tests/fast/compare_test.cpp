// SPDX-License-Identifier: MIT
//
// What the comparison of solvers rests on: tests with known values, and runs whose outcome is planted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "stored_run.hpp"
#include "zeroth/report/page_data.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

using namespace testing_support;

// t = 2.4 with 8 degrees of freedom exactly (equal sizes and variances); its two-sided tail from the t distribution's
// closed form for 8 degrees: 1 - s (1 + c/2 + 3 c^2/8 + 5 c^3/16), s = t / sqrt(8 + t^2), c = 8 / (8 + t^2).
TEST(Compare, WelchsTestEqualsItsClosedForm) {
  const std::vector<double> a{1, 2, 3, 4, 5};
  std::vector<double> b(a);
  for (double& v : b) v += 2.4;
  const double s = 2.4 / std::sqrt(8 + 2.4 * 2.4), c = 8 / (8 + 2.4 * 2.4);
  EXPECT_NEAR(welch_p_value(a, b), 1 - s * (1 + c / 2 + 3 * c * c / 8 + 5 * c * c * c / 16), 1e-12);
  EXPECT_TRUE(std::isnan(welch_p_value(a, std::vector<double>{1})));
  EXPECT_EQ(welch_p_value(std::vector<double>{1, 1}, std::vector<double>{2, 2}), 0);
}

TEST(Compare, HolmsAdjustmentByHand) {
  const double nan = std::nan("");
  const auto p = holm({0.01, nan, 0.04, 0.03, 0.9});
  EXPECT_DOUBLE_EQ(p[0], 0.04);
  EXPECT_TRUE(std::isnan(p[1]));
  EXPECT_DOUBLE_EQ(p[2], 0.09);  // never below a smaller one's
  EXPECT_DOUBLE_EQ(p[3], 0.09);
  EXPECT_DOUBLE_EQ(p[4], 0.9);
}

TEST(Compare, IntervalsAreStudents) {
  EXPECT_NEAR(half_width_95(1, 2), 12.706204736, 1e-8);  // one degree of freedom: Cauchy, tan(0.475 pi)
  EXPECT_NEAR(half_width_95(1, 0), 1.959963985, 1e-8);
}

// A run that goes straight from `begin` to `end`, with a constraint that holds from evaluation `feasible_from` on.
StoredRun straight(const std::string& solver, std::int64_t seed, double begin, double end, double feasible_from,
                   const std::string& status = "budget") {
  StoredRun plan;
  plan.solver = solver;
  plan.seed = seed;
  plan.status = status;
  plan.dimension = 1;
  const auto value = [=](double k) { return begin + (end - begin) * std::min(1.0, k / 80); };
  const auto excess = [=](double k) { return k >= feasible_from ? -1.0 : 1.0; };
  plan.answer = [=](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
    const double at = 10 * std::floor(static_cast<double>(k) / 10);  // ten evaluations at every point
    x[0] = at;
    return {value(at) + (k % 2 ? 0.01 : -0.01), excess(at)};
  };
  plan.trace = [=](std::int64_t k) { return StoredTrace{k, {static_cast<double>(k - 10)}, {}, "{}"}; };
  plan.result = fmt::format(
      R"({{"objective":{{"mean":{},"se":0.01}},"constraints":[{{"mean":{},"se":0.1}}],"evaluations":100,"replicates":10}})",
      end, status == "infeasible" ? 1 : -1);
  return plan;
}

TEST(Compare, PlantedOutcomesAreFound) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    for (int seed = 1; seed <= 4; ++seed) {
      write_run(store, straight("good", seed, 10, 1 + 0.01 * seed, 40), 100);
      write_run(store, straight("same", seed, 10, 1.005 + 0.01 * seed, 0), 100);
      write_run(store, straight("worse", seed, 10, 3 + 0.01 * seed, 0), 100);
      write_run(store, straight("cheat", seed, 10, 0, 1000, "infeasible"), 100);
    }
    StoredRun other = straight("good", 1, 5, 4, 0);
    other.name = "another problem";
    write_run(store, other, 100);
  }
  const ReportSource source(scratch.path("s.db"));
  const auto problems = compare(source.runs());
  ASSERT_EQ(problems.size(), 2u);
  ASSERT_EQ(problems[0].solvers.size(), 4u);
  const auto& [good, same, worse, cheat] =
      std::tie(problems[0].solvers[0], problems[0].solvers[1], problems[0].solvers[2], problems[0].solvers[3]);
  EXPECT_TRUE(good.best);
  EXPECT_NEAR(good.answer.mean, 1.025, 1e-12);
  EXPECT_NEAR(good.answer.se, 0.01 * std::sqrt(5.0 / 3 / 4), 1e-12);
  EXPECT_EQ(good.feasible, 4);
  EXPECT_GT(same.p_value, 0.5);
  EXPECT_LT(worse.p_value, 1e-6);
  EXPECT_EQ(cheat.feasible, 0);  // a better objective, but it cannot be the best
  EXPECT_FALSE(cheat.best);

  // Ten evaluations at each point: the estimate after k evaluations is that of the point recommended then.
  const TargetReached& within_tenth = good.targets.at(0);
  EXPECT_NEAR(within_tenth.target, 1.01 + 0.1 * (10 - 1.01), 1e-9);
  EXPECT_EQ(within_tenth.reached, 4);
  EXPECT_EQ(within_tenth.median, 90);  // the point 80, whose evaluations are complete after 90 evaluations
  EXPECT_EQ(worse.targets.at(0).reached, 0);
  EXPECT_EQ(cheat.targets.at(0).reached, 0);
  const Band& band = good.objective;
  EXPECT_EQ(band.evaluations.back(), 100);
  EXPECT_EQ(band.runs.back(), 4);
  EXPECT_NEAR(band.mean.back(), 1.025, 1e-12);
  EXPECT_EQ(problems[1].name, "another problem");
}

}  // namespace
}  // namespace zeroth
