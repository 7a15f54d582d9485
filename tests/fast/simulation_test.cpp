// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/lab/studies/simulation_race.hpp"
#include "zeroth/problems/qcqp_optimum.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Simulation, KktDistanceVanishesAtTheOptimumAndNowhereNear) {
  for (const std::int64_t instance : {1, 2, 3}) {
    QcqpOptions options;
    options.n = 12;
    options.instance = instance;
    const Problem problem = qcqp(options);
    const auto f = qcqp_functions(options);
    const Vector& best = problem.truth->best_point;
    ASSERT_EQ(best.size(), 12);
    const double step = 1 / problem.spec.constants->L[0], scale = f[0].gradient(best).norm();
    EXPECT_LT(kkt_distance(options, f, step, best), 1e-4 * scale);
    EXPECT_GT(kkt_distance(options, f, step, 0.9 * best), 1e-2 * scale);
  }
}

// A trial from error 10 down to `end`, by tenths of the way, evaluations apart.
Trajectory falling(double end, double apart) {
  Trajectory t;
  for (int k = 0; k <= 10; ++k) {
    SimulationPoint p;
    p.evaluations = p.calls = apart * k;
    p.gap = 10 + k * (end - 10) / 10;
    t.push_back(p);
  }
  return t;
}

TEST(Simulation, RacesAreDecidedByIntervalsAndOnlyWhereSomethingIsKnown) {
  const auto gap = [](const SimulationPoint& p) { return p.gap; };
  const auto evaluated = [](const SimulationPoint& p) { return p.evaluations; };
  EXPECT_EQ(stays_below(falling(0, 1), gap, 5, evaluated), 5);
  EXPECT_TRUE(std::isinf(stays_below(falling(6, 1), gap, 5, evaluated)));
  Trajectory back = falling(0, 1);
  back.back().gap = 9;  // was below, but did not stay
  EXPECT_TRUE(std::isinf(stays_below(back, gap, 5, evaluated)));

  const std::vector<Trajectory> ours{falling(0, 2), falling(0, 2)};
  const auto against = [&](double end, double apart, double other_end, double other_apart) {
    SimulationPanel panel;
    Curves curves{
        {"start", ours}, {"adaptive-conex", ours}, {"pesc", {falling(end, apart), falling(other_end, other_apart)}}};
    panel.variants = {{"pesc", "pesc", {}, 0, 2}};
    const double half[] = {0.5};
    return race(panel, curves, gap, {"adaptive-conex"}, evaluated, half).verdict();
  };
  EXPECT_EQ(against(0, 3, 0, 3), "yes");
  EXPECT_EQ(against(9, 3, 9, 3), "yes");  // never there, though asked for longer than ours needs
  EXPECT_EQ(against(0, 1, 0, 1), "**no** (behind pesc at 50 %)");
  EXPECT_EQ(against(0, 1, 0, 3), "not shown (level with pesc at 50 %)");
  EXPECT_EQ(against(9, 0.5, 9, 0.5), "open");  // ended before ours was there

  // Of several of ours the quicker counts; a mean ratio of 1.5 is nothing to rely on if trials differ by more.
  SimulationPanel panel;
  panel.variants = {{"albo", "albo", {}, 0, 3}};
  Curves curves{{"start", {falling(0, 1), falling(0, 1), falling(0, 1)}},
                {"adaptive-conex", {falling(0, 2), falling(0, 2), falling(0, 2)}},
                {"trust-bo", {falling(0, 1), falling(0, 1), falling(0, 1)}},
                {"albo", {falling(0, 1.4), falling(0, 1.5), falling(0, 1.6)}}};
  const double half[] = {0.5};
  EXPECT_EQ(race(panel, curves, gap, {"adaptive-conex"}, evaluated, half).verdict(), "**no** (behind albo at 50 %)");
  EXPECT_EQ(race(panel, curves, gap, {"adaptive-conex", "trust-bo"}, evaluated, half).verdict(), "yes");
  curves["albo"] = {falling(0, 0.7), falling(0, 1.5), falling(0, 3)};
  EXPECT_EQ(race(panel, curves, gap, {"trust-bo"}, evaluated, half).verdict(), "not shown (level with albo at 50 %)");
}

TEST(Simulation, CheckpointsEndAtTheBudgetAndCallsAreCountedPerFunction) {
  EXPECT_EQ(checkpoints(100).back(), 100);
  QcqpOptions options;
  options.n = 4;
  const Variant random{"random", "random", {}, 60, 1};
  const Trajectory t = run_simulation(options, random, 1);
  EXPECT_EQ(t.back().evaluations, 60);
  EXPECT_EQ(t.back().calls, 120);  // both functions at every point
}

// The smoke version of the study: every claim of the page can be computed, ours leads, and a study that was stopped
// goes on to the same bytes.
TEST(Simulation, SmokeStudyIsResumableAndRepeatsByteForByte) {
  const Scratch one, two;
  ReproduceOptions options;
  options.smoke = true;
  options.jobs = 2;
  options.out = one.path("out");
  const std::string page = reproduce_qcqp_convex(options);
  EXPECT_THAT(page, HasSubstr("nu = 2 diverges"));
  const std::size_t panels =
      page.find("### ");  // which claim holds where, and the panels' tables on a page of their own
  EXPECT_THAT(contents(options.out / "paper.md"), HasSubstr(page.substr(0, panels)));
  EXPECT_THAT(contents(options.out / "paper/qcqp-convex.md"),
              HasSubstr(page.substr(panels, page.find("](figures/") - panels)));
  EXPECT_THAT(page, HasSubstr("plain constraint values"));
  const auto file = [](const std::filesystem::path& out) { return out / "figures" / "qcqp-convex.csv"; };
  const std::string csv = contents(file(options.out));

  // Killed half-way: the ledger ends in the middle of a line.
  options.out = two.path("out");
  std::filesystem::create_directories(options.out / "figures");
  std::ofstream(file(options.out)) << csv.substr(0, csv.size() / 2);
  EXPECT_EQ(reproduce_qcqp_convex(options), page);
  EXPECT_EQ(contents(file(options.out)), csv);
}

// --solvers runs only these, and the page waits for the others; a curve that was run further than the default is kept.
TEST(Simulation, RunsChosenSolversAndKeepsLongerCurves) {
  const Scratch scratch;
  ReproduceOptions options;
  options.smoke = true;
  options.out = scratch.path("out");
  options.solvers = {"albo"};
  EXPECT_THAT(reproduce_qcqp_convex(options), HasSubstr("without --solvers"));
  const std::filesystem::path file = simulation_file(options, false);
  EXPECT_EQ(longest_stored(file, "n4-normal", "albo"), 60);
  EXPECT_EQ(longest_stored(file, "n4-normal", "slack-al"), 0);

  auto panels = convex_panels(options);
  Variant& albo = panels[0].variants[3];
  ASSERT_EQ(albo.solver, "albo");
  albo.budget = 70;
  run_panels(panels, file, 1, options.solvers);
  EXPECT_EQ(convex_panels(options)[0].variants[3].budget, 70);

  options.evaluations = {100, 200};
  EXPECT_THROW(reproduce_qcqp_convex(options), Error);
}

// What the page says of the paper's claims, on the small version: the same directions as in the panel with four
// variables of the whole study.
TEST(Simulation, ClaimsPointTheSameWayOnASmallProblem) {
  ReproduceOptions options;
  options.smoke = true;
  options.jobs = 2;
  const Scratch scratch;
  options.out = scratch.path("out");
  const auto expect_verdicts = [](const std::string& page,
                                  const std::vector<std::pair<std::string, std::string>>& all) {
    for (const auto& [claim, verdict] : all) EXPECT_THAT(page, HasSubstr("| " + claim + " | " + verdict)) << page;
  };
  const std::pair<std::string, std::string> ours[] = {
      {"`adaptive-conex` needs fewer evaluations than the four", "yes"},
      {"`adaptive-conex` needs 100x fewer evaluations than the Algorithm", "yes"}};
  expect_verdicts(reproduce_qcqp_convex(options), {{"Algorithm's error falls", "yes"},
                                                   {"small nu are alike", "yes"},
                                                   {"nu = 2 is worse than nu = 0.1", "yes"},
                                                   {"nu = 2 diverges", "yes"},
                                                   {"Algorithm needs fewer calls than the four", "open"},
                                                   ours[0],
                                                   ours[1]});
  expect_verdicts(reproduce_qcqp_nonconvex(options), {{"Algorithm's error falls", "**no**"},
                                                      {"small nu are alike", "yes"},
                                                      {"nu = 2 diverges", "yes"},
                                                      {"Algorithm needs fewer calls than the four", "**no**"},
                                                      ours[0],
                                                      ours[1]});
}

TEST(Simulation, AdaptiveConexNeedsFewerEvaluationsThanAlgorithm1AndTheFour) {
  ReproduceOptions options;
  options.smoke = true;
  const Scratch scratch;
  options.out = scratch.path("out");
  std::filesystem::create_directories(options.out / "figures");
  for (const bool nonconvex : {false, true}) {
    const auto panels = nonconvex ? nonconvex_panels(options) : convex_panels(options);
    const auto runs = run_panels(panels, options.out / "figures" / (nonconvex ? "n.csv" : "c.csv"), 2);
    const auto final_error = [&](const std::string& curve) {
      double worst = 0;
      for (const auto& t : runs.at(panels[0].name).at(curve))
        worst = std::max(worst, nonconvex ? t.back().kkt : t.back().error());
      return worst;
    };
    const double ours = final_error("adaptive-conex");
    for (const char* other :
         {"SZO-ConEx nu=0.05", "SZO-ConEx nu=0.1", "SZO-ConEx nu=2", "albo", "slack-al", "admmbo", "pesc"})
      EXPECT_LT(ours, final_error(other)) << other << (nonconvex ? ", nonconvex" : ", convex");
  }
}

}  // namespace
}  // namespace zeroth
