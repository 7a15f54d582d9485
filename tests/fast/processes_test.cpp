// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "scratch.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;
using testing_support::test_evaluator;

Evaluator evaluator(std::vector<std::string> arguments, bool stream = true) {
  Evaluator e;
  e.command = std::move(arguments);
  e.command.insert(e.command.begin(), test_evaluator);
  e.stream = stream;
  e.timeout = 20;
  e.constraints = 2;
  e.write_x = [](std::span<const double> x, std::string& json) {
    json += '[';
    for (std::size_t i = 0; i < x.size(); ++i) json += (i ? "," : "") + std::to_string(x[i]);
    json += ']';
  };
  return e;
}

struct Batch {
  std::vector<Vector> x;
  std::vector<Query> queries;
  explicit Batch(std::size_t count) : x(count), queries(count) {
    for (std::size_t k = 0; k < count; ++k) {
      x[k] = Vector::Constant(3, 0.1 * static_cast<double>(k % 10));
      queries[k].x = as_span(x[k]);
      queries[k].noise = 1000 + 7 * k;
    }
  }
};

struct Outcome {
  std::vector<Answer> answers;
  std::vector<Circumstances> how;
};

Outcome evaluate(Engine& engine, const Batch& batch) {
  Outcome o{std::vector<Answer>(batch.queries.size()), std::vector<Circumstances>(batch.queries.size())};
  engine.evaluate(batch.queries,
                  [&](std::size_t k, Answer a, const Circumstances& how) {
                    o.answers[k] = std::move(a);
                    o.how[k] = how;
                  },
                  {});
  return o;
}

bool same(const std::vector<Answer>& a, const std::vector<Answer>& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k].values != b[k].values || a[k].failure != b[k].failure) return false;
  return a.size() == b.size();
}

TEST(Processes, GiveTheSameAnswersHoweverManyAndBothProtocols) {
  const Batch batch(24);
  const auto one = evaluate(*processes_engine(evaluator({"ok"}), 1), batch);
  for (const Answer& a : one.answers) ASSERT_EQ(a.values.size(), 3u) << a.failure;
  EXPECT_TRUE(same(one.answers, evaluate(*processes_engine(evaluator({"ok"}), 4), batch).answers));
  EXPECT_TRUE(same(one.answers, evaluate(*processes_engine(evaluator({"ok"}, false), 2), batch).answers));
}

TEST(Processes, ThreadsEqualSerial) {
  QcqpOptions options;
  options.n = 4;
  const Problem problem = qcqp(options);
  Batch batch(200);
  for (std::size_t k = 0; k < 200; ++k) {
    batch.x[k] = Vector::Constant(4, 0.01 * static_cast<double>(k));
    batch.queries[k].x = as_span(batch.x[k]);
  }
  const auto serial = evaluate(*serial_engine(problem), batch);
  const auto engine = threads_engine(problem, 4);
  for (int round = 0; round < 20; ++round) EXPECT_TRUE(same(serial.answers, evaluate(*engine, batch).answers));
}

struct Fault {
  const char* mode;
  const char* words;
};
class Faults : public testing::TestWithParam<std::tuple<Fault, bool>> {};

TEST_P(Faults, AreFailedAnswersWithAReasonAndTheRestGoesOn) {
  const auto [fault, stream] = GetParam();
  Evaluator e = evaluator({fault.mode, "--every", "3"}, stream);
  e.timeout = std::string(fault.mode) == "hang" ? 1.0 : 20;
  const Batch batch(9);
  const auto good = evaluate(*processes_engine(evaluator({"ok"}), 1), batch);
  const auto o = evaluate(*processes_engine(e, 2), batch);
  int failures = 0;
  for (std::size_t k = 0; k < batch.queries.size(); ++k) {
    if (batch.queries[k].noise % 3 != 0) {
      EXPECT_EQ(o.answers[k].values, good.answers[k].values) << o.answers[k].failure;
    } else {
      ++failures;
      ASSERT_TRUE(o.answers[k].failed());
      EXPECT_TRUE(o.answers[k].values.empty());
      EXPECT_THAT(o.answers[k].failure, HasSubstr(fault.words));
      EXPECT_THAT(o.how[k].error_output, HasSubstr(std::string("about to fail by way of ") + fault.mode));
    }
  }
  EXPECT_EQ(failures, 3);
}

INSTANTIATE_TEST_SUITE_P(
    All, Faults,
    testing::Combine(testing::Values(Fault{"error", "diverged"}, Fault{"crash", "signal 6"},
                                     Fault{"segfault", "signal 11"}, Fault{"exit", "exit code 3"},
                                     Fault{"hang", "timeout"}, Fault{"nan", "NaN"}, Fault{"garbage", "not JSON"},
                                     Fault{"short", "1 numbers instead of 2"}, Fault{"long", "3 numbers instead of 2"},
                                     Fault{"wrong-id", "another question"}, Fault{"no-id", "no \"id\""},
                                     Fault{"flood", "bytes on stdout"}),
                     testing::Bool()),
    [](const auto& info) {
      std::string name = std::get<0>(info.param).mode;
      std::erase(name, '-');
      return name + (std::get<1>(info.param) ? "Stream" : "Once");
    });

TEST(Processes, TwoLinesForOneQuestionAreRefused) {
  const auto o = evaluate(*processes_engine(evaluator({"two-lines"}), 1), Batch(2));
  for (const Answer& a : o.answers) EXPECT_THAT(a.failure, HasSubstr("more than one line"));
}

TEST(Processes, KillTheWholeGroupOnTimeout) {
  const Scratch scratch;
  Evaluator e = evaluator({"orphan", "--log", scratch.path("pids")});
  e.timeout = 0.5;
  const auto engine = processes_engine(e, 1);
  const auto o = evaluate(*engine, Batch(1));
  EXPECT_THAT(o.answers[0].failure, HasSubstr("timeout"));
  const int grandchild = std::stoi(scratch.read("pids"));
  for (int i = 0; i < 100 && testing_support::alive(grandchild); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(testing_support::alive(grandchild));
}

TEST(Processes, RetryAsTold) {
  const Scratch scratch;
  Evaluator e = evaluator({"flaky", "--log", scratch.path("mark")});
  e.retries = 1;
  const auto o = evaluate(*processes_engine(e, 2), Batch(4));
  const auto good = evaluate(*processes_engine(evaluator({"ok"}), 1), Batch(4));
  EXPECT_TRUE(same(o.answers, good.answers));
  for (const auto& how : o.how) EXPECT_EQ(how.attempts, 2);
}

TEST(Processes, KeepTheLastLinesOfStderr) {
  const auto o = evaluate(*processes_engine(evaluator({"chatty"}), 1), Batch(1));
  EXPECT_THAT(o.how[0].error_output, HasSubstr("line 2999 of many"));
  EXPECT_LT(o.how[0].error_output.size(), 5000u);
  EXPECT_EQ(o.how[0].signal, SIGABRT);
}

TEST(Processes, SayWhenTheProgramCannotBeStarted) {
  Evaluator e = evaluator({});
  e.command = {"./no-such-program"};
  const auto o = evaluate(*processes_engine(e, 1), Batch(1));
  EXPECT_THAT(o.answers[0].failure, HasSubstr("cannot start './no-such-program'"));
}

TEST(Processes, StopFinishesWhatIsUnderWayAndLeavesTheRest) {
  const auto engine = processes_engine(evaluator({"ok", "--sleep", "0.05"}), 2);
  const Batch batch(20);
  int answered = 0;
  engine->evaluate(
      batch.queries, [&](std::size_t, const Answer& a, const Circumstances&) { answered += !a.failed(); },
      [&] { return answered >= 4; });
  EXPECT_GE(answered, 4);
  EXPECT_LE(answered, 8);
}

// Who deals the next question to whoever is free idles about spread / (2 * batch / jobs) at the end of a batch.
double busy_share(const char* spread, int batch_per_job) {
  constexpr int jobs = 4;
  const auto engine = processes_engine(evaluator({"ok", "--sleep", "0.1", "--spread", spread}), jobs);
  evaluate(*engine, Batch(jobs));  // starts the processes
  const Batch batch(static_cast<std::size_t>(batch_per_job * jobs));
  const auto begin = std::chrono::steady_clock::now();
  const auto o = evaluate(*engine, batch);
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  double busy = 0;
  for (const auto& how : o.how) busy += how.seconds;
  return busy / (jobs * wall);
}

// The dealing is the same every time; whatever else the machine does can only lower the share, so the best of a few
// counts.
double best_busy_share(const char* spread, int batch_per_job) {
  double best = 0;
  for (int attempt = 0; attempt < 8 && best <= 0.9; ++attempt) best = std::max(best, busy_share(spread, batch_per_job));
  return best;
}

TEST(Processes, AreBusyNineTenthsOfTheTimeOnUnevenWork) {
  EXPECT_GT(best_busy_share("0.2", 4), 0.9);
  EXPECT_GT(best_busy_share("0.5", 8), 0.9);
}

TEST(Processes, QuestionsSentAheadOfOneThatFailsAreAskedAgain) {
  const Batch batch(400);
  for (const char* mode : {"segfault", "garbage", "error"}) {
    const auto good = evaluate(*processes_engine(evaluator({"ok"}), 1), batch);
    const auto o = evaluate(*processes_engine(evaluator({mode, "--every", "50"}), 1), batch);
    int failures = 0;
    for (std::size_t k = 0; k < batch.queries.size(); ++k) {
      const bool fails = batch.queries[k].noise % 50 == 0;
      failures += fails;
      EXPECT_EQ(o.answers[k].failed(), fails) << mode << " " << k << " " << o.answers[k].failure;
      if (!fails) EXPECT_EQ(o.answers[k].values, good.answers[k].values);
    }
    EXPECT_EQ(failures, 8) << mode;
  }
}

TEST(Processes, LargePointsPassThroughSmallPipes) {
  Evaluator e = evaluator({"ok"});
  const Vector x = Vector::Constant(200'000, 0.25);
  Batch batch(2);
  for (auto& query : batch.queries) query.x = as_span(x);
  const auto o = evaluate(*processes_engine(e, 2), batch);
  for (const Answer& a : o.answers) EXPECT_EQ(a.values.size(), 3u) << a.failure;
}

}  // namespace
}  // namespace zeroth
