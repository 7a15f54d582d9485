// SPDX-License-Identifier: MIT
//
// How the budget is shared between the search and the check, and whom the check compares.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// f = x_0 + x_1, limit 1 - x_0 <= 0, both with noise 0.2.
Problem line() {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 4);
  p.spec.constraints = 1;
  p.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = x[0] + x[1] + 0.2 * r.normal();
    v[1] = 1 - x[0] + 0.2 * r.normal();
  };
  return p;
}

// Recommends `at`, evaluates it and the start in turn, and expects to gain `gain` from one more evaluation.
Search expects(Spec spec, Vector at, double gain, double price) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = at;
  incumbent.expected_improvement = gain;
  incumbent.multipliers = Vector::Constant(1, price);
  const Vector start = spec.first_point();
  for (std::uint64_t k = 0;; ++k) {
    const std::vector<Query> batch{{as_span(k % 2 == 0 ? at : start), noise_key(1, 2, k), {}}};
    (void)co_await evaluate(batch);
  }
}

// The evaluations of the run's parts, in order: search, check, search, ..
std::vector<std::int64_t> parts_of(const Problem& problem, Search search, std::int64_t budget) {
  RunPlan plan;
  plan.budget = budget;
  Spec spec = problem.spec;
  spec.plan_for(budget, plan.check_share);
  RunState state(spec, std::move(search), plan);
  std::vector<std::int64_t> parts;
  bool was_checking = true;
  while (!state.done()) {
    if (state.checking() != was_checking) parts.push_back(0);
    was_checking = state.checking();
    parts.back() += static_cast<std::int64_t>(state.batch().size());
    for (const std::int64_t number : state.pending())
      state.receive(number, evaluate_once(problem, state.question(number)));
    state.advance();
  }
  return parts;
}

Spec planned(const Problem& problem, std::int64_t budget) {
  Spec spec = problem.spec;
  spec.plan_for(budget, 0.1);
  return spec;
}

// With c evaluations the check costs price * 1.64 * 0.2 / sqrt(c): at c = 500 one more saves 1.5e-5 * price.
TEST(SizeOfTheCheck, IsATenthWhereTheSearchExpectsToGainMore) {
  const Problem problem = line();
  const Vector at{{1.2, 0}};
  for (const double gain : {1.0, 1e-2, unknown}) {
    const auto parts = parts_of(problem, expects(planned(problem, 1000), at, gain, 1), 1000);
    ASSERT_EQ(parts.size(), 2u) << gain;
    EXPECT_EQ(parts[0], 900) << gain;
  }
}

TEST(SizeOfTheCheck, IsUpToHalfWhereTheSearchExpectsLess) {
  const Problem problem = line();
  const Vector at{{1.2, 0}};
  EXPECT_EQ(parts_of(problem, expects(planned(problem, 1000), at, 1e-9, 1), 1000)[0], 500);
  // In between: the check begins when one more evaluation is worth as much to it.
  const std::int64_t between = parts_of(problem, expects(planned(problem, 1000), at, 3e-5, 1), 1000)[0];
  EXPECT_GT(between, 500);
  EXPECT_LT(between, 900);
  // Where limits cost nothing, margins are not worth an evaluation.
  EXPECT_EQ(parts_of(problem, expects(planned(problem, 1000), at, 1e-9, 0), 1000)[0], 900);
}

// Far from the limit a few evaluations decide; what is left goes back to a search that expects much of it.
TEST(SizeOfTheCheck, ReturnsWhatItDoesNotNeed) {
  Problem problem = line();
  problem.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = 100 + x[0] + x[1] + 1e-3 * r.normal();
    v[1] = 1 - x[0] + 0.05 * r.normal();
  };
  const Vector at{{3, 0}};
  // The price is what makes the check begin early.
  const auto parts = parts_of(problem, expects(planned(problem, 1000), at, 0.01, 1e4), 1000);
  ASSERT_GE(parts.size(), 4u);
  EXPECT_LT(parts[1], 200);
  EXPECT_GT(parts[2], 100);
  std::int64_t all = 0;
  for (const std::int64_t part : parts) all += part;
  EXPECT_LE(all, 1000);
  // A search that expects nothing gets nothing back.
  EXPECT_EQ(parts_of(problem, expects(planned(problem, 1000), at, 1e-9, 1e4), 1000).size(), 2u);
}

// Points that the user gave are compared with the recommendation however few evaluations the check has.
TEST(Candidates, PointsOfTheUserAlwaysAreAmongThem) {
  const Vector best{{1.3, 0}};
  int chosen = 0;
  constexpr int seeds = 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Problem problem = line();
    problem.spec.known_points = {Vector{{3, 3}}, best, Vector{{3.5, 2}}};
    RunRequest request;
    request.budget = 200;
    request.seed = seed;
    Spec spec = problem.spec;
    spec.plan_for(request.budget, request.check_share);
    const auto engine = serial_engine(problem);
    // The search has forgotten them, and recommends a bad point.
    const Result r = run(spec, expects(spec, Vector{{4, 4}}, unknown, 0), *engine, request);
    chosen += r.x == best;
  }
  EXPECT_GE(chosen, seeds - 1);
}

// What replicates confirmed early in the run is answered if the solver goes astray later.
TEST(Candidates, ConfirmedOnesStayForEver) {
  const Problem problem = line();
  const auto astray = [](Spec spec) -> Search {
    Incumbent& incumbent = co_await recommendation();
    incumbent.x = Vector{{4, 4}};
    const Vector good{{1.5, 0.1}}, bad{{4, 4}};
    Rng rng(1);
    for (std::uint64_t k = 0;; ++k) {
      const Vector anywhere = spec.domain.sample(rng);
      const Vector& x = k < 12 ? good : k % 2 == 0 ? bad : anywhere;
      const std::vector<Query> batch{{as_span(x), noise_key(1, 3, k), {}}};
      (void)co_await evaluate(batch);
    }
  };
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunRequest request;
    request.budget = 300;
    request.seed = seed;
    Spec spec = problem.spec;
    spec.plan_for(request.budget, request.check_share);
    const auto engine = serial_engine(problem);
    const Result r = run(spec, astray(spec), *engine, request);
    EXPECT_LE(r.x.sum(), 1.6) << seed;
    EXPECT_EQ(r.feasibility, Feasibility::confirmed) << seed;
  }
}

// A run that begins with another's evaluations remembers what these confirmed.
TEST(Candidates, ConfirmedOnesStayAcrossRuns) {
  Problem problem = line();
  const Vector good{{1.5, 0.1}};
  const Problem noisy = line();
  for (std::uint64_t k = 0; k < 12; ++k) {
    const Query query{as_span(good), noise_key(9, 9, k), {}};
    problem.spec.evaluated.push_back({good, evaluate_once(noisy, query).values, {}, 1});
  }
  RunRequest request;
  request.budget = 300;
  Spec spec = problem.spec;
  spec.plan_for(request.budget, request.check_share);
  const auto engine = serial_engine(problem);
  const Result r = run(spec, expects(spec, Vector{{4, 4}}, unknown, 0), *engine, request);
  EXPECT_EQ(r.x, good);
}

TEST(Undecided, SaysWhichConstraintAndHowSurelyAndHowManyMoreWouldDecide) {
  Result r;
  r.constraints.resize(2);
  r.constraints[0].name = "rhat";
  r.constraints[0].probability_feasible = 0.999;
  r.constraints[1].name = "geweke";
  r.constraints[1].probability_feasible = 0.631;
  r.more_evaluations = 420;
  r.doubt = doubt_of(r);
  const std::string text = doubt_text(r);
  for (const char* part : {"'geweke'", "0.631", "0.95", "420"}) EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_EQ(text.find("rhat"), std::string::npos);
}

TEST(Undecided, NamesTheConstraintThatIsOnItsLimit) {
  const Problem problem = line();
  RunRequest request;
  request.budget = 60;
  int undecided = 0;
  for (request.seed = 1; request.seed <= 20; ++request.seed) {
    Spec spec = problem.spec;
    spec.plan_for(request.budget, 0.9);
    request.check_share = 0.9;
    const auto engine = serial_engine(problem);
    const Result r = run(spec, expects(spec, Vector{{1, 0}}, unknown, 0), *engine, request);
    if (r.feasibility != Feasibility::undecided) continue;
    ++undecided;
    ASSERT_TRUE(r.doubt);
    EXPECT_EQ(r.doubt->name, "c1");
    EXPECT_EQ(r.doubt->probability, r.constraints[0].probability_feasible);
  }
  EXPECT_GE(undecided, 10);
}

}  // namespace
}  // namespace zeroth
