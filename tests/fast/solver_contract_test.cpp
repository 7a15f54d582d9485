// SPDX-License-Identifier: MIT
//
// The laws that every solver of the catalog obeys. A new solver is tested by being listed.
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/engine/engine.hpp"
#include "zeroth/run/catalog.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

// A small problem that answers only inside its box, from an interior start; `failing` of the looks fail, by their key.
Problem box_problem(double failing) {
  Problem p;
  p.name = "test";
  p.spec.domain = Domain::box(3, 0, 1);
  p.spec.constraints = 1;
  p.spec.start = Vector::Constant(3, 0.5);
  p.spec.common_noise = true;
  p.spec.budget = 60;
  p.oracle = [failing](std::span<const double> x, Rng& noise, std::span<double> values) {
    if (noise.uniform() < failing) throw std::runtime_error("the simulator gave up");
    values[0] = std::pow(x[0] - 0.2, 2) + std::pow(x[1] - 0.9, 2) + x[2] + 0.05 * noise.normal();
    values[1] = 0.4 - x[0] + 0.05 * noise.normal();
  };
  return p;
}

// The laws do not depend on how hard a solver thinks, and at their defaults some think for seconds per step.
Settings light(const std::string& solver) {
  const auto number = [](std::int64_t n) { return Setting{n, "light"}; };
  if (solver == "pesc")
    return {{"samples", number(2)}, {"burn_in", number(1)}, {"grid", number(40)}, {"features", number(40)}};
  if (solver == "admmbo") return {{"grid", number(100)}, {"first_f", number(4)}, {"first_c", number(4)}};
  if (solver == "trust-bo") return {{"candidates", number(40)}, {"draws", number(4)}};
  return {};
}

class SolverContract : public testing::TestWithParam<std::string> {
 protected:
  Search start(const Spec& spec, std::uint64_t seed) const {
    return solver_named(GetParam()).make(spec, light(GetParam()), seed);
  }
};

struct Look {
  std::vector<double> x;
  std::uint64_t noise;
  bool operator==(const Look&) const = default;
};

struct Story {
  std::vector<std::vector<Look>> batches;
  std::vector<std::vector<Answer>> answers;
  Vector x;
};

Story tell_story(Search search, const Problem& problem, std::int64_t budget) {
  Story story;
  std::int64_t done = 0;
  while (!search.done()) {
    const auto batch = search.ask();
    done += static_cast<std::int64_t>(batch.size());
    if (done > budget) break;
    std::vector<Look> looks;
    std::vector<Answer> answers;
    for (const Query& q : batch) {
      looks.push_back({{q.x.begin(), q.x.end()}, q.noise});
      EXPECT_TRUE(problem.spec.domain.contains(as_vector(q.x), 0)) << "asked outside X";
      EXPECT_LT(q.noise, noise_key_limit);
      answers.push_back(evaluate_once(problem, q));
    }
    search.tell(answers);
    EXPECT_TRUE(problem.spec.domain.contains(search.recommend().x)) << "recommended outside X";
    story.batches.push_back(std::move(looks));
    story.answers.push_back(std::move(answers));
  }
  story.x = search.recommend().x;
  return story;
}

TEST_P(SolverContract, RecommendsAPointOfXBeforeAnyAnswer) {
  const Problem problem = box_problem(0);
  const Search search = start(problem.spec, 1);
  EXPECT_TRUE(problem.spec.domain.contains(search.recommend().x));
  EXPECT_FALSE(search.ask().empty());
}

TEST_P(SolverContract, RepeatsBitForBitFromItsSeedAndDiffersFromAnother) {
  const Problem problem = box_problem(0);
  const Story a = tell_story(start(problem.spec, 5), problem, 60);
  const Story b = tell_story(start(problem.spec, 5), problem, 60);
  const Story c = tell_story(start(problem.spec, 6), problem, 60);
  EXPECT_EQ(a.batches, b.batches);
  EXPECT_EQ(a.x, b.x);
  EXPECT_NE(a.batches, c.batches);
}

TEST_P(SolverContract, SurvivesThirtyPercentFailedAnswersInsideX) {
  const Problem problem = box_problem(0.3);
  const Story story = tell_story(start(problem.spec, 2), problem, 60);
  EXPECT_TRUE(problem.spec.domain.contains(story.x));
  EXPECT_GE(story.batches.size(), 2u);
}

TEST_P(SolverContract, SurvivesWhenEverythingFails) {
  const Problem problem = box_problem(1.1);
  const Story story = tell_story(start(problem.spec, 2), problem, 60);
  EXPECT_TRUE(problem.spec.domain.contains(story.x));
}

// Resume is replay: the recorded answers, told to a fresh solver up to any point, lead to the same next question.
TEST_P(SolverContract, ReplayAtEveryLengthAsksTheSameNext) {
  const Problem problem = box_problem(0.2);
  const Story story = tell_story(start(problem.spec, 3), problem, 60);
  Search replay = start(problem.spec, 3);
  for (std::size_t k = 0; k < story.batches.size(); ++k) {
    std::vector<Look> looks;
    for (const Query& q : replay.ask()) looks.push_back({{q.x.begin(), q.x.end()}, q.noise});
    ASSERT_EQ(looks, story.batches[k]) << "after " << k << " batches";
    replay.tell(story.answers[k]);
  }
  EXPECT_EQ(replay.recommend().x, story.x);
}

TEST_P(SolverContract, TheLoopNeverPassesTheBudget) {
  Problem problem = box_problem(0.1);
  for (const std::int64_t budget : {1, 7, 40}) {
    problem.spec.budget = search_budget(budget, 0.1);
    std::int64_t evaluated = 0;
    Problem counted = problem;
    counted.oracle = [&, inner = problem.oracle](auto x, Rng& noise, auto values) {
      ++evaluated;
      inner(x, noise, values);
    };
    const auto engine = serial_engine(counted);
    RunRequest request;
    request.budget = budget;
    const Result result = run(problem.spec, start(problem.spec, 4), *engine, request);
    EXPECT_LE(evaluated, budget);
    EXPECT_EQ(result.evaluations, evaluated);
  }
}

TEST_P(SolverContract, MisspeltOptionsAreRefusedByName) {
  Settings settings;
  settings["no_such_option"] = {1.0, "problem.toml:7"};
  try {
    (void)solver_named(GetParam()).make(box_problem(0).spec, settings, 1);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("problem.toml:7"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("no_such_option"), std::string::npos);
  }
}

std::vector<std::string> all_solvers() {
  std::vector<std::string> names;
  for (const auto& entry : solvers()) names.push_back(entry.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, SolverContract, testing::ValuesIn(all_solvers()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace zeroth
