// SPDX-License-Identifier: MIT
//
// The laws that every solver of the catalog obeys. A new solver is tested by being listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

// A small problem that answers only inside its box, from an interior start; `failing` of the evaluations fail, by their
// key.
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
  return {};
}

class SolverContract : public testing::TestWithParam<std::string> {
 protected:
  Search start(const Spec& spec, std::uint64_t seed) const {
    return solver_named(GetParam()).make(spec, light(GetParam()), seed);
  }
};

struct Evaluation {
  std::vector<double> x;
  std::uint64_t noise;
  bool operator==(const Evaluation&) const = default;
};

struct Story {
  std::vector<std::vector<Evaluation>> batches;
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
    std::vector<Evaluation> evaluated;
    std::vector<Answer> answers;
    for (const Query& q : batch) {
      evaluated.push_back({{q.x.begin(), q.x.end()}, q.noise});
      EXPECT_TRUE(problem.spec.domain.contains(as_vector(q.x), 0)) << "asked outside X";
      EXPECT_LT(q.noise, noise_key_limit);
      answers.push_back(evaluate_once(problem, q));
    }
    search.tell(answers);
    EXPECT_TRUE(problem.spec.domain.contains(search.recommend().x)) << "recommended outside X";
    story.batches.push_back(std::move(evaluated));
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
    std::vector<Evaluation> evaluated;
    for (const Query& q : replay.ask()) evaluated.push_back({{q.x.begin(), q.x.end()}, q.noise});
    ASSERT_EQ(evaluated, story.batches[k]) << "after " << k << " batches";
    replay.tell(story.answers[k]);
  }
  EXPECT_EQ(replay.recommend().x, story.x);
}

TEST_P(SolverContract, TheLoopNeverPassesTheBudget) {
  Problem problem = box_problem(0.1);
  for (const std::int64_t budget : {1, 7, 40}) {
    problem.spec.plan_for(budget, 0.1);
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

// An evaluator may answer with any finite number; what is drawn from `sizes` changes from evaluation to evaluation.
Problem wild_problem(const std::vector<double>& sizes, bool noisy) {
  Problem p = box_problem(0);
  p.oracle = [sizes, noisy](std::span<const double> x, Rng& noise, std::span<double> values) {
    const double limits[] = {x[0] - 0.3, 0.4 - x[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      const auto k = static_cast<std::size_t>(noise.uniform() * static_cast<double>(sizes.size()));
      values[i] = sizes[std::min(k, sizes.size() - 1)] * (noisy ? (noise.uniform() < 0.5 ? -1 : 1) : limits[i]);
    }
  };
  return p;
}

TEST_P(SolverContract, SurvivesAnyFiniteNumbers) {
  constexpr double denormal = 5e-324;
  const std::vector<std::vector<double>> kinds{
      {0},         {denormal}, {1e-300}, {1e160}, {1e300}, {1.7e308}, {0, denormal, 1e-300, 1, 1e160, 1e300, 1.7e308},
      {1, 1.7e308}};
  for (const auto& sizes : kinds)
    for (const bool noisy : {false, true}) {
      SCOPED_TRACE(testing::Message() << "values up to " << sizes.back() << (noisy ? ", noisy" : ""));
      Problem problem = wild_problem(sizes, noisy);
      constexpr std::int64_t budget = 30;
      problem.spec.plan_for(budget, 0.2);
      Problem watched = problem;
      watched.oracle = [&](std::span<const double> x, Rng& noise, std::span<double> values) {
        EXPECT_TRUE(problem.spec.domain.contains(as_vector(x), 0)) << "asked outside X";
        problem.oracle(x, noise, values);
      };
      const auto engine = serial_engine(watched);
      RunRequest request;
      request.budget = budget;
      request.check_share = 0.2;
      const Result result = run(problem.spec, start(problem.spec, 2), *engine, request);
      EXPECT_TRUE(problem.spec.domain.contains(result.x));
      ASSERT_GT(result.replicates, 1);
      EXPECT_TRUE(std::isfinite(result.objective.mean) && std::isfinite(result.objective.se));
      EXPECT_LE(std::abs(result.objective.mean), sizes.back());
      const double probability = result.constraints[0].probability_feasible;
      EXPECT_TRUE(probability >= 0 && probability <= 1) << probability;
    }
}

// Statements that people make by accident.
struct Degenerate {
  std::string name;
  Index n = 3;
  std::vector<std::function<double(const Vector& x)>> limits;  // constraints, then equalities
  Index equalities = 0;
  double start = 0.5;
};

std::vector<Degenerate> degenerate_statements() {
  const auto below = [](const Vector& x) { return 0.4 - x[0]; };
  const auto above = [](const Vector& x) { return x[0] - 0.7; };
  const auto sum = [](double total) { return [total](const Vector& x) { return x.sum() - total; }; };
  return {{"the same constraint three times", 3, {below, below, below}},
          {"a constraint that is constant", 3, {below, [](const Vector&) { return -0.5; }}},
          {"a constraint that is constant and violated", 3, {below, [](const Vector&) { return 0.5; }}},
          {"slopes that depend on each other", 3, {below, sum(2), [](const Vector& x) { return x[1] + x[2] - 1.6; }}},
          {"equalities that contradict each other", 3, {sum(1), sum(2)}, 2},
          {"a start in a corner", 3, {below}, 0, 1},
          {"one variable", 1, {below, above}},
          {"one variable, at its end", 1, {below}, 0, 0}};
}

TEST_P(SolverContract, SurvivesDegenerateStatements) {
  for (const Degenerate& d : degenerate_statements())
    for (const double sd : {0.0, 0.05}) {
      SCOPED_TRACE(testing::Message() << d.name << ", noise " << sd);
      Problem problem;
      problem.spec.domain = Domain::box(d.n, 0, 1);
      problem.spec.equalities = d.equalities;
      problem.spec.constraints = static_cast<Index>(d.limits.size()) - d.equalities;
      problem.spec.start = Vector::Constant(d.n, d.start);
      problem.spec.common_noise = true;
      problem.spec.budget = 24;
      problem.oracle = [&d, sd](std::span<const double> x, Rng& noise, std::span<double> values) {
        values[0] = (as_vector(x).array() - 0.8).square().sum() + sd * noise.normal();
        for (std::size_t i = 0; i < d.limits.size(); ++i)
          values[i + 1] = d.limits[i](as_vector(x)) + sd * noise.normal();
      };
      try {
        (void)start(problem.spec, 3).ask();
      } catch (const Error& e) {  // as below
        EXPECT_NE(std::string(e.what()).find("equalit"), std::string::npos) << e.what();
        continue;
      }
      const Story story = tell_story(start(problem.spec, 3), problem, problem.spec.budget);
      EXPECT_TRUE(problem.spec.domain.contains(story.x));
      EXPECT_FALSE(story.batches.empty());
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

// What the laws must also hold for: many variables, noise that ignores its key, equalities, batches.
struct Situation {
  std::string solver;
  Index n = 3;
  bool common_noise = true;
  int width = 1;
  bool equality = false;
};

std::string name_of(const testing::TestParamInfo<Situation>& info) {
  const Situation& s = info.param;
  std::string name = s.solver + "_n" + std::to_string(s.n) + (s.common_noise ? "_shared" : "_independent") +
                     (s.width > 1 ? "_batches" : "") + (s.equality ? "_equality" : "");
  std::ranges::replace(name, '-', '_');
  return name;
}

Problem sized_problem(const Situation& s) {
  Problem p;
  p.name = "test";
  p.spec.domain = Domain::box(s.n, 0, 1);
  p.spec.constraints = 1;
  p.spec.equalities = s.equality ? 1 : 0;
  p.spec.start = Vector::Constant(s.n, 0.5);
  p.spec.common_noise = s.common_noise;
  p.spec.width = s.width;
  // A few evaluations are enough for the laws, and models think longer with every one of them.
  static const std::vector<std::string> models{"auto", "trust-bo", "albo", "slack-al", "admmbo", "pesc"};
  const bool model = std::ranges::find(models, s.solver) != models.end() && !(s.solver == "auto" && s.n > 20);
  p.spec.plan_for(model ? (s.n > 3 ? 12 : 24) : (s.n > 30 ? 24 : 60), 0.1);
  p.oracle = [common = s.common_noise](std::span<const double> x, Rng& noise, std::span<double> values) {
    if (noise.uniform() < 0.3) throw std::runtime_error("the simulator gave up");
    Rng own(common ? noise.bits() : derive_key(noise.bits(), std::bit_cast<std::uint64_t>(x[0] + 3 * x[1])));
    const Vector at = as_vector(x);
    values[0] = (at.array() - 0.2).square().mean() + 0.05 * own.normal();
    values[1] = 0.4 - at[0] + 0.05 * own.normal();
    if (values.size() > 2) values[2] = at[1] - at[2] + 0.05 * own.normal();
  };
  return p;
}

class SolverContractAtSize : public testing::TestWithParam<Situation> {};

// 30 % of the evaluations fail: it stays inside X, asks with keys below 2^53, goes on, and repeats bit for bit.
TEST_P(SolverContractAtSize, KeepsTheLaws) {
  const Situation& situation = GetParam();
  const Problem problem = sized_problem(situation);
  const auto start = [&] { return solver_named(situation.solver).make(problem.spec, light(situation.solver), 2); };
  if (situation.equality) {
    try {
      (void)start().ask();
    } catch (const Error& e) {  // not every solver knows equalities; whoever does not must say so
      EXPECT_NE(std::string(e.what()).find("equalit"), std::string::npos) << e.what();
      return;
    }
  }
  const Story story = tell_story(start(), problem, problem.spec.budget);
  EXPECT_TRUE(problem.spec.domain.contains(story.x));
  EXPECT_GE(story.batches.size(), situation.n > 30 ? 1u : 2u);
  const Story again = tell_story(start(), problem, problem.spec.budget);
  EXPECT_EQ(story.batches, again.batches);
  EXPECT_EQ(story.x, again.x);
}

std::vector<Situation> situations() {
  std::vector<Situation> all;
  // Their step costs O(n).
  const std::vector<std::string> linear{"conex", "conex-cg", "proximal-conex", "adaptive-conex",
                                        "auto",  "random",   "sobol"};
  for (const SolverEntry& entry : solvers()) {
    const bool wide = std::ranges::find(linear, entry.name) != linear.end();
    for (const Index n : {3, 30, 300, 3000})
      for (const bool common : {true, false})
        for (const int width : {1, 5})
          for (const bool equality : {false, true})
            if (n < 3000 || wide) all.push_back({entry.name, n, common, width, equality});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalog, SolverContractAtSize, testing::ValuesIn(situations()), name_of);

INSTANTIATE_TEST_SUITE_P(All, SolverContract, testing::ValuesIn(all_solvers()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace zeroth
