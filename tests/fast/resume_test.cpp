// SPDX-License-Identifier: MIT
//
// The real tool, real signals, real stores.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "scratch.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth::testing_support {
namespace {

using testing::HasSubstr;

void wait_for_lines(const Scratch& scratch, const std::string& log, std::size_t count) {
  for (int i = 0; i < 2000; ++i) {
    const std::string text = scratch.read(log);
    if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) >= count) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL() << "the evaluator did not get to " << count << " evaluations";
}

std::string slow_problem(const Scratch& scratch) {
  return problem_text("\"ok\", \"--sleep\", \"0.01\", \"--log\", \"" + scratch.path("log") + "\"", "retries = 2", 80,
                      "width = 4\n");
}

class Signals : public testing::TestWithParam<int> {};

TEST_P(Signals, LeaveARunThatResumesToTheSameBits) {
  const Scratch scratch;
  scratch.write("p.toml", slow_problem(scratch));
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "--store", "whole.db", "--json", "-q"});
  ASSERT_EQ(whole.code, 0) << whole.error;
  std::filesystem::remove(scratch.path("log"));

  const Process first(scratch, {tool, "solve", "p.toml", "--store", "cut.db", "--json", "-q", "-j", "2"});
  wait_for_lines(scratch, "log", 20);
  first.signal(GetParam());
  const Ran cut = first.wait();
  if (GetParam() == SIGKILL) {
    EXPECT_EQ(cut.code, 128 + SIGKILL);
  } else {
    EXPECT_EQ(cut.code, 130) << cut.error;
    EXPECT_EQ(cut.json()["status"], "interrupted");
  }
  EXPECT_EQ(zeroth(scratch, {"verify", "cut.db"}).code, 0);
  const Ran resumed = zeroth(scratch, {"solve", "p.toml", "--store", "cut.db", "--json", "-q", "--resume"});
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_EQ(bits_of(resumed), bits_of(whole));
  // At most the two that were under way were asked twice.
  const std::string log = scratch.read("log");
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 80 + 2);
  EXPECT_EQ(zeroth(scratch, {"verify", "cut.db"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Signals, testing::Values(SIGINT, SIGTERM, SIGKILL));

// mpirun hands the signal on to its ranks; its own exit code then says nothing but that.
TEST(Resume, SigtermUnderMpirunInterruptsResumably) {
  const Scratch scratch;
  // Slow enough that mpirun, which takes its time, is in time.
  scratch.write("p.toml", problem_text("\"ok\", \"--sleep\", \"0.1\", \"--log\", \"" + scratch.path("log") + "\"", "",
                                       80, "width = 4\n"));
  const std::vector<std::string> ranks{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"};
  const auto solve = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = ranks;
    words.insert(words.end(), {tool, "solve", "p.toml", "--json", "-q"});
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Ran whole = run(scratch, solve({"--store", "whole.db"}));
  ASSERT_EQ(whole.code, 0) << whole.error;
  std::filesystem::remove(scratch.path("log"));
  const Process first(scratch, solve({"--store", "cut.db"}));
  wait_for_lines(scratch, "log", 20);
  first.signal(SIGTERM);
  const Ran cut = first.wait();
  EXPECT_NE(cut.code, 0);
  EXPECT_THAT(cut.error, testing::AllOf(testing::HasSubstr("cut.db"), testing::HasSubstr("--resume")));
  EXPECT_EQ(cut.json()["status"], "interrupted");
  const Ran resumed = run(scratch, solve({"--resume", "--store", "cut.db"}));
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_EQ(bits_of(resumed), bits_of(whole));
}

TEST(Resume, SecondSignalEndsAtOnceAndTakesTheEvaluatorsAlong) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"hang\""));
  const Process process(scratch, {tool, "solve", "p.toml", "-q"});
  std::vector<int> evaluators;
  for (int i = 0; i < 500 && evaluators.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    evaluators = children_of(process.pid());
  }
  ASSERT_EQ(evaluators.size(), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  process.signal(SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_TRUE(alive(evaluators[0]));  // the first asks for patience
  process.signal(SIGINT);
  EXPECT_EQ(process.wait().code, 130);
  for (int i = 0; i < 100 && alive(evaluators[0]); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(alive(evaluators[0]));
}

TEST(Resume, FromEveryTruncatedStoreGivesTheSameRun) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"error\", \"--every\", \"5\"", "", 24, "width = 4\n"));
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "--store", "whole.db", "--json", "-q"});
  ASSERT_EQ(whole.code, 0) << whole.error;
  EXPECT_GT(whole.json()["failed"], 0);
  for (int kept = 0; kept < 24; kept += 3) {
    std::filesystem::copy_file(scratch.path("whole.db"), scratch.path("cut.db"),
                               std::filesystem::copy_options::overwrite_existing);
    {
      Store store(scratch.path("cut.db"), Store::Access::existing);
      store.connection().run(("DELETE FROM answers WHERE number >= " + std::to_string(kept)).c_str());
      store.connection().run("UPDATE runs SET status = 'running', result = NULL");
    }
    const Ran resumed = zeroth(scratch, {"solve", "p.toml", "--store", "cut.db", "--json", "-q", "--resume"});
    EXPECT_EQ(bits_of(resumed), bits_of(whole)) << kept;
  }
}

TEST(Resume, RefusesAChangedProblemWithTheDifference) {
  const Scratch scratch;
  const std::string text = problem_text("\"ok\", \"--sleep\", \"0.02\"", "", 200);
  scratch.write("p.toml", text);
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "-q", "--timeout-total", "0.3"}).code, 130);
  std::string changed = text;
  changed.replace(changed.find("upper = 3"), 9, "upper = 4");
  scratch.write("p.toml", changed);
  const Ran refused = zeroth(scratch, {"solve", "p.toml", "-q", "--resume"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.error, HasSubstr("variable.k.upper: \"3\" -> \"4\""));
  scratch.write("p.toml", text);
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "-q", "--resume", "--budget", "100"}).code, 2);
}

TEST(Resume, WithARaisedBudgetEqualsAFreshRunAndAsksNothingTwice) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\", \"--log\", \"" + scratch.path("log") + "\"", "", 50));
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db"}).code, 0);
  const Ran raised =
      zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db", "--resume", "--budget", "90", "--json"});
  std::multiset<std::string> asked;
  std::istringstream log(scratch.read("log"));
  for (std::string line; std::getline(log, line);) asked.insert(line.substr(line.find("\"x\"")));
  for (const auto& question : asked) EXPECT_EQ(asked.count(question), 1u) << question;
  const Ran fresh = zeroth(scratch, {"solve", "p.toml", "-q", "--store", "b.db", "--budget", "90", "--json"});
  EXPECT_EQ(raised.code, 0) << raised.error;
  EXPECT_EQ(bits_of(raised), bits_of(fresh));
  EXPECT_EQ(zeroth(scratch, {"verify", "a.db"}).code, 0);
}

// `auto` chooses anew under another budget; what the smaller run measured is known to it all the same, and counts.
TEST(Resume, AutoWithARaisedBudgetKnowsWhatWasMeasured) {
  const Scratch scratch;
  const std::string text = problem_text("\"ok\", \"--log\", \"" + scratch.path("log") + "\"", "", 60);
  scratch.write("p.toml", std::string(text).replace(text.find("random"), 6, "auto"));
  const auto asked = [&] {
    const std::string log = scratch.read("log");
    return std::count(log.begin(), log.end(), '\n');
  };
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db"}).code, 0);
  const auto before = asked();
  const Ran raised = zeroth(scratch, {"solve", "p.toml", "--store", "a.db", "--resume", "--budget", "150", "--json"});
  EXPECT_EQ(raised.code, 0) << raised.error;
  EXPECT_EQ(raised.json()["carried"], before);
  EXPECT_LE(raised.json()["evaluations"], 150);
  EXPECT_EQ(raised.json()["evaluations"].get<std::int64_t>(), asked());
  EXPECT_THAT(raised.error, HasSubstr("are known from the start"));
  EXPECT_EQ(zeroth(scratch, {"verify", "a.db"}).code, 0);
  // Once more: the run with the larger budget is there, and nothing is evaluated.
  const auto all = asked();
  const Ran again =
      zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db", "--resume", "--budget", "150", "--json"});
  EXPECT_EQ(bits_of(again), bits_of(raised));
  EXPECT_EQ(asked(), all);
}

// Solvers of 0.1 asked other questions: an unfinished run of theirs cannot be replayed, and is taken as data.
TEST(Resume, AnUnfinishedRunOfAnEarlierVersionIsTakenAsData) {
  const Scratch scratch;
  const std::string text = problem_text("\"ok\", \"--log\", \"" + scratch.path("log") + "\"", "", 60);
  scratch.write("p.toml", std::string(text).replace(text.find("random"), 6, "auto"));
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db"}).code, 0);
  {
    Store store(scratch.path("a.db"), Store::Access::existing);
    store.connection().run("DELETE FROM answers WHERE number >= 40");
    store.connection().run("UPDATE runs SET status = 'running', result = NULL, version = '0.1.0'");
  }
  const Ran resumed = zeroth(scratch, {"solve", "p.toml", "--store", "a.db", "--resume", "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed.error;
  EXPECT_EQ(resumed.json()["carried"], 40);
  EXPECT_LE(resumed.json()["evaluations"], 60);
  EXPECT_THAT(resumed.error, HasSubstr("zeroth 0.1.0 made them, whose solvers asked other questions"));
}

// A run that was confirmed and then looked at again with more budget is never worse: its answer stays a candidate, and
// intervals hold whenever one stops, looks or goes on.
TEST(Resume, StepByStepIntervalsStillHold) {
  int covered = 0;
  constexpr int seeds = 12;
  for (int seed = 1; seed <= seeds; ++seed) {
    const Scratch scratch;
    scratch.write("p.toml",
                  "[problem]\nbuiltin = \"qcqp\"\nn = 2\nm = 1\nnoise_sd = 0.3\n[solver]\nname = \"auto\"\nseed = " +
                      std::to_string(seed) + "\n");
    bool always = true;
    for (const char* budget : {"60", "120", "240"}) {
      const Ran ran =
          zeroth(scratch, {"solve", "p.toml", "-q", "--store", "a.db", "--resume", "--budget", budget, "--json"});
      ASSERT_TRUE(ran.code == 0 || ran.code == 3 || ran.code == 4) << ran.error;
      const auto json = ran.json();
      const auto& interval = json["objective"]["interval"];
      const double truth = json["truth"]["objective"].get<double>();
      always = always && interval[0].get<double>() <= truth && truth <= interval[1].get<double>();
    }
    covered += always;
  }
  EXPECT_GE(covered, seeds - 2);  // each of three intervals at 95 %
}

TEST(Resume, AFinishedRunIsNotEvaluatedAgain) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\", \"--log\", \"" + scratch.path("log") + "\"", "", 30));
  const Ran first = zeroth(scratch, {"solve", "p.toml", "-q", "--json"});
  const std::string log = scratch.read("log");
  const Ran again = zeroth(scratch, {"solve", "p.toml", "-q", "--json", "--resume"});
  EXPECT_EQ(bits_of(first), bits_of(again));
  EXPECT_EQ(scratch.read("log"), log);
}

TEST(Resume, AKilledEvaluatorIsTriedAgain) {
  const Scratch scratch;
  scratch.write("p.toml", slow_problem(scratch));
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "--store", "whole.db", "--json", "-q"});
  std::filesystem::remove(scratch.path("log"));
  const Process process(scratch, {tool, "solve", "p.toml", "--store", "b.db", "--json", "-q"});
  wait_for_lines(scratch, "log", 10);
  const auto evaluators = children_of(process.pid());
  ASSERT_EQ(evaluators.size(), 1u);
  ::kill(evaluators[0], SIGKILL);
  EXPECT_EQ(bits_of(process.wait()), bits_of(whole));
}

}  // namespace
}  // namespace zeroth::testing_support
