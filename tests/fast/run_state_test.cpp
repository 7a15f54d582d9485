// SPDX-License-Identifier: MIT
//
// The laws of the one run under the loop, Python's ask/tell, studies and benches.
#include "zeroth/run/run_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

Problem noisy_problem(int width) {
  Problem p;
  p.spec.domain = Domain::box(3, 0, 1);
  p.spec.constraints = 1;
  p.spec.equalities = 1;
  p.spec.width = width;
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    if (noise.uniform() < 0.1) throw std::runtime_error("no convergence");
    values[0] = std::pow(x[0] - 0.2, 2) + std::pow(x[1] - 0.9, 2) + x[2] + 0.05 * noise.normal();
    values[1] = 0.4 - x[0] + 0.05 * noise.normal();
    values[2] = x[1] - x[2] - 0.5 + 0.05 * noise.normal();
  };
  return p;
}

RunPlan plan(const std::string& solver, std::int64_t budget) {
  RunPlan p;
  p.solver = solver;
  p.budget = budget;
  p.seed = 4;
  return p;
}

Spec planned(const Problem& problem, const RunPlan& p) {
  Spec spec = problem.spec;
  spec.plan_for(p.budget, p.check_share);
  return spec;
}

void expect_same(const Result& a, const Result& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.evaluations, b.evaluations);
  EXPECT_EQ(a.failed, b.failed);
  EXPECT_EQ(a.failures, b.failures);
  EXPECT_EQ(a.function_calls, b.function_calls);
  EXPECT_EQ(a.objective.mean, b.objective.mean);
  EXPECT_EQ(a.objective.se, b.objective.se);
  EXPECT_EQ(a.replicates, b.replicates);
  EXPECT_EQ(std::isnan(a.kkt_residual.mean), std::isnan(b.kkt_residual.mean));
  if (!std::isnan(a.kkt_residual.mean)) EXPECT_EQ(a.kkt_residual.mean, b.kkt_residual.mean);
}

TEST(RunState, AnswersInAnyOrderGiveTheRunOfTheLoop) {
  for (const std::string solver : {"adaptive-conex", "random", "conex"}) {
    const Problem problem = noisy_problem(5);
    const RunPlan p = plan(solver, 400);
    const Spec spec = planned(problem, p);
    RunRequest request;
    static_cast<RunPlan&>(request) = p;
    const auto engine = serial_engine(problem);
    const Result loop = run(spec, solver_named(solver).make(spec, {}, p.seed), *engine, request);

    RunState state(spec, solver_named(solver).make(spec, {}, p.seed), p);
    while (!state.done()) {
      auto open = state.pending();
      ASSERT_EQ(open.size(), state.batch().size());
      std::ranges::reverse(open);
      for (const std::int64_t number : open) {
        EXPECT_FALSE(state.complete());
        const auto k = static_cast<std::size_t>(number - state.evaluations());
        state.receive(number, evaluate_once(problem, state.batch()[k]));
      }
      EXPECT_TRUE(state.pending().empty());
      state.advance();
    }
    expect_same(loop, state.result());
  }
}

TEST(RunState, KnowsWhatIsPending) {
  const Problem problem = noisy_problem(4);
  const RunPlan p = plan("random", 100);
  const Spec spec = planned(problem, p);
  RunState state(spec, solver_named("random").make(spec, {}, 1), p);
  ASSERT_GE(state.batch().size(), 2u);
  const auto all = state.pending();
  state.receive(all[1], {{1, 2, 3}, ""});
  EXPECT_EQ(state.pending().size(), all.size() - 1);
  EXPECT_EQ(state.pending()[0], all[0]);
  EXPECT_THROW(state.receive(all[1], {{1, 2, 3}, ""}), Error) << "answered twice";
  EXPECT_THROW(state.receive(all.back() + 1, {{1, 2, 3}, ""}), Error) << "never asked";
  EXPECT_THROW(state.receive(-1, {{1, 2, 3}, ""}), Error);
  EXPECT_THROW(state.advance(), Error) << "not complete";
  EXPECT_EQ(state.evaluations(), 0);
  EXPECT_EQ(state.result().status, Status::interrupted);
}

TEST(RunState, GivesUpWhenEverythingFails) {
  const Problem problem = noisy_problem(1);
  const RunPlan p = plan("random", 1000);
  const Spec spec = planned(problem, p);
  RunState state(spec, solver_named("random").make(spec, {}, 1), p);
  const auto fail_all = [&] {
    while (!state.done()) {
      for (const std::int64_t number : state.pending())
        state.receive(number, Answer::failed_because("no licence"), "licence server is down");
      state.advance();
    }
  };
  try {
    fail_all();
    FAIL() << "it should have given up";
  } catch (const EverythingFailed& e) {
    EXPECT_NE(std::string(e.what()).find("no licence"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("licence server is down"), std::string::npos);
  }
  EXPECT_EQ(state.evaluations(), p.give_up_after);
}

Search asks_with_key(Spec spec, std::uint64_t key) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  for (;;) {
    const Query query{as_span(incumbent.x), key, {}};
    co_await evaluate({&query, 1});
  }
}

// The protocol promises evaluators seeds below 2^53; all engines get their questions by way of the RunState.
TEST(RunState, NoLargerSeedThanPromisedIsEverSent) {
  const Spec spec = noisy_problem(1).spec;
  EXPECT_NO_THROW(RunState(spec, asks_with_key(spec, noise_key_limit - 1), plan("", 10)));
  EXPECT_THROW(RunState(spec, asks_with_key(spec, noise_key_limit), plan("", 10)), std::logic_error);
}

Search asks_for_one_function(Spec spec) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const std::vector<std::uint8_t> only_constraint{0, 1, 0};
  for (std::uint64_t k = 0;; ++k) {
    const Query query{as_span(incumbent.x), k, only_constraint};
    co_await evaluate({&query, 1});
  }
}

TEST(RunState, CountsPartialAnswersByFunction) {
  const Spec spec = noisy_problem(1).spec;
  RunPlan p = plan("", 7);
  p.check_share = 0;
  RunState state(spec, asks_for_one_function(spec), p);
  while (!state.done()) {
    state.receive(state.evaluations(), {{std::nan(""), -1, std::nan("")}, ""});
    state.advance();
  }
  EXPECT_EQ(state.result().function_calls, (std::vector<std::int64_t>{0, 7, 0}));
}

// What others measured tells the scale of an equality, and costs nothing.
TEST(RunState, ImportedEvaluationsAreEvidenceAndNoBudget) {
  const Problem problem = noisy_problem(1);
  const RunPlan p = plan("random", 40);
  const Spec spec = planned(problem, p);
  const auto finished = [&](bool import) {
    RunState state(spec, solver_named("random").make(spec, {}, 1), p);
    const Vector x = spec.first_point();
    if (import) state.import({as_span(x), 1, {}}, {{0, 0, 1000}, ""});
    while (!state.done()) {
      for (const std::int64_t number : state.pending())
        state.receive(number,
                      evaluate_once(problem, state.batch()[static_cast<std::size_t>(number - state.evaluations())]));
      state.advance();
    }
    EXPECT_EQ(state.imported(), import ? 1 : 0);
    return state.result();
  };
  const Result without = finished(false), with = finished(true);
  EXPECT_EQ(with.evaluations, without.evaluations);
  EXPECT_EQ(with.equalities.at(0).tolerance, 10);  // one percent of the largest seen
  EXPECT_LT(without.equalities.at(0).tolerance, 1);
}

}  // namespace
}  // namespace zeroth
