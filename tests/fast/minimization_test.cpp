// SPDX-License-Identifier: MIT
//
// The C++ door turned inside out: who evaluates is whoever holds the Minimization, and answers come one by one.
// Only the public header, as a user has it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <set>

#include "zeroth/zeroth.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;

Problem plant_to_ask(int width, int lag) {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 1);
  p.spec.constraints = 1;
  p.spec.width = width;
  p.spec.lag = lag;
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    if (noise.uniform() < 0.05) throw std::runtime_error("no convergence");
    values[0] = std::pow(x[0] - 0.7, 2) + std::pow(x[1] - 0.2, 2) + 0.05 * noise.normal();
    values[1] = x[0] + x[1] - 0.8 + 0.05 * noise.normal();
  };
  return p;
}

Answer measured(const Problem& p, const AskedFor& asked) {
  Answer answer;
  answer.values.resize(static_cast<std::size_t>(p.spec.functions()));
  Rng noise(asked.noise);
  try {
    p.oracle(as_span(asked.x), noise, answer.values);
  } catch (const std::exception& e) {
    return Answer::failed_because(e.what());
  }
  return answer;
}

MinimizeOptions options_for(const std::string& solver, std::int64_t budget = 70) {
  MinimizeOptions o;
  o.solver = solver;
  o.budget = budget;
  o.seed = 5;
  return o;
}

void expect_same_result(const Result& a, const Result& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.objective.mean, b.objective.mean);
  EXPECT_EQ(a.replicates, b.replicates);
}

// Single answers in whatever order: the run is that of minimize(), which evaluates one after the other.
TEST(Minimization, SingleAnswersInAnyOrderGiveTheRunOfMinimize) {
  for (const char* solver : {"trust-bo", "adaptive-conex", "random", "conex"})
    for (const int lag : {0, 5}) {
      const Problem p = plant_to_ask(3, lag);
      const Result expected = minimize(p, options_for(solver));
      for (const unsigned order : {1u, 2u}) {
        Minimization run(p, options_for(solver));
        std::mt19937 random(order);
        std::size_t most = 0;
        while (!run.done()) {
          const auto open = run.ask();
          ASSERT_FALSE(open.empty());
          most = std::max(most, open.size());
          const AskedFor& asked = open[random() % open.size()];
          run.tell(asked.number, measured(p, asked));
        }
        EXPECT_TRUE(run.ask().empty());
        expect_same_result(run.result(), expected);
        if (std::string(solver) == "trust-bo") {
          EXPECT_EQ(most, static_cast<std::size_t>(3 + lag)) << "width + lag";
        }
      }
    }
}

// With a lag new questions come while the oldest but one are open.
TEST(Minimization, AsksAheadWithALag) {
  const Problem p = plant_to_ask(2, 4);
  Minimization run(p, options_for("random"));
  const auto first = run.ask();
  ASSERT_EQ(first.size(), 6u);
  run.tell(first[5].number, measured(p, first[5]));
  EXPECT_EQ(run.ask().size(), 5u) << "the oldest is waited for";
  run.tell(first[1].number, measured(p, first[1]));
  run.tell(first[0].number, measured(p, first[0]));
  std::set<std::int64_t> numbers;
  for (const AskedFor& asked : run.ask()) numbers.insert(asked.number);
  EXPECT_TRUE(numbers.contains(first[2].number)) << "still open";
  EXPECT_TRUE(numbers.contains(6)) << "and more is asked";
}

TEST(Minimization, RefusesWhatWasNotAskedAndGoesOn) {
  const Problem p = plant_to_ask(2, 2);
  Minimization run(p, options_for("random"));
  const auto open = run.ask();
  const auto refused = [&](std::int64_t number, Answer answer) -> std::string {
    try {
      run.tell(number, std::move(answer));
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_THAT(refused(99, {{0, 0}, "", {}}), HasSubstr("99"));
  EXPECT_THAT(refused(-1, {{0, 0}, "", {}}), HasSubstr("-1"));
  EXPECT_THAT(refused(open[0].number, {{0}, "", {}}), HasSubstr("1 values, but must have 2"));
  EXPECT_THAT(refused(open[0].number, {{0, 0}, "", {0.1}}), HasSubstr("standard errors"));
  EXPECT_EQ(run.ask().size(), open.size()) << "nothing was taken";
  run.tell(open[3].number, {{std::nan(""), 1}, "", {}});
  EXPECT_THAT(refused(open[3].number, {{0, 0}, "", {}}), HasSubstr("has its answer already"));
  EXPECT_EQ(run.result().status, Status::interrupted);
  while (!run.done()) run.tell(run.ask().front().number, measured(p, run.ask().front()));
  EXPECT_EQ(run.result().failures.count("function 0 is not a finite number"), 1u);
  EXPECT_THAT(refused(0, {{0, 0}, "", {}}), HasSubstr("done"));
}

// Chance constraints, integers and costs stand between the solver and who evaluates here as they do in minimize().
TEST(Minimization, SpeaksTheWordsOfTheProblem) {
  Problem p;
  p.spec.domain = Domain::box((Vector(2) << 0, 0).finished(), (Vector(2) << 4, 1).finished());
  p.spec.integer = {true, false};
  p.spec.constraints = 1;
  p.spec.cost = (Vector(2) << 100, 1).finished();
  p.constraint_names = {"wait"};
  p.partial = [](std::span<const double> x, Rng& noise, std::span<const std::uint8_t>, std::span<double> values) {
    const double u = noise.normal(), v = noise.normal();
    values[0] = x[0] + x[1] + 0.05 * u;
    values[1] = 3 - x[0] - x[1] + 0.2 * v;
  };
  MinimizeOptions o = options_for("trust-bo", 5000);
  o.constraints = {"probability(wait <= 0) >= 0.9"};
  const Result expected = minimize(p, o);
  Minimization run(p, o);
  bool parts = false;
  while (!run.done()) {
    const auto open = run.ask();
    const AskedFor& asked = open.back();
    EXPECT_EQ(asked.x[0], std::round(asked.x[0]));
    EXPECT_GE(asked.x[0], 0);
    EXPECT_LE(asked.x[0], 4);
    parts = parts || (!asked.wanted.empty() && !asked.wanted[0]);
    Answer answer{std::vector<double>(2), "", {}};
    Rng noise(asked.noise);
    p.partial(as_span(asked.x), noise, {}, answer.values);
    run.tell(asked.number, std::move(answer));
  }
  EXPECT_TRUE(parts) << "the dear objective is not always asked";
  EXPECT_EQ(run.result().cost, expected.cost);
  expect_same_result(run.result(), expected);
}

TEST(Minimization, ThatNobodyAnswersIsInterrupted) {
  Problem p = plant_to_ask(1, 0);
  p.oracle = nullptr;  // nobody here can evaluate
  std::optional<Minimization> run;
  run.emplace(p, options_for("random"));
  const Minimization moved = std::move(*run);
  EXPECT_FALSE(moved.done());
  EXPECT_EQ(moved.recommend().size(), 2);
  EXPECT_EQ(moved.result().status, Status::interrupted);
  EXPECT_EQ(moved.result().evaluations, 0);
}

}  // namespace
}  // namespace zeroth
