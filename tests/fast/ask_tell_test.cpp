// SPDX-License-Identifier: MIT
//
// A run whose evaluations are made by others: real processes that ask and tell, one after the other, at once, and
// killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <thread>

#include "scratch.hpp"

namespace zeroth::testing_support {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(line);
  return lines;
}

std::vector<Json> asked(const Ran& ran) {
  EXPECT_EQ(ran.code, 0) << ran.error;
  std::vector<Json> questions;
  for (const auto& line : lines_of(ran.out)) questions.push_back(Json::parse(line));
  return questions;
}

// What the evaluator of the problem file says: questions are lines of its protocol.
std::vector<std::string> answers_to(const Scratch& scratch, const std::string& questions) {
  scratch.write("questions", questions);
  const Ran ran = run(scratch, {"sh", "-c", test_evaluator + " ok < questions"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  return lines_of(ran.out);
}

Ran tell(const Scratch& scratch, const std::vector<std::string>& answers, const std::string& name = "answers") {
  std::string text;
  for (const auto& line : answers) text += line + "\n";
  scratch.write(name, text);
  return zeroth(scratch, {"tell", name, "--store", "by-hand.db"});
}

std::vector<std::string> ask_words(int count) {
  return {"ask", "p.toml", "-n", std::to_string(count), "--store", "by-hand.db"};
}

class AskTell : public testing::Test {
 protected:
  AskTell() { scratch.write("p.toml", problem_text("\"ok\"", "", 40, "width = 4\n")); }
  Ran ask(int count) { return zeroth(scratch, ask_words(count)); }
  std::string result(const std::string& file = "p.toml") {
    return bits_of(zeroth(scratch, {"ask", file, "--store", "by-hand.db", "--result", "--json"}));
  }
  std::string solved() { return bits_of(zeroth(scratch, {"solve", "p.toml", "--store", "solved.db", "--json", "-q"})); }
  Scratch scratch;
};

TEST_F(AskTell, IsTheRunThatSolveMakes) {
  for (int round = 0; round < 100; ++round) {
    const Ran ran = ask(3);
    if (lines_of(ran.out).empty()) break;
    auto answers = answers_to(scratch, ran.out);
    std::ranges::reverse(answers);                                                  // any order
    for (const auto& answer : answers) ASSERT_EQ(tell(scratch, {answer}).code, 0);  // one at a time
  }
  EXPECT_EQ(result(), solved());
  EXPECT_EQ(zeroth(scratch, {"verify", "by-hand.db"}).code, 0);
  EXPECT_THAT(ask(1).error, HasSubstr("is done"));
}

TEST_F(AskTell, HandsOutEveryQuestionOnceAndNoMoreThanTheWidth) {
  const auto first = asked(ask(3)), second = asked(ask(3)), third = asked(ask(3));
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(second.size(), 1u);
  EXPECT_TRUE(third.empty());
  std::set<std::int64_t> ids;
  for (const auto& list : {first, second})
    for (const Json& q : list) ids.insert(q["id"].get<std::int64_t>());
  EXPECT_EQ(ids.size(), 4u);
  EXPECT_THAT(zeroth(scratch, {"runs", "by-hand.db"}).out, HasSubstr("waiting"));
  EXPECT_EQ(asked(zeroth(scratch, {"ask", "p.toml", "--again", "--store", "by-hand.db"})).size(), 4u);
}

TEST_F(AskTell, AWithdrawnQuestionIsAskedAgainUnderItsId) {
  const auto first = asked(ask(4));
  const std::string id = first[2]["id"].dump();
  EXPECT_EQ(zeroth(scratch, {"tell", "--store", "by-hand.db", "--withdraw", id}).code, 0);
  const auto again = asked(ask(4));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0], first[2]);
  EXPECT_EQ(tell(scratch, answers_to(scratch, again[0].dump() + "\n")).code, 0);
  const Ran late = zeroth(scratch, {"tell", "--store", "by-hand.db", "--withdraw", id});
  EXPECT_EQ(late.code, 2);
  EXPECT_THAT(late.error, HasSubstr("has its answer already"));
}

TEST_F(AskTell, AnswersToldTwiceDoNoHarmAndTheFirstStays) {
  const auto answers = answers_to(scratch, ask(2).out);
  EXPECT_EQ(tell(scratch, answers).code, 0);
  EXPECT_THAT(tell(scratch, answers).error, HasSubstr("0 answers kept, 2 known already"));
  Json other = Json::parse(answers[0]);
  other["objective"] = 1e9;
  const Ran ran = tell(scratch, {other.dump()});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.error, HasSubstr("had another answer already, which stays"));
  EXPECT_THAT(zeroth(scratch, {"export", "by-hand.db"}).out, testing::Not(HasSubstr("1000000000")));
}

TEST_F(AskTell, RefusesWhatItCannotReadAndKeepsNothingOfIt) {
  const auto answers = answers_to(scratch, ask(2).out);
  for (const auto& [line, complaint] : std::vector<std::pair<std::string, std::string>>{
           {"hello", "answers:2: is not a JSON object"},
           {R"({"objective":1,"constraints":[0,0]})", "has no \"id\""},
           {R"({"id":999,"objective":1,"constraints":[0,0]})", "there is no question 999"},
           {R"({"id":2,"objective":1,"constraints":[0]})", "\"constraints\" has 1 numbers instead of 2"},
           {R"({"id":2,"objective":"high","constraints":[0,0]})", "\"objective\" is not a number"}}) {
    const Ran ran = tell(scratch, {answers[0], line});
    EXPECT_EQ(ran.code, 2) << line;
    EXPECT_THAT(ran.error, HasSubstr(complaint));
  }
  EXPECT_THAT(zeroth(scratch, {"runs", "by-hand.db"}).out, HasSubstr(" 0 "));
  EXPECT_THAT(tell(scratch, answers).error, HasSubstr("2 answers kept"));
  EXPECT_THAT(tell(scratch, {}).error, HasSubstr("holds no answers"));
}

TEST_F(AskTell, AFailedExperimentIsAnAnswer) {
  const auto questions = asked(ask(1));
  EXPECT_EQ(tell(scratch, {Json{{"id", questions[0]["id"]}, {"error", "the probe broke"}}.dump()}).code, 0);
  EXPECT_THAT(zeroth(scratch, {"export", "by-hand.db"}).out, HasSubstr("the probe broke"));
}

// A laboratory has no command at all: it fills in a table.
TEST_F(AskTell, ATableIsFilledInByHand) {
  scratch.write("p.toml",
                "[problem]\nconstraints = [\"p\"]\ndirection = \"maximize\"\n[[variable]]\nname = \"dose\"\nlower = "
                "0\nupper = 10\n[solver]\nname = \"random\"\nbudget = 12\nwidth = 2\n");
  EXPECT_EQ(zeroth(scratch, {"solve", "p.toml"}).code, 2);
  for (int round = 0; round < 50; ++round) {
    auto words = ask_words(2);
    words.emplace_back("--csv");
    const auto rows = lines_of(zeroth(scratch, words).out);
    if (rows.empty()) break;
    EXPECT_EQ(rows[0], "id,dose,seed,objective,p,error");
    std::vector<std::string> filled{rows[0]};
    for (std::size_t k = 1; k < rows.size(); ++k) {
      std::vector<std::string> cells;
      std::istringstream row(rows[k]);
      for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
      const double dose = std::stod(cells[1]);
      filled.push_back(cells[0] + "," + cells[1] + "," + cells[2] + "," + std::to_string(dose * (8 - dose)) + "," +
                       std::to_string(dose - 7) + ",");
    }
    if (filled.size() == 3 && round == 0) {
      auto half = filled;
      half[2] = half[2].substr(0, half[2].find(',')) + ",,,,,";  // not measured yet
      EXPECT_THAT(tell(scratch, half).error, HasSubstr("1 answer kept"));
    }
    EXPECT_EQ(tell(scratch, filled).code, 0);
  }
  const Json answer = Json::parse(result());
  EXPECT_EQ(answer["evaluations"], 12);
  EXPECT_GT(answer["objective"]["mean"], 10);
  EXPECT_EQ(zeroth(scratch, {"verify", "by-hand.db"}).code, 0);
}

// Workers that ask, evaluate and tell side by side, and are killed now and then.
TEST_F(AskTell, ManyProcessesAtOnceAndKilledOnesGiveTheSameRun) {
  scratch.write("work.sh", "for round in $(seq 200); do\n  " + tool +
                               " ask p.toml --store by-hand.db > $1.q 2> $1.e || exit 1\n  if grep -q 'is done' $1.e; "
                               "then exit 0; fi\n  " +
                               test_evaluator + " ok < $1.q > $1.a || exit 2\n  if test -s $1.a; then " + tool +
                               " tell $1.a --store by-hand.db || exit 3; fi\ndone\nexit 4\n");
  // One dies between asking and telling: its question waits until it is withdrawn.
  asked(ask(1));
  for (int k = 0; k < 3; ++k) {
    auto words = ask_words(1);
    words.insert(words.begin(), tool);
    const Process killed(scratch, words);
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * k));
    killed.signal(SIGKILL);
    killed.wait();
  }
  for (const Json& q : asked(zeroth(scratch, {"ask", "p.toml", "--again", "--store", "by-hand.db"})))
    EXPECT_EQ(zeroth(scratch, {"tell", "--store", "by-hand.db", "--withdraw", q["id"].dump()}).code, 0);
  std::vector<std::unique_ptr<Process>> workers;
  for (const char* name : {"one", "two", "three"})
    workers.push_back(std::make_unique<Process>(scratch, std::vector<std::string>{"sh", "work.sh", name}));
  for (const auto& worker : workers) {
    const Ran ran = worker->wait();
    EXPECT_EQ(ran.code, 0) << ran.error;
  }
  EXPECT_EQ(result(), solved());
}

TEST_F(AskTell, WhatWasAskedByHandIsFinishedBySolve) {
  EXPECT_EQ(tell(scratch, answers_to(scratch, ask(4).out)).code, 0);
  const auto open = ask(2).out;
  const Ran finished = zeroth(scratch, {"solve", "p.toml", "--store", "by-hand.db", "--resume", "--json", "-q"});
  EXPECT_EQ(bits_of(finished), solved());
  EXPECT_THAT(tell(scratch, answers_to(scratch, open)).error, HasSubstr("2 known already"));
}

TEST_F(AskTell, WithALagMoreQuestionsWait) {
  scratch.write("p.toml", problem_text("\"ok\"", "", 40, "width = 2\nlag = 5\n"));
  auto open = asked(ask(100));
  ASSERT_EQ(open.size(), 6u);  // with two more, six would follow the oldest
  // The newest first: nothing follows from it before its turn comes.
  EXPECT_EQ(tell(scratch, answers_to(scratch, open[5].dump() + "\n")).code, 0);
  EXPECT_TRUE(asked(ask(100)).empty());
  std::string oldest;
  for (int k = 0; k < 2; ++k) oldest += open[static_cast<std::size_t>(k)].dump() + "\n";
  EXPECT_EQ(tell(scratch, answers_to(scratch, oldest)).code, 0);
  EXPECT_EQ(asked(ask(100)).size(), 2u);
  for (int round = 0; round < 100; ++round) {
    const Ran waiting = zeroth(scratch, {"ask", "p.toml", "--again", "--store", "by-hand.db", "-q"});
    if (waiting.out.empty() && ask(100).out.empty()) break;
    const auto answers = answers_to(scratch, waiting.out);
    if (!answers.empty()) {
      ASSERT_EQ(tell(scratch, {answers.back()}).code, 0);
    }
    ask(100);
  }
  EXPECT_EQ(result(), solved());
}

}  // namespace
}  // namespace zeroth::testing_support
