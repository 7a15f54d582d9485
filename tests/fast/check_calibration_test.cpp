// SPDX-License-Identifier: MIT
//
// The checked answer over 1,000 seeded runs of a known problem: intervals cover, stated probabilities are calibrated.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstdio>
#include <mutex>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/check.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {
namespace {

// min (x_0 - 1)^2 + (x_1 - 1)^2 s.t. x_0 + x_1 <= 1, noise 0.2 on both: optimum (1/2, 1/2), f* = 1/2, y* = 1.
Problem corner() {
  Problem p;
  p.spec.domain = Domain::box(2, -2, 2);
  p.spec.constraints = 1;
  p.spec.start = Vector::Zero(2);
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.2 * noise.normal();
    values[1] = x[0] + x[1] - 1 + 0.2 * noise.normal();
  };
  return p;
}

struct Outcome {
  bool covers_objective, covers_constraint, feasible;
  double stated, gap;
  Feasibility said;
};

Outcome checked_run(std::uint64_t seed) {
  Problem problem = corner();
  RunRequest request;
  request.budget = 200;
  request.seed = seed;
  request.check_share = 0.3;
  problem.spec.plan_for(request.budget, request.check_share);
  const auto engine = serial_engine(problem);
  const Result r = run(problem.spec, solver_named("adaptive-conex").make(problem.spec, {}, seed), *engine, request);
  const double objective = std::pow(r.x[0] - 1, 2) + std::pow(r.x[1] - 1, 2), constraint = r.x[0] + r.x[1] - 1;
  const boost::math::students_t t(static_cast<double>(r.replicates - 1));
  const double width = boost::math::quantile(t, 0.975);
  return {std::abs(r.objective.mean - objective) <= width * r.objective.se,
          std::abs(r.constraints[0].value.mean - constraint) <= width * r.constraints[0].value.se,
          constraint <= 0,
          r.constraints[0].probability_feasible,
          objective - 0.5,
          r.feasibility};
}

TEST(CheckedAnswer, IntervalsCoverAndProbabilitiesAreCalibrated) {
  constexpr std::size_t runs = 1000;
  std::vector<Outcome> outcomes(runs);
  parallel_for(0, runs, [&](std::size_t k) { outcomes[k] = checked_run(k + 1); });

  double objective = 0, constraint = 0, brier = 0, feasible = 0, stated = 0, called_infeasible = 0;
  std::array<double, 5> count{}, said{}, was{};
  for (const Outcome& o : outcomes) {
    objective += o.covers_objective;
    constraint += o.covers_constraint;
    feasible += o.feasible;
    stated += o.stated;
    brier += std::pow(o.stated - o.feasible, 2);
    called_infeasible += o.said == Feasibility::infeasible;
    const auto bin = static_cast<std::size_t>(std::min(4.0, std::floor(5 * o.stated)));
    ++count[bin];
    said[bin] += o.stated;
    was[bin] += o.feasible;
  }
  std::printf(
      "coverage: objective %.3f, constraint %.3f; feasible %.3f, stated %.3f, Brier %.4f, called infeasible %.3f\n",
      objective / runs, constraint / runs, feasible / runs, stated / runs, brier / runs, called_infeasible / runs);
  for (std::size_t b = 0; b < count.size(); ++b)
    if (count[b] > 0)
      std::printf("  stated %.2f  was %.2f  (%g runs)\n", said[b] / count[b], was[b] / count[b], count[b]);

  for (const double coverage : {objective / runs, constraint / runs}) {
    EXPECT_GE(coverage, 0.93);
    EXPECT_LE(coverage, 0.97);
  }
  // Calibrated in the mean: within four standard errors of a proportion at most 1/2 wide.
  EXPECT_NEAR(feasible / runs, stated / runs, 4 * 0.5 / std::sqrt(double(runs)));
  EXPECT_LT(brier / runs, 0.25);  // better than always saying one half
}

TEST(CheckedAnswer, AnswersNearTheOptimumAndKnowsTheMultiplier) {
  double gap = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) gap += checked_run(seed).gap / 20;
  // The margin kept is t s + 1.28 sqrt(v + s^2) with s = 0.2/sqrt(40) and v = 2 (0.2)^2/10 halved: 0.12, which costs
  // 0.13; four standard errors of a mean of 20 gaps of spread 0.06 on top.
  EXPECT_LT(gap, 0.185);
}

TEST(CheckedAnswer, OptimalityIsSaidOnlyOfWhatIsKnown) {
  Incumbent incumbent;
  Result result;
  result.objective_interval = {0.9, 1.1};
  EXPECT_EQ(optimality(incumbent, result, 1), Status::budget);  // a solver that knows nothing of it
  incumbent.kkt_residual = 0.004;
  incumbent.kkt_se = 0.001;
  EXPECT_EQ(optimality(incumbent, result, 1), Status::local);
  result.constraints.resize(1);
  result.constraints[0].value.mean = -1;
  result.constraints[0].multiplier.mean = 0.2;  // caution costs more than the interval's half-width
  EXPECT_EQ(optimality(incumbent, result, 1), Status::budget);
  result.constraints.clear();
  incumbent.kkt_se = 0.01;
  EXPECT_EQ(optimality(incumbent, result, 1), Status::budget);
  incumbent.possible_gain = 0.05;
  EXPECT_EQ(optimality(incumbent, result, 1), Status::converged);
  incumbent.several_optima = true;  // then what is known is local
  EXPECT_EQ(optimality(incumbent, result, 1), Status::local);
  incumbent.possible_gain = 0.2;
  EXPECT_EQ(optimality(incumbent, result, 1), Status::budget);
}

TEST(CheckedAnswer, IsUndecidedWhereNeitherSideIsSure) {
  EXPECT_EQ(feasibility_of({0.96, 0.99}, 0, 0.95), Feasibility::confirmed);
  EXPECT_EQ(feasibility_of({0.5, 0.7}, 0, 0.95), Feasibility::undecided);
  EXPECT_EQ(feasibility_of({0, 0.04}, 0.3, 0.95), Feasibility::undecided);  // another candidate may be feasible
  EXPECT_EQ(feasibility_of({0, 0.04}, 0.04, 0.95), Feasibility::infeasible);
}

// Runs a check on a problem, with its budget, and returns what it ends with.
void run_check(const Problem& problem, CheckPlan plan, CheckedAnswer& answer) {
  const auto budget = plan.evaluations;
  Search check = check_answer(problem.spec, EqualityRule(problem.spec), std::move(plan), &answer);
  std::vector<Answer> answers;
  for (std::int64_t asked = 0; asked < budget && !check.done(); asked += static_cast<std::int64_t>(answers.size())) {
    answers.clear();
    for (const Query& query : check.ask()) answers.push_back(evaluate_once(problem, query));
    check.tell(answers);
  }
}

// The solver's recommendation stays unless another candidate is clearly better, and then the better one is answered:
// over 100 seeds, with a start that is far better, equal, or far worse.
TEST(CheckedAnswer, IsNeverClearlyWorseThanACandidate) {
  const Problem problem = corner();
  const Vector good{{0.3, 0.3}}, same{{0.31, 0.29}}, bad{{-1, -1}}, infeasible{{1.5, 1.5}};
  const auto replaced = [&](const Vector& recommended, const Vector& challenger) {
    int count = 0;
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CheckedAnswer answer(2);
      CheckPlan plan;
      plan.recommended = recommended;
      plan.challengers = {challenger};
      plan.evaluations = 60;
      plan.seed = seed;
      run_check(problem, plan, answer);
      count += answer.x == challenger;
    }
    return count;
  };
  EXPECT_GE(replaced(bad, good), 99);
  EXPECT_GE(replaced(infeasible, good), 99);
  EXPECT_LE(replaced(good, bad), 1);
  EXPECT_LE(replaced(good, infeasible), 1);
  EXPECT_LE(replaced(good, same), 15);  // of equals the model's choice stays, but for chance
}

TEST(CheckedAnswer, NeverAnswersWhereEverythingFails) {
  Problem problem = corner();
  problem.oracle = [inner = problem.oracle](std::span<const double> x, Rng& noise, std::span<double> values) {
    inner(x, noise, values);
    if (x[0] < 0) values[0] = std::nan("");
  };
  CheckedAnswer answer(2);
  CheckPlan plan;
  plan.recommended = Vector{{-1, -1}};
  plan.challengers = {Vector{{0.3, 0.3}}};
  plan.evaluations = 40;
  run_check(problem, plan, answer);
  EXPECT_EQ(answer.x, plan.challengers[0]);
}

// A model may take for safe what is not: the evaluations at it say so, and the answer stays where it was.
TEST(CheckedAnswer, DoesNotRetreatToAFallbackThatEvaluationsWorse) {
  const Problem problem = corner();
  const Vector bold{{0.45, 0.45}}, worse{{2, 2}};
  constexpr std::int64_t evaluated = 60;
  CheckedAnswer answer(2);
  CheckPlan plan;
  plan.recommended = bold;
  plan.cautious = {worse};
  plan.evaluations = evaluated;
  run_check(problem, plan, answer);
  EXPECT_EQ(answer.x, bold);
  EXPECT_EQ(answer.retreat, 0);
  EXPECT_EQ(answer.point.evaluations(), evaluated - 2 * (evaluated / 6));
}

// How one value scatters around its mean, which is 0, with a deviation of about one.
struct Scatter {
  const char* name;
  double (*draw)(Rng&);
};

double nine_answers(Rng& r, double p) {
  int hits = 0;
  for (int k = 0; k < 9; ++k) hits += r.uniform() < p;
  return (hits - 9 * p) / std::sqrt(9 * p * (1 - p));
}

const std::vector<Scatter>& scatters() {
  static const std::vector<Scatter> all{
      {"normal", [](Rng& r) { return r.normal(); }},
      {"t with 5 degrees", [](Rng& r) { return r.student_t(5); }},
      {"t with 3 degrees", [](Rng& r) { return r.student_t(3); }},
      {"exponential", [](Rng& r) { return -std::log(1 - r.uniform()) - 1; }},
      {"exponential downwards", [](Rng& r) { return 1 + std::log(1 - r.uniform()); }},
      {"counts of nine", [](Rng& r) { return nine_answers(r, 0.5); }},
      {"rare counts of nine", [](Rng& r) { return nine_answers(r, 0.05); }},
      {"yes or no", [](Rng& r) { return r.uniform() < 0.3 ? 0.7 : -0.3; }},
  };
  return all;
}

// A check of few evaluations at a point that truly breaks its limit by a hair says "feasible" at most once in twenty
// runs, whatever the noise, and at a point that keeps it by a hair "infeasible" at most once in twenty. The run has
// seen other points before, as runs have.
TEST(CheckedAnswer, FewEvaluationsClaimNoMoreThanTheyKnow) {
  constexpr std::size_t runs = 2000;
  for (const Scatter& scatter : scatters())
    for (const std::int64_t evaluations : {3, 4, 6, 10, 30}) {
      std::vector<char> confirmed(runs), refuted_there(runs);
      parallel_for(0, runs, [&](std::size_t k) {
        Problem problem;
        problem.spec.domain = Domain::box(1, 0, 1);
        problem.spec.constraints = 1;
        problem.oracle = [draw = scatter.draw](std::span<const double> x, Rng& r, std::span<double> v) {
          v[0] = x[0] + 0.1 * r.normal();
          v[1] = draw(r);
        };
        EvaluatedPoints run(problem.spec);
        Rng rng(derive_key(k, 77));
        for (std::uint64_t j = 0; j < 40; ++j) {
          const std::vector<double> x{0.5 + 0.25 * static_cast<double>(j / 2) / 20};
          std::vector<double> v(2);
          problem.oracle(x, rng, v);
          run.add(x, j, v);
        }
        CheckedPoint point(2, nullptr, &run, MeanSequence::planned_for(evaluations));
        for (std::int64_t j = 0; j < evaluations; ++j) {
          std::vector<double> v(2);
          problem.oracle(std::vector<double>{0.5}, rng, v);
          point.add(v);
        }
        const FeasibilityBounds bounds = feasibility_bounds(problem.spec, EqualityRule(problem.spec), point);
        confirmed[k] = feasibility_of(bounds, 0, 0.95) == Feasibility::confirmed;
        // Both are needed before anything is called infeasible.
        refuted_there[k] = feasibility_of(bounds, 0, 0.95) == Feasibility::infeasible && point.interval(1).low > 0;
      });
      const double most = 0.05 + 2 * std::sqrt(0.05 * 0.95 / runs);
      const double claimed = static_cast<double>(std::ranges::count(confirmed, 1)) / runs;
      const double denied = static_cast<double>(std::ranges::count(refuted_there, 1)) / runs;
      std::printf("  %-22s %3d evaluations: said feasible %.3f, infeasible %.3f\n", scatter.name,
                  static_cast<int>(evaluations), claimed, denied);
      EXPECT_LE(claimed, most) << scatter.name << " " << evaluations;
      EXPECT_LE(denied, most) << scatter.name << " " << evaluations;
    }
}

// The whole run, with a model that counts beside the fresh evaluations: of answers said to be feasible 19 in 20 are.
TEST(CheckedAnswer, WhatIsSaidWithAModelIsTrue) {
  for (const Scatter& scatter : scatters()) {
    constexpr std::size_t runs = 60;
    std::vector<Outcome> outcomes(runs);
    parallel_for(0, runs, [&](std::size_t k) {
      Problem problem = corner();
      problem.oracle = [draw = scatter.draw](std::span<const double> x, Rng& noise, std::span<double> values) {
        values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.2 * draw(noise);
        values[1] = x[0] + x[1] - 1 + 0.2 * draw(noise);
      };
      RunRequest request;
      request.budget = 60;
      request.seed = k + 1;
      problem.spec.plan_for(request.budget, request.check_share);
      const auto engine = serial_engine(problem);
      const Result r =
          run(problem.spec, solver_named("trust-bo").make(problem.spec, {}, request.seed), *engine, request);
      outcomes[k] = {false, false, r.x[0] + r.x[1] <= 1, 0, 0, r.feasibility};
    });
    double confirmed = 0, wrong = 0, refuted = 0, wrongly = 0;
    for (const Outcome& o : outcomes) {
      confirmed += o.said == Feasibility::confirmed;
      wrong += o.said == Feasibility::confirmed && !o.feasible;
      refuted += o.said == Feasibility::infeasible;
      wrongly += o.said == Feasibility::infeasible && o.feasible;
    }
    std::printf("  %-22s said feasible %g of %zu, wrongly %g; infeasible %g, wrongly %g\n", scatter.name, confirmed,
                runs, wrong, refuted, wrongly);
    EXPECT_LE(wrong, 0.05 * confirmed + 2 * std::sqrt(0.05 * 0.95 * confirmed) + 1e-9) << scatter.name;
    EXPECT_LE(wrongly, 0.1 * refuted + 2 * std::sqrt(0.1 * 0.9 * refuted) + 1e-9) << scatter.name;
  }
}

}  // namespace
}  // namespace zeroth
