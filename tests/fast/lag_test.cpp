// SPDX-License-Identifier: MIT
//
// Runs without a barrier: solvers that ask ahead, told in the order of proposal.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "scratch.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

using namespace testing_support;
using testing::HasSubstr;

// Evaluations that take uneven times, as their noise says.
Problem uneven(int width, int lag, double seconds = 0) {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 1);
  p.spec.constraints = 1;
  p.spec.width = width;
  p.spec.lag = lag;
  p.spec.plan_for(60, 0.1);
  p.oracle = [seconds](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = std::pow(x[0] - 0.7, 2) + std::pow(x[1] - 0.2, 2) + 0.05 * noise.uniform();
    values[1] = x[0] + x[1] - 0.8 + 0.05 * noise.uniform();
    if (seconds > 0)
      std::this_thread::sleep_for(std::chrono::duration<double>(noise.uniform() < 0.2 ? 20 * seconds : seconds));
  };
  return p;
}

Search solver_for(const std::string& name, const Spec& spec) { return solver_named(name).make(spec, {}, 7); }

RunRequest request_for(const std::string& solver) {
  RunRequest request;
  request.solver = solver;
  request.budget = 60;
  return request;
}

std::string digits(const Result& r) {
  std::string text = std::to_string(r.evaluations) + " " + to_string(r.status);
  for (const double v : r.x) text += fmt::format(" {:a}", v);
  return text + fmt::format(" {:a}", r.objective.mean);
}

std::string solved(const std::string& solver, const Problem& p, Engine& engine) {
  return digits(run(p.spec, solver_for(solver, p.spec), engine, request_for(solver)));
}

class Lag : public testing::TestWithParam<const char*> {};

TEST_P(Lag, GivesTheSameBitsOnAnyNumberOfWorkers) {
  const Problem p = uneven(2, 5, 2e-4);
  const std::string serial = solved(GetParam(), p, *serial_engine(p));
  for (const int workers : {1, 3, 16}) EXPECT_EQ(solved(GetParam(), p, *threads_engine(p, workers)), serial) << workers;
}

// Whoever answers in whatever order: what is asked depends on the lag alone.
TEST_P(Lag, AsksTheSameInWhateverOrderAnswersCome) {
  const Problem p = uneven(2, 5);
  std::vector<std::vector<double>> first;
  for (const unsigned order : {1u, 2u, 3u}) {
    RunState state(p.spec, solver_for(GetParam(), p.spec), request_for(GetParam()));
    std::mt19937 random(order);
    std::vector<std::vector<double>> asked;
    std::int64_t seen = 0;
    while (!state.done()) {
      const std::int64_t open = static_cast<std::int64_t>(state.batch().size());
      for (; seen < state.evaluations() + open; ++seen) {
        const Query& q = state.question(seen);
        asked.emplace_back(q.x.begin(), q.x.end());
      }
      const auto pending = state.pending();
      const auto number = pending[random() % pending.size()];
      state.receive(number, evaluate_once(p, state.question(number)));
      while (state.complete()) state.advance();
    }
    EXPECT_EQ(state.evaluations(), 60);
    if (first.empty()) first = asked;
    EXPECT_EQ(asked, first);
  }
}

TEST_P(Lag, DiffersFromTheRunWithoutOne) {
  const Problem with = uneven(2, 5), without = uneven(2, 0);
  if (std::string(GetParam()) != "random" && std::string(GetParam()) != "sobol") {
    EXPECT_NE(solved(GetParam(), with, *serial_engine(with)), solved(GetParam(), without, *serial_engine(without)));
  }
  const Result result =
      run(with.spec, solver_for(GetParam(), with.spec), *serial_engine(with), request_for(GetParam()));
  EXPECT_THAT(result.note, testing::Not(HasSubstr("lag")));
}

INSTANTIATE_TEST_SUITE_P(Who, Lag, testing::Values("auto", "trust-bo", "adaptive-conex", "random", "sobol"));

// What is under way is pending: no evaluation is asked for a second time before it is answered. (A point may be, under
// another key: that is a replicate.)
TEST(LagWindow, NothingIsAskedTwiceWhileItIsOpen) {
  for (const char* solver : {"auto", "trust-bo"}) {
    Problem p = uneven(2, 8);
    p.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
      values[0] = std::pow(x[0] - 0.7, 2) + std::sin(5 * x[1]);
      values[1] = x[0] + x[1] - 0.8;
    };
    RunState state(p.spec, solver_for(solver, p.spec), request_for(solver));
    int twice = 0;
    while (!state.done() && !state.checking()) {
      std::vector<std::vector<double>> open;
      for (const Query& q : state.batch()) {
        open.emplace_back(q.x.begin(), q.x.end());
        open.back().push_back(static_cast<double>(q.noise));
      }
      std::ranges::sort(open);
      twice += std::ranges::adjacent_find(open) != open.end();
      const std::int64_t oldest = state.pending().front();
      state.receive(oldest, evaluate_once(p, state.question(oldest)));
      while (!state.done() && state.complete()) state.advance();
    }
    EXPECT_EQ(twice, 0) << solver;
  }
}

// Asking ahead costs evaluations, but not many: both find the optimum, 0.04 at (0.65, 0.15).
TEST(LagWindow, FindsWhatIsFoundWithoutIt) {
  for (const char* solver : {"auto", "trust-bo", "adaptive-conex"}) {
    Problem p = uneven(1, 12);
    p.spec.plan_for(240, 0.1);
    RunRequest request = request_for(solver);
    request.budget = 240;
    const Result result = run(p.spec, solver_for(solver, p.spec), *serial_engine(p), request);
    EXPECT_LT(std::pow(result.x[0] - 0.7, 2) + std::pow(result.x[1] - 0.2, 2), 0.02) << solver;
    EXPECT_LT(result.x[0] + result.x[1], 0.8) << solver;
  }
}

TEST(LagWindow, HoldsTheWidthAndTheLag) {
  const Problem p = uneven(3, 8);
  RunState state(p.spec, solver_for("random", p.spec), request_for("random"));
  EXPECT_EQ(state.batch().size(), 9u);  // three batches: with a fourth more than eight would follow the oldest
  for (const std::int64_t number : {8, 5, 1}) state.receive(number, evaluate_once(p, state.question(number)));
  EXPECT_FALSE(state.complete());
  state.receive(0, evaluate_once(p, state.question(0)));
  EXPECT_TRUE(state.complete());
  state.advance();
  EXPECT_EQ(state.evaluations(), 1);
  EXPECT_EQ(state.batch().size(), 11u);
  EXPECT_THROW(state.receive(0, {}), Error);
  EXPECT_THROW(state.receive(5, {}), Error);  // it has its answer, and keeps it
}

TEST(LagWindow, ASolverThatNeedsWholeBatchesSaysSo) {
  Problem p = uneven(2, 5);
  const Result result = run(p.spec, solver_for("conex", p.spec), *serial_engine(p), request_for("conex"));
  EXPECT_THAT(result.note, HasSubstr("lag = 5 was not used"));
  p.spec.lag = 0;
  const Result same = run(p.spec, solver_for("conex", p.spec), *serial_engine(p), request_for("conex"));
  EXPECT_EQ(digits(result), digits(same));
}

// Four workers wait for the slowest of four, or they do not.
TEST(LagWindow, KeepsWorkersBusy) {
  const auto seconds = [](int width, int lag) {
    const Problem p = uneven(width, lag, 1e-3);
    const auto engine = threads_engine(p, 4);
    RunRequest request = request_for("random");
    request.budget = 200;
    request.check_share = 0;
    Spec spec = p.spec;
    spec.plan_for(200, 0);
    const auto begin = std::chrono::steady_clock::now();
    (void)run(spec, solver_for("random", spec), *engine, request);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  EXPECT_LT(seconds(1, 40), 0.75 * seconds(4, 0));
}

TEST(LagWindow, ReadsItsKeyAndKnowsItsLimits) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\"", "", 20, "lag = -1\n"));
  EXPECT_THAT(zeroth(scratch, {"solve", "p.toml"}).error, HasSubstr("lag"));
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "--set", "lag=2000000"}).code, 2);
}

// Limits that a solver by slopes sees as further constraints do not bring the barrier back.
TEST(LagWindow, KnownLimitsLetSolversAskAhead) {
  const Scratch scratch;
  for (const std::string solver : {"adaptive-conex", "auto"}) {
    scratch.write("p.toml",
                  "[problem]\ncommand = [\"" + test_evaluator +
                      "\", \"ok\", \"--sleep\", \"0.001\", \"--spread\", \"0.9\"]\nconstraints = [\"p\", \"q\"]\n"
                      "known = [\"a*b <= 0.5\"]\n[[variable]]\nname = \"a\"\nlower = 0\nupper = 1\n"
                      "[[variable]]\nname = \"b\"\nlower = 0\nupper = 1\n[solver]\nname = \"" +
                      solver + "\"\nbudget = 120\nwidth = 2\nlag = 6\n");
    const Ran one = zeroth(scratch, {"solve", "p.toml", "--store", solver + "1.db", "--json", "-q"});
    const auto json = one.json();
    ASSERT_TRUE(json.is_object()) << one.error;
    EXPECT_THAT(json["note"].get<std::string>(), testing::Not(HasSubstr("lag"))) << solver;
    EXPECT_LE(json["x"]["a"].get<double>() * json["x"]["b"].get<double>(), 0.5);
    EXPECT_EQ(bits_of(one),
              bits_of(zeroth(scratch, {"solve", "p.toml", "--store", solver + "4.db", "--json", "-q", "-j", "4"})));
    EXPECT_EQ(zeroth(scratch, {"verify", solver + "4.db"}).code, 0);
  }
}

// Killed while later answers are there and an earlier one is not.
TEST(LagWindow, ResumesToTheSameBitsAfterAKill) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\", \"--sleep\", \"0.01\", \"--spread\", \"0.9\", \"--log\", \"" +
                                           scratch.path("log") + "\"",
                                       "", 80, "width = 2\nlag = 9\n"));
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "--store", "whole.db", "--json", "-q"});
  ASSERT_EQ(whole.code, 0) << whole.error;
  for (const std::ptrdiff_t after : {15, 45}) {
    for (const char* file : {"log", "cut.db", "cut.db-wal", "cut.db-shm"}) std::filesystem::remove(scratch.path(file));
    const Process first(scratch, {tool, "solve", "p.toml", "--store", "cut.db", "--json", "-q", "-j", "4"});
    for (int k = 0; k < 3000; ++k) {
      const std::string log = scratch.read("log");
      if (std::count(log.begin(), log.end(), '\n') >= after) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    first.signal(SIGKILL);
    first.wait();
    EXPECT_EQ(zeroth(scratch, {"verify", "cut.db"}).code, 0);
    const Ran resumed =
        zeroth(scratch, {"solve", "p.toml", "--store", "cut.db", "--json", "-q", "-j", "3", "--resume"});
    EXPECT_EQ(bits_of(resumed), bits_of(whole));
    EXPECT_EQ(zeroth(scratch, {"verify", "cut.db"}).code, 0);
  }
}

}  // namespace
}  // namespace zeroth
