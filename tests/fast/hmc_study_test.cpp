// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/hmc_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace zeroth {
namespace {

HmcCell cell(const std::string& solver, std::int64_t evaluations, std::int64_t trial, double size,
             bool feasible = true) {
  HmcCell c;
  c.gradients = 12500;
  c.solver = solver;
  c.evaluations = evaluations;
  c.trial = trial;
  c.effective_size = size;
  c.feasible = feasible;
  return c;
}

TEST(HmcLedger, KeepsFinishedCellsAndForgetsAHalfWrittenOne) {
  const auto file = std::filesystem::temp_directory_path() / "zeroth_hmc_ledger_test.csv";
  std::filesystem::remove(file);
  HmcCell first = cell("random", 50, 1, 812.25);
  first.x << 0.1, 1.0 / 3, 0.7, 0;
  {
    HmcLedger ledger(file);
    ledger.add(first);
    ledger.add(cell("random", 100, 1, 900, false));
  }
  std::ofstream(file, std::ios::app)
      << "12500,random,50,2,700.5,-1,-0.2,1,0.5,0.5,0.5,0.5,1.2";  // killed before its end
  HmcLedger ledger(file);
  HmcCell wanted = cell("random", 50, 1, 0);
  ASSERT_TRUE(ledger.find(wanted));
  EXPECT_EQ(wanted.effective_size, 812.25);
  EXPECT_EQ(wanted.x, first.x);
  EXPECT_TRUE(wanted.feasible);
  wanted = cell("random", 100, 1, 0);
  ASSERT_TRUE(ledger.find(wanted));
  EXPECT_FALSE(wanted.feasible);
  EXPECT_EQ(wanted.credit(), 0);
  wanted = cell("random", 50, 2, 0);
  EXPECT_FALSE(ledger.find(wanted));
  wanted = cell("albo", 50, 1, 0);
  EXPECT_FALSE(ledger.find(wanted));
  std::filesystem::remove(file);
}

TEST(HmcTable, MeansErrorsAndPairedSignificance) {
  HmcStudy study;
  study.trials = 4;
  study.evaluations = {50};
  study.solvers = {"trust-bo", "random"};
  std::vector<HmcCell> cells;
  const std::vector<double> ours{1000, 1100, 900, 1000}, theirs{900, 1020, 790, 890};
  for (std::int64_t t = 1; t <= 4; ++t) {
    cells.push_back(cell("trust-bo", 50, t, ours[static_cast<std::size_t>(t) - 1]));
    cells.push_back(cell("random", 50, t, theirs[static_cast<std::size_t>(t) - 1]));
    cells.push_back(cell(grid_optimum, 0, t, 1250));
  }
  // Differences 100, 80, 110, 110: mean 100, sd sqrt(200), t = 100/(sqrt(200)/2) = 14.14, one-sided p with 3 df
  // 0.00038.
  const std::string text = hmc_table(study, cells);
  EXPECT_THAT(text, testing::HasSubstr("| trust-bo | 1000 | 41 | 100 % | 0.80 | 1.11 |  |"));
  EXPECT_THAT(text, testing::HasSubstr("| random | 900 | 47 | 100 % | 0.72 | 1.00 | 0.00038 |"));

  cells[1].feasible = false;  // random's first trial: earns nothing
  EXPECT_THAT(hmc_table(study, cells), testing::HasSubstr("| random | 675 | 230 | 75 % |"));
}

}  // namespace
}  // namespace zeroth
