// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/nn_study.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "scratch.hpp"

namespace zeroth {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_support::Scratch;

ReproduceOptions smoke(const Scratch& scratch) {
  ReproduceOptions o;
  o.smoke = true;
  o.out = scratch.path("out");
  o.jobs = 1;
  o.trials = 1;
  o.solvers = {"random"};
  o.evaluations = {6};
  return o;
}

NnCell cell(const std::string& solver, std::int64_t evaluations, std::int64_t trial, double error,
            bool feasible = true) {
  NnCell c;
  c.solver = solver;
  c.evaluations = evaluations;
  c.trial = trial;
  c.validation = c.test = error;
  c.feasible = feasible;
  c.megaflops = feasible ? 19 : 30;
  return c;
}

TEST(ReproduceNn, SmokeRunsAndASecondRunOnlyReads) {
  const Scratch scratch;
  ReproduceOptions o = smoke(scratch);
  o.solvers = {};
  o.evaluations = {8};
  int ran = 0;
  o.progress = [&](const std::string& line) {
    ++ran;
    EXPECT_THAT(line, HasSubstr("s left"));
  };
  const std::string first = reproduce_nn_mnist(o);
  EXPECT_EQ(ran, 3 + 2);  // solvers and the two fixed points
  EXPECT_THAT(first, HasSubstr("| auto | 1 |"));
  EXPECT_THAT(first, HasSubstr("| (start) | 1 |"));
  ran = 0;
  EXPECT_EQ(reproduce_nn_mnist(o), first);
  EXPECT_EQ(ran, 0);
  o.solvers = {"sobol"};  // one more; the others are still in the table
  const std::string more = reproduce_nn_mnist(o);
  EXPECT_EQ(ran, 1);
  EXPECT_THAT(more, AllOf(HasSubstr("| auto | 1 |"), HasSubstr("| sobol | 1 |")));
}

std::string first_lines(const std::string& text, int count) {
  std::size_t end = 0;
  while (count-- > 0) end = text.find('\n', end) + 1;
  return text.substr(0, end);
}

// A run that is stopped in the middle goes on from its evaluations and ends as if it had never been stopped.
TEST(ReproduceNn, AnInterruptedRunGoesOnWithinTheCell) {
  const Scratch scratch;
  const ReproduceOptions o = smoke(scratch);
  const NnStudy study = nn_study("mnist", o);
  NnCell whole = cell("random", 6, 1, 0);
  {
    NnLedger ledger(study, o.out);
    run_nn_cell(study, whole, ledger);
  }
  const std::string evaluated = scratch.read("out/nn-synthetic-evaluations.csv");
  ASSERT_EQ(std::ranges::count(evaluated, '\n'), 1 + 6);
  // Two evaluations left, one of them falsified: whether it is used shows whether evaluations are read at all.
  std::vector<std::string> lines;
  std::istringstream in(evaluated);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  scratch.write("out/nn-synthetic-evaluations.csv", lines[0] + "\n" + lines[1] + "\n" + lines[2] + "\n");
  NnCell again = cell("random", 6, 1, 0);
  {
    NnLedger ledger(study, o.out);
    run_nn_cell(study, again, ledger);
  }
  EXPECT_EQ(again.x, whole.x);
  EXPECT_EQ(again.validation, whole.validation);
  std::multiset<std::string> before(lines.begin(), lines.end()), after;
  std::istringstream now(scratch.read("out/nn-synthetic-evaluations.csv"));
  for (std::string line; std::getline(now, line);) after.insert(line);
  EXPECT_EQ(before, after);

  const std::string fooled =
      lines[1].substr(0, lines[1].find(",0,") + 3) + "0.001,1," + lines[1].substr(lines[1].rfind(',') + 1);
  scratch.write("out/nn-synthetic-evaluations.csv", lines[0] + "\n" + fooled + "\n");
  NnLedger ledger(study, o.out);
  NnCell tricked = cell("random", 6, 1, 0);
  run_nn_cell(study, tricked, ledger);
  EXPECT_EQ(ledger.evaluation(tricked, 0)->objective, 0.001);
}

// Seeds are the same for every budget: a longer run of a solver that does not plan with it begins with the shorter one.
TEST(ReproduceNn, ALongerRunTakesOverTheEvaluationsOfAShorterOne) {
  const Scratch apart, together;
  const auto run = [](const Scratch& scratch, std::int64_t budget) {
    ReproduceOptions o = smoke(scratch);
    o.evaluations = {4, 7};
    const NnStudy study = nn_study("mnist", o);
    NnLedger ledger(study, o.out);
    NnCell result = cell("random", budget, 1, 0);
    run_nn_cell(study, result, ledger);
    return std::pair{result, ledger.evaluation(result, 0)->objective};
  };
  const NnCell alone = run(apart, 7).first;
  run(together, 4);
  const NnCell after = run(together, 7).first;
  EXPECT_EQ(alone.x, after.x);
  EXPECT_EQ(alone.validation, after.validation);

  // A falsified evaluation of the short run shows whether the long one reads it.
  const std::string evaluated = first_lines(together.read("out/nn-synthetic-evaluations.csv"), 2);
  const std::size_t value = evaluated.find(",0,") + 3;
  together.write("out/nn-synthetic-evaluations.csv",
                 evaluated.substr(0, value) + "0.001" + evaluated.substr(evaluated.find(',', value)));
  EXPECT_EQ(run(together, 7).second, 0.001);
}

TEST(NnTable, PairsTrialsAndCountsAnInfeasiblePointAsTheStart) {
  NnStudy study;
  study.problem.data = "synthetic";
  study.evaluations = {50};
  study.solvers = {"auto", "pesc", "random"};
  std::vector<NnCell> cells;
  const double ours[] = {3, 3.2, 3.1, 3.3}, random[] = {5, 5.3, 5.0, 5.4};
  for (std::int64_t t = 1; t <= 4; ++t) {
    cells.push_back(cell("auto", 50, t, ours[t - 1]));
    cells.push_back(cell("random", 50, t, random[t - 1], t != 1));
    cells.push_back(cell(nn_start, 0, t, 7));
  }
  const std::string table = nn_table(study, cells);
  EXPECT_THAT(table, HasSubstr("| auto | 4 | 3.15 | 0.06 |"));
  EXPECT_THAT(table, HasSubstr("| random | 4 | 5.67 |"));  // (7 + 5.3 + 5.0 + 5.4)/4
  EXPECT_THAT(table, HasSubstr("| 75 % |"));
  EXPECT_THAT(table, Not(HasSubstr("pesc")));  // nothing of it has been run
  // Leads 4, 2.1, 1.9, 2.1: mean 2.525, se 0.4939, t = 5.112 with 3 degrees: one-sided p = 0.0072.
  EXPECT_THAT(table, HasSubstr("| 0.0072 |"));
}

}  // namespace
}  // namespace zeroth
