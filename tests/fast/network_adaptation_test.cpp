// SPDX-License-Identifier: MIT
//
// The example of docs/examples/network-adaptation.md in small: a network that knows pictures as they were learns moved
// ones by evaluations alone, and forgets less under a limit than without.
#include <gtest/gtest.h>

#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/adaptation.hpp"

namespace zeroth {
namespace {

AdaptationOptions small() {
  AdaptationOptions o;
  o.images = "synthetic";
  o.hidden = {16, 16, 16};
  o.training = 400;
  o.batch = 64;
  o.shift = 4;
  return o;
}

TEST(NetworkAdaptation, BeginsWhereTrainingEndedAndMeasuresBothKinds) {
  const NetworkAdaptation network(small());
  const Problem problem = network.problem();
  EXPECT_EQ(problem.spec.dimension(), 784 * 16 + 16 * 16 + 16 * 16 + 16 * 10 + 3 * 16 + 10);
  EXPECT_EQ(problem.spec.first_point(), network.trained());
  const auto before = network.accuracy(network.trained());
  EXPECT_GT(before.known, before.fresh + 10);
  double fresh = 0, known = 0;
  constexpr int evaluations = 40;
  for (std::uint64_t key = 0; key < evaluations; ++key) {
    const Answer answer = evaluate_once(problem, {as_span(network.trained()), key, {}});
    ASSERT_FALSE(answer.failed());
    fresh += answer.values[0] / evaluations;
    known += answer.values[1] / evaluations;
  }
  EXPECT_NEAR(known, 0, 0.05);  // the limit is the trained network's own loss
  EXPECT_GT(fresh, known + 0.1);
}

TEST(NetworkAdaptation, LearnsByEvaluationsAndForgetsLessUnderTheLimit) {
  const NetworkAdaptation network(small());
  const auto before = network.accuracy(network.trained());
  const auto limited = adapt_by_evaluations(network, true, 2000, 3200, 2, 2).accuracy.back(),
             unlimited = adapt_by_evaluations(network, false, 2000, 3200, 2, 2).accuracy.back(),
             gradients = adapt_by_gradients(network, true, 100, 2).accuracy.back();
  EXPECT_GT(limited.fresh, before.fresh + 3);
  EXPECT_GT(unlimited.fresh, before.fresh + 3);
  EXPECT_GT(gradients.fresh, before.fresh + 3);
  EXPECT_GE(limited.known, unlimited.known);
  EXPECT_GT(limited.known, before.known - 3);
}

}  // namespace
}  // namespace zeroth
