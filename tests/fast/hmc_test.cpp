// SPDX-License-Identifier: MIT
//
// The HMC tuning problem: its data, its kernel against the formula, its sampler against an identity of its target, and
// the traps of its objective.
#include "zeroth/apps/hmc.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

#include "zeroth/apps/german_credit.hpp"
#include "zeroth/apps/mcmc/diagnostics.hpp"
#include "zeroth/apps/mcmc/spectrum.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth {
namespace {

const std::string data_file = std::string(ZEROTH_SOURCE_DIR) + "/data/german/german.data-numeric";

TEST(GermanCredit, IsThePublishedFileAndIsInTheLibrary) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(("sha256sum " + data_file).c_str(), "r"), pclose);
  ASSERT_TRUE(pipe);
  std::string sum(64, ' ');
  ASSERT_EQ(std::fread(sum.data(), 1, sum.size(), pipe.get()), sum.size());
  EXPECT_EQ(sum, "2752b044394958ab6dd193a0b56ca0f0b3a2d8bc7cb8c008e35a5e84bbec02f8");

  std::ifstream in(data_file);
  const auto numbers = german_credit_numbers();
  ASSERT_EQ(numbers.size(), 25000u);
  for (const auto number : numbers) {
    int expected = -1;
    in >> expected;
    ASSERT_EQ(number, expected);
  }
}

TEST(GermanCredit, DesignIsStandardisedAndSubsampled) {
  const Matrix all = german_credit_design(1000, 1);
  const Vector label = all.col(0);  // the intercept times the label
  EXPECT_EQ(label.sum(), 700 - 300);
  for (Index j = 1; j < all.cols(); ++j) {
    const Vector feature = all.col(j).cwiseProduct(label);
    EXPECT_NEAR(feature.mean(), 0, 1e-12);
    EXPECT_NEAR(feature.squaredNorm() / 1000, 1, 1e-12);
  }
  EXPECT_EQ(german_credit_design(800, 7).rows(), 800);
  EXPECT_EQ(german_credit_design(800, 7), german_credit_design(800, 7));
  EXPECT_NE(german_credit_design(800, 7), german_credit_design(800, 8));
}

// The formula, as plainly as it can be written.
double potential_at(const Matrix& rows, const Vector& q, double prior_variance, Vector& gradient) {
  double value = q.squaredNorm() / (2 * prior_variance);
  gradient = q / prior_variance;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double z = rows.row(i).dot(q);
    value += z > 0 ? std::log1p(std::exp(-z)) : -z + std::log1p(std::exp(z));
    gradient -= rows.row(i).transpose() / (1 + std::exp(z));
  }
  return value;
}

TEST(LogisticPotential, EqualsTheFormulaForBothChains) {
  for (const Index count : {1, 16, 37, 800}) {
    const Matrix rows = german_credit_design(count, 3);
    const LogisticPotential potential(rows, 2.5);
    for (const double scale : {0.0, 0.1, 3.0, 100.0}) {
      LogisticPotential::Pair q(rows.cols(), 2), gradient(rows.cols(), 2);
      fill_normal(static_cast<std::uint64_t>(count), {q.data(), static_cast<std::size_t>(q.size())});
      q *= scale;
      std::array<double, 2> value{};
      potential.evaluate(q, gradient, value);
      for (Index c : {0, 1}) {
        Vector expected;
        const double u = potential_at(rows, q.col(c), 2.5, expected);
        EXPECT_NEAR(value[static_cast<std::size_t>(c)], u, 1e-12 * (1 + std::abs(u)));
        EXPECT_LT((gradient.col(c) - expected).norm(), 1e-12 * (static_cast<double>(count) + expected.norm()));
      }
    }
  }
}

class Hmc : public testing::Test {
 protected:
  const LogisticPotential potential{german_credit_design(800, 1), 1};
  const Problem problem = hmc({});
};

TEST_F(Hmc, DrawsFromItsTarget) {
  // Stein's identity, E[q_j dU/dq_j] = 1 for every coordinate; a wrong acceptance step or integrator breaks it.
  const Matrix rows = german_credit_design(800, 1);
  const HmcChains chains = run_hmc(potential, {5, 0.06, 1, 0.1}, {.gradients = 12500}, 5);
  std::vector<double> series;  // the mean over coordinates, whose expectation is 1 too
  Vector gradient;
  for (const Matrix& draws : chains.draws) {
    series.clear();
    for (Index i = 0; i < draws.rows(); ++i) {
      const Vector q = draws.row(i);
      potential_at(rows, q, 1, gradient);
      series.push_back(q.dot(gradient) / 25);
    }
    const double se = std::sqrt(mcmc::spectrum_ar(series).at_zero / static_cast<double>(series.size()));
    EXPECT_LT(se, 0.05);
    EXPECT_NEAR(mcmc::mean(series), 1, 4 * se);
  }
}

TEST_F(Hmc, CountsGradientsAndBurnIn) {
  const HmcChains chains = run_hmc(potential, {5, 0.062, 1, 0.02}, {.gradients = 12500}, 1);
  EXPECT_EQ(chains.iterations, 1250);
  EXPECT_EQ(chains.draws[0].rows(), 1225);
  EXPECT_EQ(chains.draws[1].rows(), 1225);
  EXPECT_NEAR(chains.acceptance, 0.78, 0.05);  // 2450 proposals, se 0.01, and another subsample than the measured one
}

TEST_F(Hmc, IsAPureFunctionOfPointAndKey) {
  const HmcChains a = run_hmc(potential, {5, 0.062, 1, 0.1}, {.gradients = 2000}, 9);
  const HmcChains b = run_hmc(potential, {5, 0.062, 1, 0.1}, {.gradients = 2000}, 9);
  EXPECT_EQ(a.draws[0], b.draws[0]);
  EXPECT_EQ(a.draws[1], b.draws[1]);
  EXPECT_NE(a.draws[0], a.draws[1]);
  EXPECT_NE(a.draws[0], run_hmc(potential, {5, 0.062, 1, 0.1}, {.gradients = 2000}, 10).draws[0]);
}

TEST_F(Hmc, OnlyStepOverRootMassActs) {
  const HmcChains a = run_hmc(potential, {5, 0.062, 1, 0.1}, {.gradients = 2000}, 9);
  const HmcChains b = run_hmc(potential, {5, 0.124, 4, 0.1}, {.gradients = 2000}, 9);
  EXPECT_EQ(a.draws[0], b.draws[0]);  // powers of two, so to the last bit
}

TEST_F(Hmc, ADivergenceIsAFailedAnswer) {
  const Vector x = hmc_point({20, 0.5, 1, 0.1});
  const Answer answer = evaluate_once(problem, {as_span(x), 1, {}});
  EXPECT_TRUE(answer.failed());
  EXPECT_NE(answer.failure.find("diverged"), std::string::npos);
}

TEST_F(Hmc, AChainThatHardlyMovesIsInfeasibleNotFailed) {
  const Vector x = hmc_point({1, 0.005, 10, 0.0});
  const Answer answer = evaluate_once(problem, {as_span(x), 1, {}});
  ASSERT_FALSE(answer.failed()) << answer.failure;
  EXPECT_GT(std::max(answer.values[1], answer.values[2]), 0);
}

TEST_F(Hmc, TheStartIsFeasibleAndFarFromTheBest) {
  const Vector best = hmc_point({5, 0.063, 1, 0});
  const Answer at_start = evaluate_once(problem, {as_span(problem.spec.start), 1, {}});
  const Answer at_best = evaluate_once(problem, {as_span(best), 1, {}});
  ASSERT_FALSE(at_start.failed() || at_best.failed());
  for (const Answer& a : {at_start, at_best})
    for (const std::size_t i : {1, 2}) EXPECT_LE(a.values[i], 0);
  EXPECT_LT(at_best.values[0] + std::log(3), at_start.values[0]);
}

TEST_F(Hmc, StepsAreRoundedAndTiesAreBrokenAtRandom) {
  Rng rng(1);
  Vector x = problem.spec.start;
  const Unit steps = hmc_units()[0];
  const auto rounded = [&](double value) {
    x[0] = steps.position(value);
    return hmc_setting(as_span(x), rng).steps;
  };
  EXPECT_EQ(rounded(5.45), 5);
  EXPECT_EQ(rounded(5.55), 6);
  EXPECT_EQ(rounded(1), 1);
  EXPECT_EQ(rounded(64), 64);
  x[0] = steps.position(8.5);  // then walk to a point that gives exactly 8.5, if doubles have one
  for (int k = 0; k < 20 && steps.value(x[0]) != 8.5; ++k)
    x[0] = std::nextafter(x[0], steps.value(x[0]) < 8.5 ? 1.0 : 0.0);
  if (steps.value(x[0]) != 8.5) GTEST_SKIP() << "no double gives exactly 8.5 steps on this machine";
  int up = 0;
  for (int k = 0; k < 100; ++k) up += hmc_setting(as_span(x), rng).steps == 9 ? 1 : 0;
  EXPECT_NEAR(up, 50, 20);  // 4 standard deviations
}

TEST(HmcProblemFile, SpeaksTheUsersUnits) {
  const ResolvedProblem problem = resolve(
      parse_document("[problem]\nbuiltin = \"hmc\"\ngradients = 2000\n[solver]\nname = \"random\"\n", "units.toml"));
  EXPECT_EQ(problem.space.names(), (std::vector<std::string>{"steps", "step_size", "mass", "burn_in"}));
  EXPECT_EQ(problem.constraint_names, (std::vector<std::string>{"geweke", "rhat"}));
  EXPECT_TRUE(problem.maximize);
  const Vector x = problem.space.to_user(problem.spec.start);
  EXPECT_EQ(x[0], 20);
  EXPECT_NEAR(x[1], 0.02, 1e-12);
  EXPECT_NEAR(x[2], 1, 1e-12);
  EXPECT_NEAR(x[3], 0.3, 1e-12);
}

}  // namespace
}  // namespace zeroth
