// SPDX-License-Identifier: MIT
//
// When the machine or the session lacks something: an error before the run, fewer workers, or a stop that can be
// resumed. Never a hang, and never an answer that says that the evaluator failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <thread>

#include "scratch.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

// A shell sets the limits, then becomes the program. `timeout` turns a hang into a failure.
Ran limited(const Scratch& scratch, const std::string& limits, const std::string& arguments) {
  return run(scratch, {"bash", "-c", limits + "; exec timeout -s KILL 60 " + tool + " " + arguments});
}

std::string wide_problem(const std::string& evaluator_arguments, const std::string& more = "") {
  return problem_text(evaluator_arguments, more, 60, "width = 24\n");
}

TEST(Limits, MoreJobsThanAQuarterOfTheOpenFilesRun) {
  const Scratch scratch;
  scratch.write("p.toml", wide_problem("\"ok\""));
  const Ran few = limited(scratch, ":", "solve p.toml -q --json --store few.db --jobs 2");
  const Ran many = limited(scratch, "ulimit -Sn 64", "solve p.toml -q --json --store many.db --jobs 24");
  EXPECT_EQ(many.code, few.code) << many.error;
  EXPECT_EQ(bits_of(many), bits_of(few));
}

// Evaluators that close all descriptors, or use select(), must find the limit that the user set.
TEST(Limits, EvaluatorsKeepTheUsersLimit) {
  const Scratch scratch;
  scratch.write("e.sh", "ulimit -n > limit; exec " + test_evaluator + " ok\n");
  std::string text = wide_problem("\"ok\"");
  const std::string command = "\"" + test_evaluator + "\", \"ok\"";
  text.replace(text.find(command), command.size(), "\"bash\", \"e.sh\"");
  scratch.write("p.toml", text);
  EXPECT_THAT(limited(scratch, "ulimit -Sn 64", "solve p.toml -q --jobs 24").code, AnyOf(0, 3, 4));
  EXPECT_EQ(scratch.read("limit"), "64\n");
}

TEST(Limits, TooManyJobsAreRefusedBeforeTheRun) {
  const Scratch scratch;
  scratch.write("p.toml", wide_problem("\"ok\""));
  const Ran ran = limited(scratch, "ulimit -n 64", "solve p.toml -q --jobs 24");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.error, AllOf(HasSubstr("open files"), HasSubstr("ulimit"), HasSubstr("at most 8")));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("zeroth.db")));
}

TEST(Limits, WhoGetsNoDescriptorsLeavesTheWorkToTheOthers) {
  const Scratch scratch;
  scratch.write("p.toml", wide_problem("\"ok\"", "protocol = \"once\""));
  const Ran free = limited(scratch, ":", "solve p.toml -q --json --store free.db --jobs 8");
  // Descriptors that the shell leaves open take the room that starting the eighth process would need.
  const Ran tight = limited(scratch, "for i in {10..32}; do eval \"exec $i</dev/null\"; done; ulimit -n 64",
                            "solve p.toml -q --json --store tight.db --jobs 8");
  EXPECT_EQ(tight.code, free.code) << tight.error;
  EXPECT_EQ(tight.json()["failed"], 0);
  EXPECT_EQ(bits_of(tight), bits_of(free));
}

TEST(Limits, NothingLeftStopsTheRunResumably) {
  const Scratch scratch;
  scratch.write("p.toml", wide_problem("\"ok\", \"--sleep\", \"0.05\"", "protocol = \"once\""));
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "-q", "--json", "--store", "whole.db"});
  const Process process(scratch, {tool, "solve", "p.toml", "--jobs", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  const rlimit nothing{12, 12};
  ASSERT_EQ(::prlimit(process.pid(), RLIMIT_NOFILE, &nothing, nullptr), 0);
  const Ran stopped = process.wait();
  EXPECT_EQ(stopped.code, 1);
  EXPECT_THAT(stopped.error, AllOf(HasSubstr("cannot make pipes: Too many open files"), HasSubstr("--resume")));
  {
    Store store(scratch.path("zeroth.db"), Store::Access::existing);
    EXPECT_EQ(store.runs().back().status, "interrupted");
    EXPECT_GT(store.answers(1), 0);
    store.each_answer(1, [](const StoredAnswer& a) { EXPECT_FALSE(a.answer.failed()) << a.answer.failure; });
  }
  const Ran resumed = zeroth(scratch, {"solve", "p.toml", "-q", "--json", "--resume"});
  EXPECT_EQ(bits_of(resumed), bits_of(whole));
}

TEST(Limits, ADirectoryAsCommandIsNamed) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch.path("here"));
  scratch.write("p.toml", "[problem]\ncommand = [\"./here\"]\n[[variable]]\nname = \"x\"\nlower = 0\nupper = 1\n");
  const Ran ran = zeroth(scratch, {"check", "p.toml"});
  EXPECT_NE(ran.code, 0);
  EXPECT_THAT(ran.out + ran.error, AllOf(HasSubstr("here"), HasSubstr("is a directory")));
}

}  // namespace
}  // namespace zeroth::testing_support
