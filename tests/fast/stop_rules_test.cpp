// SPDX-License-Identifier: MIT
//
// Whatever rule of [stop] holds first ends the run, the result says which, and what was measured by then is as true as
// if nobody had looked.
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

// f = |x|^2 + noise, limit 0.5 - x_0 <= 0 with noise.
Problem slope(double noise = 0.2) {
  Problem p;
  p.spec.domain = Domain::box(2, -2, 2);
  p.spec.constraints = 1;
  p.spec.start = Vector{{1, 1}};
  p.oracle = [noise](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = x[0] * x[0] + x[1] * x[1] + noise * r.normal();
    v[1] = 0.5 - x[0] + noise * r.normal();
  };
  return p;
}

// Asks for one point after the other on the way from the start to (1/2 + margin, 0), where it gets after `steps`; what
// it expects to gain is 1/k after k evaluations.
Search walk(Spec spec, int steps, double margin) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const Vector from = incumbent.x, to{{0.5 + margin, 0}};
  for (int k = 1;; ++k) {
    incumbent.x = from + std::min(1.0, static_cast<double>(k) / steps) * (to - from);
    const std::vector<Query> batch{{as_span(incumbent.x), noise_key(1, 1, static_cast<std::uint64_t>(k)), {}}};
    (void)co_await evaluate(batch);
    incumbent.expected_improvement = 1.0 / k;
  }
}

Result stopped(const Problem& problem, const StopRules& rules, std::int64_t budget, std::uint64_t seed = 1,
               double check_share = 0.5, int steps = 10, double margin = 0.5) {
  RunRequest request;
  request.budget = budget;
  request.seed = seed;
  request.check_share = check_share;
  request.stop_rules = rules;
  Spec spec = problem.spec;
  spec.plan_for(budget, check_share);
  const auto engine = serial_engine(problem);
  return run(spec, walk(spec, steps, margin), *engine, request);
}

TEST(StopRules, TheObjectivesHalfWidth) {
  const Result r = stopped(slope(), {.objective_halfwidth = 0.1}, 1000);
  EXPECT_EQ(r.stopped_by, "objective_halfwidth");
  EXPECT_EQ(r.status, Status::stopped);
  EXPECT_LE(r.objective_interval.half_width(), 0.1);
  EXPECT_LT(r.evaluations, 900);
}

TEST(StopRules, TheProbabilityOfFeasibility) {
  const Result r = stopped(slope(), {.probability = 0.99}, 1000);
  EXPECT_EQ(r.stopped_by, "probability");
  EXPECT_EQ(r.feasibility, Feasibility::confirmed);
  EXPECT_LT(r.evaluations, 900);
}

TEST(StopRules, WhatGoingOnIsExpectedToGain) {
  const Result r = stopped(slope(), {.expected_improvement = 0.02}, 1000);
  EXPECT_EQ(r.stopped_by, "expected_improvement");
  // 50 evaluations of the search, and at most the check's share after it.
  EXPECT_GE(r.evaluations, 50);
  EXPECT_LE(r.evaluations, 50 + 500);
}

TEST(StopRules, EvaluationsWithoutProgress) {
  // Without noise every step to the optimum is one, and none after it.
  const Result r = stopped(slope(0), {.evaluations_without_progress = 30}, 1000, 1, 0.5, 100);
  EXPECT_EQ(r.stopped_by, "evaluations_without_progress");
  EXPECT_GE(r.evaluations, 130);
  EXPECT_LE(r.evaluations, 140);
}

TEST(StopRules, WallTimeWhichReplaysTheSame) {
  Problem problem = slope();
  problem.oracle = [inner = problem.oracle](std::span<const double> x, Rng& r, std::span<double> v) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    inner(x, r, v);
  };
  const Result r = stopped(problem, {.seconds = 0.1}, 10'000, 1, 0.002);
  EXPECT_EQ(r.stopped_by, "seconds");
  EXPECT_LE(r.evaluations, 80);
  EXPECT_GE(r.evaluations, 2);
}

TEST(StopRules, TheFirstThatHoldsEndsTheRunAndIsNamed) {
  StopRules rules{.objective_halfwidth = 1e-9,
                  .probability = 0,
                  .seconds = 1e6,
                  .evaluations_without_progress = 10'000,
                  .expected_improvement = 0.05};
  EXPECT_EQ(stopped(slope(), rules, 400).stopped_by, "expected_improvement");
  rules.objective_halfwidth = 0.3;
  rules.expected_improvement = 1e-9;
  EXPECT_EQ(stopped(slope(), rules, 400).stopped_by, "objective_halfwidth");
  rules.objective_halfwidth = 1e-9;
  const Result none = stopped(slope(), rules, 400);
  EXPECT_EQ(none.stopped_by, "");
  EXPECT_NE(none.status, Status::stopped);
}

// A run that stops when its interval is narrow enough has looked at it after every evaluation.
TEST(StopRules, IntervalsHoldHoweverTheRunWasStopped) {
  constexpr std::size_t runs = 1000;
  struct Noise {
    const char* name;
    double (*draw)(Rng&);
  };
  const Noise noises[]{{"normal", [](Rng& r) { return r.normal(); }},
                       {"t5", [](Rng& r) { return r.student_t(5); }},
                       {"exponential", [](Rng& r) { return -std::log(1 - r.uniform()) - 1; }}};
  for (const Noise& noise : noises) {
    Problem problem = slope();
    problem.oracle = [draw = noise.draw](std::span<const double> x, Rng& r, std::span<double> v) {
      v[0] = x[0] * x[0] + x[1] * x[1] + 0.3 * draw(r);
      v[1] = 0.5 - x[0] + 0.3 * draw(r);
    };
    std::vector<char> covered(runs), met(runs);
    parallel_for(0, runs, [&](std::size_t k) {
      const Result r = stopped(problem, {.objective_halfwidth = 0.15}, 300, k + 1, 0.9, 2);
      const double truth = r.x.squaredNorm();
      covered[k] = r.objective_interval.low <= truth && truth <= r.objective_interval.high;
      met[k] = r.stopped_by == "objective_halfwidth";
    });
    EXPECT_GE(std::ranges::count(met, 1), 0.9 * runs) << noise.name;
    EXPECT_GE(std::ranges::count(covered, 1), runs * 0.95 - 2 * std::sqrt(runs * 0.95 * 0.05)) << noise.name;
  }
}

// At a point just outside its limit, `probability = 0.99` may claim in one run of a hundred that it is inside.
TEST(StopRules, FeasibilityIsRarelyClaimedOfWhatIsNotHoweverOftenOneLooks) {
  constexpr std::size_t runs = 1000;
  std::vector<char> claimed(runs);
  parallel_for(0, runs, [&](std::size_t k) {
    const Result r = stopped(slope(), {.probability = 0.99}, 300, k + 1, 0.9, 2, -1e-6);
    claimed[k] = r.stopped_by == "probability";
  });
  EXPECT_LE(std::ranges::count(claimed, 1), runs * 0.01 + 2 * std::sqrt(runs * 0.01 * 0.99));
}

TEST(StopRules, AreReadFromTheFileAndMisspeltOnesRefused) {
  const std::string text = "[problem]\nbuiltin = \"qcqp\"\n[stop]\n";
  const ResolvedProblem read =
      resolve(parse_document(text + "probability = 0.99\nevaluations_without_progress = 7\n", "p.toml"), false);
  EXPECT_EQ(read.stop_rules.probability, 0.99);
  EXPECT_EQ(read.stop_rules.evaluations_without_progress, 7);
  EXPECT_EQ(read.stop_rules.seconds, 0);
  EXPECT_THROW((void)resolve(parse_document(text + "second = 3\n", "p.toml"), false), Error);
  EXPECT_THROW((void)resolve(parse_document(text + "probability = 1.5\n", "p.toml"), false), Error);
}

}  // namespace
}  // namespace zeroth
