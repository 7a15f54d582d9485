// SPDX-License-Identifier: MIT
//
// Integer variables: rounding without bias, levels, the race of neighbours, and whole runs with known optimum.
#include "zeroth/adapters/integer_variables.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/adapters/integer_local_search.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/catalog/integer_solvers.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/integer_variables.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

Space space_of(double lower, double upper, bool log_scale) {
  Variables v;
  v.names = {"k"};
  v.lower = Vector::Constant(1, lower);
  v.upper = Vector::Constant(1, upper);
  v.type = {VariableType::integer};
  v.log_scale = {log_scale};
  v.start = Vector::Constant(1, std::nan(""));
  return Space::of(std::move(v));
}

TEST(Levels, LieAroundAPointAndCountFromTheNearest) {
  for (const bool log_scale : {false, true}) {
    const Space space = space_of(2, 17, log_scale);
    Vector x(1);
    for (int i = 0; i <= 300; ++i) {
      x[0] = i / 300.0;
      const auto [below, above] = space.levels_around(0, x[0]);
      EXPECT_LE(below, x[0] + 1e-12);
      EXPECT_GE(above, x[0] - 1e-12);
      const double low = space.to_user(Vector::Constant(1, below))[0],
                   high = space.to_user(Vector::Constant(1, above))[0];
      EXPECT_TRUE(high == low || high == low + 1) << low << " " << high;
      const double nearest = space.to_user(x)[0];
      for (const int step : {-1, 0, 1})
        EXPECT_EQ(space.to_user(Vector::Constant(1, space.next_level(0, x[0], step)))[0],
                  std::clamp(nearest + step, 2.0, 17.0));
    }
  }
}

// A solver that asks one point again and again.
Search parrot(Spec spec, double where, int questions) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = Vector::Constant(spec.dimension(), where);
  const Vector x = incumbent.x;
  for (int k = 0; k < questions; ++k) {
    const Query q{as_span(x), noise_key(5, 1, static_cast<std::uint64_t>(k / 2)), {}};  // every key twice
    const auto answers = co_await evaluate(std::span(&q, 1));
    static_cast<void>(answers);
  }
}

TEST(RandomRounding, IsUnbiasedAndSharedByTheNoiseKey) {
  const Space space = space_of(0, 4, false);
  Spec spec;
  spec.domain = space.domain();
  spec.integer = {true};
  constexpr int questions = 4000;
  spec.budget = 2 * questions;
  Search search = by_random_rounding(
      spec, space, [](Spec inner, std::uint64_t) { return parrot(std::move(inner), 0.33, questions); }, 1);
  double mean = 0, before = 0;
  std::vector<Answer> answers(1);
  for (int k = 0; k < questions; ++k) {
    ASSERT_EQ(search.ask().size(), 1U);
    const double x = search.ask()[0].x[0];
    EXPECT_TRUE(x == 0.25 || x == 0.5) << x;
    if (k % 2 == 1) EXPECT_EQ(x, before);  // one key, one rounding
    before = x;
    mean += x / questions;
    answers[0].values = {0};
    search.tell(answers);
  }
  const double share = (0.33 - 0.25) / 0.25, se = 0.25 * std::sqrt(share * (1 - share) / (questions / 2.0));
  EXPECT_NEAR(mean, 0.33, 4 * se);
}

// The local search keeps a fifth of its evaluations to confirm its answer, and the run must reach them: what the final
// check keeps is not the search's.
TEST(RandomRounding, ConfirmsBeforeTheSearchHasToEnd) {
  const Space space = space_of(0, 9, false);
  Problem problem;
  problem.spec.domain = space.domain();
  problem.spec.integer = {true};
  problem.spec.constraints = 1;
  problem.spec.common_noise = true;
  problem.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = x[0] + 0.1 * noise.normal();
    values[1] = 0.5 - x[0] + 0.1 * noise.normal();
  };
  RunPlan plan;
  plan.budget = 600;
  problem.spec.plan_for(plan.budget, plan.check_share);
  RunState run(problem.spec,
               by_random_rounding(
                   problem.spec, space,
                   [](Spec inner, std::uint64_t seed) {
                     EXPECT_EQ(inner.search_budget(), 270);  // half of what the check leaves
                     return solver_named("conex").make(std::move(inner), {}, seed);
                   },
                   1),
               plan);
  while (!run.done() && !run.checking()) {
    for (const std::int64_t number : run.pending())
      run.receive(number, evaluate_once(problem, run.batch()[static_cast<std::size_t>(number - run.evaluations())]));
    run.advance();
  }
  EXPECT_EQ(run.incumbent().trace.at("race_confirming"), 1);
}

TEST(ByLevels, GivesAModelIntegersAndAsksOnlyLevels) {
  Variables v;
  v.names = {"k", "b", "r"};
  v.lower = (Vector(3) << 3, 0, -1).finished();
  v.upper = (Vector(3) << 9, 1, 1).finished();
  v.type = {VariableType::integer, VariableType::binary, VariableType::real};
  v.log_scale = {false, false, false};
  v.start = Vector::Constant(3, std::nan(""));
  const Space space = Space::of(std::move(v));
  Spec spec;
  spec.domain = space.domain();
  spec.integer = space.integer();
  spec.budget = 40;
  Search search = by_levels(
      spec, space,
      [](Spec inner, std::uint64_t seed) {
        EXPECT_TRUE(inner.domain.contains((Vector(3) << 7, 2, 1).finished()));  // levels 1 .. 7 and 1 .. 2
        EXPECT_FALSE(inner.domain.contains((Vector(3) << 7.5, 2, 1).finished()));
        return solver_named("trust-bo").make(std::move(inner), {}, seed);
      },
      1);
  for (int k = 0; k < 25; ++k) {
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) {
      const double level = q.x[0] * 6;
      EXPECT_NEAR(level, std::round(level), 1e-9);
      EXPECT_TRUE(q.x[1] == 0 || q.x[1] == 1);
      answers.push_back({{std::pow(level - 4, 2) - q.x[1] + q.x[2] * q.x[2]}, ""});
    }
    search.tell(answers);
  }
  EXPECT_NEAR(search.recommend().x[0] * 6, 4, 1e-9);
  EXPECT_EQ(search.recommend().x[1], 1);
}

Result solved(const Problem& p, const std::string& solver, std::int64_t budget, std::uint64_t seed = 1) {
  MinimizeOptions o;
  o.solver = solver;
  o.budget = budget;
  o.seed = seed;
  return minimize(p, o);
}

TEST(IntegerVariables, KnapsackWithNoisyWeightsIsFeasibleAndNearlyFull) {
  const Problem p = noisy_knapsack(10, 1);
  // The optimum of the truth, by trying all.
  double best = 0;
  Vector x(10);
  std::vector<double> v(2);
  for (int set = 0; set < 1024; ++set) {
    for (Index i = 0; i < 10; ++i) x[i] = set >> i & 1;
    p.truth->expected(as_span(x), v);
    if (v[1] <= 0) best = std::min(best, v[0]);
  }
  EXPECT_DOUBLE_EQ(best, p.truth->best_value);
  int near = 0;
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Result r = solved(p, "adaptive-conex", 1500, seed);
    p.truth->expected(as_span(r.x), v);
    EXPECT_LE(v[1], 0) << seed;
    for (const double xi : r.x) EXPECT_TRUE(xi == 0 || xi == 1);
    near += v[0] <= 0.95 * best;
  }
  EXPECT_EQ(near, 3);
}

// The race compares hundreds of fillings under noise, and the best of many is partly the luckiest: the winner must be
// feasible all the same.
TEST(IntegerVariables, TheWinnerOfManyIsNotTheLuckiest) {
  const Problem p = noisy_knapsack(30, 2);
  std::vector<double> v(2);
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const Result r = solved(p, "adaptive-conex", 3000, seed);
    p.truth->expected(as_span(r.x), v);
    EXPECT_LE(v[1], 0) << seed;
    EXPECT_LE(v[0], 0.95 * p.truth->best_value) << seed;
  }
}

// Under one seed a step function has no slopes at all: without rounding at random the start would never be left.
TEST(IntegerVariables, StaffingLeavesTheStartAndKeepsTheServiceLevel) {
  const Problem p = staffing(10);
  const Result r = solved(p, "adaptive-conex", 1500);
  std::vector<double> v(2);
  p.truth->expected(as_span(r.x), v);
  EXPECT_LE(v[1], 0.01);
  EXPECT_LE(v[0], 1.12 * p.truth->best_value);
  EXPECT_EQ(r.status, Status::budget);
}

TEST(IntegerVariables, MixedProblemsPolishTheRealsAroundTheLevels) {
  Problem p;  // min (k - 3.2)^2 + (r - 0.4 k)^2, k whole: k = 3, r = 1.2
  p.spec.domain = Domain::box((Vector(2) << 0, -5).finished(), (Vector(2) << 8, 5).finished());
  p.spec.integer = {true, false};
  p.spec.common_noise = true;
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    const double k = std::nearbyint(x[0]);
    values[0] = std::pow(k - 3.2, 2) + std::pow(x[1] - 0.4 * k, 2) + 0.2 * noise.normal();
  };
  const Result r = solved(p, "adaptive-conex", 1200);
  EXPECT_EQ(r.x[0], 3);
  EXPECT_NEAR(r.x[1], 1.2, 0.15);
}

TEST(IntegerVariables, OnlySolversThatLiveBySlopesAreRoundedAtRandom) {
  EXPECT_FALSE(measures_slopes("auto"));
  EXPECT_FALSE(measures_slopes("trust-bo"));
  EXPECT_TRUE(measures_slopes("conex"));
  EXPECT_TRUE(measures_slopes("adaptive-conex"));
}

}  // namespace
}  // namespace zeroth
