// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>

#include "zeroth/lab/studies/reproduce.hpp"

namespace zeroth {
namespace {

TEST(ReproduceHmc, SmokeRunsAndASecondRunOnlyReads) {
  const auto out = std::filesystem::temp_directory_path() / "zeroth_reproduce_hmc_test";
  std::filesystem::remove_all(out);
  ReproduceOptions options;
  options.smoke = true;
  options.out = out;
  int ran = 0;
  options.jobs = 1;
  options.progress = [&](const std::string&) { ++ran; };
  const std::string first = reproduce_hmc(options);
  EXPECT_EQ(ran, 2 * (2 * 3 + 2));  // trials x (budgets x solvers + the two fixed points)
  ran = 0;
  EXPECT_EQ(reproduce_hmc(options), first);
  EXPECT_EQ(ran, 0);
  std::filesystem::remove_all(out);
}

}  // namespace
}  // namespace zeroth
