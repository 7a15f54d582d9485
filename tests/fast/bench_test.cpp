// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/bench.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "zeroth/lab/bench/qcqp.hpp"
#include "zeroth/lab/bench/race.hpp"
#include "zeroth/lab/bench/smooth.hpp"
#include "zeroth/lab/studies/sensitivity.hpp"
#include "zeroth/problems/qcqp.hpp"

namespace zeroth {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(Bench, GoesOnWhereItStopped) {
  BenchOptions options;
  options.reduced = true;
  options.trials = 2;
  options.only = "n = 10";
  options.solvers = {"adaptive-conex", "random"};
  options.out = std::filesystem::temp_directory_path() / "zeroth-bench-test";
  std::filesystem::remove_all(options.out);
  std::filesystem::create_directories(options.out);
  testing::internal::CaptureStdout();
  bench_qcqp(options);
  const std::string said = testing::internal::GetCapturedStdout();
  EXPECT_NE(said.find("adaptive-conex"), std::string::npos);
  const auto ledger = options.out / "bench-qcqp-m1.csv";
  const std::string kept = text_of(ledger);

  // A line lost and one torn, as after a crash: both races are run again, with the same outcome.
  std::string damaged = kept.substr(0, kept.rfind('\n', kept.size() - 2));
  damaged = damaged.substr(0, damaged.rfind('\n') + 20);
  std::ofstream(ledger) << damaged << "\n";
  testing::internal::CaptureStdout();
  bench_qcqp(options);
  const std::string again = testing::internal::GetCapturedStdout();
  // The last column is time, which differs.
  const auto without_times = [](const std::string& table) {
    std::istringstream in(table);
    std::string result;
    for (std::string line; std::getline(in, line);) result += line.substr(0, 72) + "\n";
    return result;
  };
  EXPECT_EQ(without_times(again), without_times(said));
  std::filesystem::remove_all(options.out);
}

TEST(Bench, SuitesWithoutALedgerPrintTheirTables) {
  BenchOptions options;
  options.reduced = true;
  for (const BenchSuite& suite : bench_suites()) {
    const bool bayesian = suite.name == "noisy-qcqp";
    if (suite.name != "chance" && suite.name != "integer" && suite.name != "scale" && suite.name != "costs" &&
        !bayesian)
      continue;
    options.solvers = {bayesian ? "slack-al" : "adaptive-conex", bayesian ? "admmbo" : "random"};
    testing::internal::CaptureStdout();
    suite.run(options);
    const std::string said = testing::internal::GetCapturedStdout();
    EXPECT_NE(said.find(options.solvers[0]), std::string::npos) << suite.name;
    EXPECT_EQ(said.find("-nan"), std::string::npos) << said;
  }
}

// A constant that is not used cannot matter; one that says how much of a promise a step must keep does.
TEST(Bench, SensitivityTellsConstantsThatMatterFromOthers) {
  BenchOptions options;
  options.reduced = true;
  options.out = std::filesystem::temp_directory_path() / "zeroth-sensitivity-test";
  std::filesystem::remove_all(options.out);
  std::filesystem::create_directories(options.out);
  const auto line_of = [&](const std::string& constant) {
    options.only = constant;
    testing::internal::CaptureStdout();
    bench_sensitivity(options);
    const std::string said = testing::internal::GetCapturedStdout();
    const std::size_t line = said.find("\n" + constant + " ");
    return said.substr(line, said.find('\n', line + 1) - line);
  };
  EXPECT_NE(line_of("astray").find("1.00 +- 0.00"), std::string::npos);
  const std::string kept = line_of("kept");
  EXPECT_EQ(kept.find("1.00 +- 0.00      1.00        1.00 +- 0.00"), std::string::npos) << kept;
  std::filesystem::remove_all(options.out);
}

// With the Hessians and multipliers known, a sweep of central differences leaves the expected gap that the limit is
// solved for: simulated, with errors drawn for the Lagrangian's slopes.
TEST(Bench, StatisticalLimitIsWhereTheExpectedGapIsOnePercent) {
  QcqpOptions o;
  o.n = 10;
  o.noise_form = "independent";
  const Problem problem = qcqp(o);
  const double evaluations = qcqp_limit(o, problem);
  const auto f = qcqp_functions(o);
  const double y = problem.truth->multipliers[0];
  const Matrix h = 2 * (f[0].A + y * f[1].A);
  const double n = 10, variance = n * (1 + y * y) / (evaluations * 4);
  Rng rng(3);
  double gap = 0;
  constexpr int draws = 20000;
  for (int k = 0; k < draws; ++k) {
    Vector e(10);
    for (double& v : e) v = std::sqrt(variance) * rng.normal();
    gap += 0.5 * e.dot(h.llt().solve(e)) / draws;
  }
  // At most, for the level of the constraint may ask for more evaluations than the slopes do.
  EXPECT_LT(gap, 1.03 * 0.01 * std::abs(problem.truth->best_value));
}

// Evaluations in proportion to the noise's variance, since the best radius does not depend on it; more of them where
// noise grows, and none that slopes or levels ask for where it only multiplies.
TEST(BenchSmooth, TheLimitIsProportionalToTheNoise) {
  SmoothOptions o;
  o.family = "hinge";
  o.n = 20;
  o.noise_form = "independent";
  const auto limit = [](const SmoothOptions& options) { return smooth_limit(options, smooth_problem(options)); };
  SmoothOptions half = o, growing = o, multiplying = o;
  half.noise_sd = 0.5 * o.noise_sd;
  growing.noise_form = "growing";
  multiplying.noise_form = "multiplicative";
  EXPECT_NEAR(limit(o) / limit(half), 4, 1e-9);
  EXPECT_GT(limit(growing), limit(o));
  EXPECT_EQ(limit(multiplying), 0);
}

TEST(Bench, PeersReachTheOptimumWithoutNoise) {
  QcqpOptions o;
  o.n = 5;
  o.instance = 101;
  o.noise = "none";
  const Problem problem = qcqp(o);
  RaceLimits limits;
  limits.budget = 20000;
  for (const char* name : {"adaptive-conex", "regression", "cobyla-frozen", "slsqp-frozen", "conex-tuned"}) {
    const Race r = race(problem, best_candidate(name, problem, limits, 0), limits, 1);
    EXPECT_LT(r.first, 20000) << name;
  }
  const Race spsa = race(problem, best_candidate("spsa-al", problem, limits, 0), limits, 1);
  EXPECT_LT(std::max(spsa.gap.back(), spsa.violation.back()), 0.1);
}

}  // namespace
}  // namespace zeroth
