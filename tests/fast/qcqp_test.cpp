// SPDX-License-Identifier: MIT
#include "zeroth/problems/qcqp.hpp"

#include <gtest/gtest.h>

#include "zeroth/problems/qcqp_optimum.hpp"

namespace zeroth {
namespace {

class QcqpOptimumTest : public testing::TestWithParam<std::tuple<int, int, const char*>> {};

TEST_P(QcqpOptimumTest, IsFeasibleCertifiedAndComplementary) {
  const auto [n, m, set] = GetParam();
  QcqpOptions options;
  options.n = n;
  options.m = m;
  options.set = set;
  const auto f = qcqp_functions(options);
  const auto best = solve_convex_qcqp(f, set, options.size);
  EXPECT_GE(best.duality_gap, -1e-8 * std::max(1.0, std::abs(best.value)));
  EXPECT_LE(best.duality_gap, 1e-8 * std::max(1.0, std::abs(best.value)));
  for (int i = 1; i <= m; ++i) {
    const double value = f[static_cast<std::size_t>(i)].value(best.x);
    EXPECT_LE(value, 0);
    EXPECT_GE(best.multipliers[i - 1], 0);
    EXPECT_LE(std::abs(value * best.multipliers[i - 1]), 1e-6);
  }
  EXPECT_LT(best.value, f[0].c);  // better than the start
}

INSTANTIATE_TEST_SUITE_P(Instances, QcqpOptimumTest,
                         testing::Combine(testing::Values(2, 10, 60, 300), testing::Values(1, 4),
                                          testing::Values("box", "ball", "space")));

}  // namespace
}  // namespace zeroth
