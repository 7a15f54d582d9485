// SPDX-License-Identifier: MIT
//
// Standard streams and signals as shells, schedulers and careless scripts leave them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "scratch.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

class Streams : public testing::Test {
 protected:
  void SetUp() override { scratch_.write("p.toml", problem_text("\"ok\"", "", 40, "")); }
  Ran shell(const std::string& words) const { return run(scratch_, {"bash", "-c", words}); }
  bool sound() const { return zeroth(scratch_, {"verify"}).code == 0; }
  const std::string solve_ = tool + " solve p.toml --json ";
  Scratch scratch_;
};

TEST_F(Streams, ProgressThatCannotBeWrittenIsNoReasonToStop) {
  for (const char* stream : {"2>/dev/full", "2>&-", "2> >(true)", "<&- 2>&-"}) {
    const Ran ran = shell(solve_ + stream);
    EXPECT_EQ(ran.code, 0) << stream;
    EXPECT_TRUE(ran.json().is_object()) << stream;
    EXPECT_TRUE(sound()) << stream;
  }
  EXPECT_EQ(shell("set -o pipefail; " + solve_ + " 2>&1 >/dev/null | true").code, 0);
}

TEST_F(Streams, ResultsThatCannotBeWrittenAreAnError) {
  shell(solve_);
  for (const std::string& words :
       {solve_ + ">/dev/full", solve_ + ">&-", tool + " solve p.toml >/dev/full", tool + " list >/dev/full",
        tool + " --help >/dev/full", tool + " runs >/dev/full", tool + " export >/dev/full",
        tool + " verify >/dev/full", tool + " report -o - >/dev/full", tool + " check p.toml >/dev/full",
        tool + " manual >/dev/full"}) {
    const Ran ran = shell(words);
    EXPECT_EQ(ran.code, 1) << words;
    EXPECT_THAT(ran.error, HasSubstr("stdout cannot be written")) << words;
  }
  EXPECT_TRUE(sound());
}

TEST_F(Streams, AFileThatMayNotGrowStopsTheRunResumably) {
  scratch_.write("p.toml", "[problem]\nbuiltin = \"qcqp\"\nn = 6\n[solver]\nname = \"random\"\nbudget = 1500\n");
  const Ran whole = shell(solve_ + "-q --store whole.db");
  const Ran ran = shell("ulimit -f 100; exec " + solve_ + "-q");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.error, AnyOf(HasSubstr("File too large"), HasSubstr("full")));
  EXPECT_EQ(bits_of(shell(solve_ + "-q --resume")), bits_of(whole));
}

Ran signalled(const Scratch& scratch, const std::string& before, int number) {
  scratch.write("slow.toml", problem_text("\"ok\", \"--sleep\", \"0.02\"", "", 60, ""));
  const Process process(scratch,
                        {"bash", "-c", before + "exec " + tool + " solve slow.toml --json -q --store slow.db"});
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  process.signal(number);
  return process.wait();
}

TEST_F(Streams, NohupIsRespected) {
  EXPECT_EQ(signalled(scratch_, "", SIGHUP).code, 130);
  EXPECT_EQ(signalled(scratch_, "trap '' HUP; ", SIGHUP).code, 0);
  EXPECT_EQ(signalled(scratch_, "trap '' INT; ", SIGINT).code, 0);
  EXPECT_EQ(signalled(scratch_, "trap '' TERM; ", SIGTERM).code, 130);  // whoever ends a job means it
}

}  // namespace
}  // namespace zeroth::testing_support
