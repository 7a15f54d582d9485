// SPDX-License-Identifier: MIT
// What was declared is what is shown: units, limits and sides; and failures that differ in numbers only are one fault.
#include "zeroth/run/declared.hpp"

#include <gtest/gtest.h>

#include "zeroth/run/failure_groups.hpp"

namespace zeroth {
namespace {

Statement statement(const std::string& text) { return read_meaning({text}, 0, "here")->statements.at(0); }

TEST(Declared, AMeanStandsBesideItsLimit) {
  const Statement s = statement("mean(noise) <= 70");
  ConstraintResult c;
  c.name = s.text;
  c.value = {-2, 0.5};
  c.interval = {-3, -1};
  const Declared d = declared(c, &s);
  EXPECT_EQ(d.what, "mean(noise)");
  EXPECT_EQ(d.relation, "<=");
  EXPECT_DOUBLE_EQ(d.limit, 70);
  EXPECT_DOUBLE_EQ(d.estimate, 68);
  EXPECT_DOUBLE_EQ(d.se, 0.5);
  EXPECT_DOUBLE_EQ(d.interval.low, 67);
  EXPECT_DOUBLE_EQ(d.interval.high, 69);
}

TEST(Declared, ALowerLimitKeepsItsSideAndTheOrderOfItsInterval) {
  const Statement s = statement("mean(yield) >= 5");
  ConstraintResult c;
  c.value = {-2, 0.5};
  c.interval = {-3, -1};
  const Declared d = declared(c, &s);
  EXPECT_EQ(d.relation, ">=");
  EXPECT_DOUBLE_EQ(d.estimate, 7);
  EXPECT_DOUBLE_EQ(d.interval.low, 6);
  EXPECT_DOUBLE_EQ(d.interval.high, 8);
}

TEST(Declared, ProbabilitiesQuantilesAndNames) {
  const Statement wait = statement("probability(wait <= 3) >= 0.95"), rare = statement("probability(load > 9) <= 0.1"),
                  tail = statement("quantile(wait, 0.9) <= 4");
  EXPECT_EQ(declaration("c", &wait).what, "probability(wait <= 3)");
  EXPECT_DOUBLE_EQ(declaration("c", &wait).limit, 0.95);
  EXPECT_EQ(declaration("c", &wait).relation, ">=");
  EXPECT_EQ(declaration("c", &rare).relation, "<=");
  // One in ten is bad: 0.05 more than allowed, so the declared probability is 0.9.
  EXPECT_NEAR(in_declared_units(0.1 - 0.05, &wait), 0.9, 1e-12);
  EXPECT_NEAR(in_declared_units(0.3 - 0.1, &rare), 0.3, 1e-12);
  EXPECT_NEAR(in_declared_units(0.2 - 0.1, &tail), 0.8, 1e-12);
  ConstraintResult c;
  c.name = "geweke";
  c.value = {-0.1, 0.02};
  const Declared plain = declared(c, nullptr);
  EXPECT_EQ(plain.what, "geweke");
  EXPECT_DOUBLE_EQ(plain.limit, 0);
  EXPECT_DOUBLE_EQ(plain.estimate, -0.1);
}

TEST(FailureGroups, NumbersDoNotTellReasonsApart) {
  EXPECT_EQ(without_numbers("residual 1.5e-07 after 12 steps"), without_numbers("residual -3 after 7 steps"));
  EXPECT_NE(without_numbers("residual 1 after 12 steps"), without_numbers("residual 1 at 12 steps"));
  EXPECT_EQ(without_numbers("no numbers. e5 is no exponent alone"), "no numbers. e# is no exponent alone");
  const auto groups = grouped_failures({{"pole at 0.1", 1}, {"pole at 0.25", 3}, {"diverged", 2}});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].text(), "4 x pole at 0.25 (and 1 that differ in numbers only)");
  EXPECT_EQ(groups[1].text(), "2 x diverged");
}

}  // namespace
}  // namespace zeroth
