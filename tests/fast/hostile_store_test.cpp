// SPDX-License-Identifier: MIT
//
// Stores that are damaged, made to harm, taken away, or kept where nothing can be written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/verify.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;

void change(const std::string& store, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(store.c_str(), &db), SQLITE_OK);
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  sqlite3_close(db);
}

class HostileStore : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("p.toml", problem_text("\"ok\""));
    ASSERT_THAT(zeroth(scratch_, {"solve", "p.toml", "-q"}).code, AnyOf(Eq(0), Eq(3), Eq(4)));
  }
  std::string db() const { return scratch_.path("zeroth.db"); }
  // Within the time of a test, by itself, with a promised exit code.
  Ran ends(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"timeout", "-s", "KILL", "40", tool});
    const Ran ran = run(scratch_, arguments);
    EXPECT_THAT(ran.code, AnyOf(Eq(0), Eq(1), Eq(2))) << ran.error;
    return ran;
  }
  Scratch scratch_;
};

constexpr const char* endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";

TEST_F(HostileStore, RepairOfOneThatComputesForEverEnds) {
  change(db(), std::string("ALTER TABLE runs RENAME TO old; CREATE VIEW runs AS ") + endless);
  EXPECT_THAT(ends({"verify"}).out, HasSubstr("NOT SOUND"));
  EXPECT_THAT(ends({"verify", "--repair"}).out, HasSubstr("0 runs"));
  EXPECT_THAT(ends({"runs"}).error, HasSubstr("is not the one that zeroth makes"));
}

TEST_F(HostileStore, NothingInTheSchemaActs) {
  change(db(), "ALTER TABLE runs ADD COLUMN big TEXT AS (hex(zeroblob(400000000)))");
  for (const char* command : {"runs", "verify", "export", "report"}) EXPECT_NE(ends({command}).code, 0) << command;
}

// Children of a page that all are the same page, level upon level: more rows than the file has bytes.
TEST_F(HostileStore, PagesThatLeadToOneAnotherEnd) {
  std::string bytes = scratch_.read("zeroth.db");
  const std::size_t size = 4096;
  int interior = 0;
  for (std::size_t page = 1; page < bytes.size() / size; ++page) {
    const std::size_t at = page * size;
    if (bytes[at] != 2 && bytes[at] != 5) continue;
    ++interior;
    const auto cells = static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 3]) * 256 +
                                                static_cast<unsigned char>(bytes[at + 4]));
    for (std::size_t k = 0; k < cells; ++k) {
      const auto offset = static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + 12 + 2 * k]) * 256 +
                                                   static_cast<unsigned char>(bytes[at + 13 + 2 * k]));
      const std::string self{0, 0, static_cast<char>((page + 1) >> 8), static_cast<char>(page + 1)};
      bytes.replace(at + offset, 4, self);
    }
  }
  EXPECT_GT(interior, 0) << "the store is too small for this test";
  scratch_.write("zeroth.db", bytes);
  for (const char* command : {"runs", "verify", "export", "report"}) ends({command});
  ends({"verify", "--repair"});
}

TEST_F(HostileStore, SizesThatItStatesAreNotBelieved) {
  for (const char* lie :
       {"UPDATE runs SET dimension = 1000000000000", "UPDATE runs SET dimension = -5",
        "UPDATE runs SET functions = 1000000000", "UPDATE answers SET number = 1000000000000 WHERE number = 5",
        "UPDATE answers SET number = -1 WHERE number = 5", "UPDATE trace SET x = zeroblob(800)",
        "UPDATE runs SET document = '[problem]\ncommand = [\"x\"]\n[variables]\ncount = 10000000\nlower = 0\nupper = "
        "1'"}) {
    const std::string before = scratch_.read("zeroth.db");
    change(db(), lie);
    for (const char* command : {"runs", "verify", "export", "report"}) {
      // A gigabyte for everything: whoever allocates what is claimed does not get through.
      const Ran ran =
          run(scratch_, {"bash", "-c", "ulimit -v 1500000; exec timeout -s KILL 40 " + tool + " " + command});
      EXPECT_THAT(ran.code, AnyOf(Eq(0), Eq(1), Eq(2))) << lie << ": " << command << ran.error;
      EXPECT_THAT(ran.error, Not(HasSubstr("bad_alloc"))) << lie;
    }
    scratch_.write("zeroth.db", before);
  }
}

TEST_F(HostileStore, DeepJsonAndDocumentsAreRefused) {
  const std::string deep(100'000, '[');
  change(db(), "UPDATE runs SET identity = '" + deep + "', names = '" + deep + "', result = '" + deep +
                   "', overrides = '" + deep + "'");
  change(db(), "UPDATE trace SET figures = '" + deep + std::string(100'000, ']') + "'");
  for (const char* command : {"runs", "verify", "export", "report"}) ends({command});
  ends({"export", "--json"});
  change(
      db(), "UPDATE runs SET overrides = '[]', document = '[" + [] {
        std::string dots = "a";
        for (int i = 0; i < 50'000; ++i) dots += ".a";
        return dots;
      }() + "]'");
  EXPECT_THAT(ends({"verify"}).out, HasSubstr("nested more deeply"));
}

TEST_F(HostileStore, TextThatIsNotUtf8IsReadAllTheSame) {
  change(db(), "UPDATE answers SET failure = CAST(x'c328ff' AS TEXT), \"values\" = NULL WHERE number = 2");
  Store store(db(), Store::Access::existing);
  store.each_answer(1, [](const StoredAnswer& a) {
    if (a.number == 2) EXPECT_EQ(a.answer.failure, "\xef\xbf\xbd(\xef\xbf\xbd");
  });
}

TEST_F(HostileStore, VerifySeesAPointThatWasChanged) {
  change(db(), "UPDATE answers SET x = (SELECT x FROM answers WHERE number = 8) WHERE number = 7");
  const Ran ran = zeroth(scratch_, {"verify"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("answer 7"), HasSubstr("another point")));
}

TEST(Repair, OfAFlippedValueDropsWhatDoesNotFollowAndResumes) {
  const Scratch scratch;
  std::string text = problem_text("\"ok\"", "", 120, "");
  text.replace(text.find("random"), 6, "adaptive-conex");
  scratch.write("p.toml", text);
  zeroth(scratch, {"solve", "p.toml", "-q"});
  change(scratch.path("zeroth.db"),
         "UPDATE answers SET \"values\" = x'000000000000244000000000000024400000000000002440' WHERE number = 20");
  const Ran repair = zeroth(scratch, {"verify", "--repair"});
  EXPECT_EQ(repair.code, 1);
  EXPECT_THAT(repair.out, AllOf(HasSubstr("were dropped"), HasSubstr("--resume")));
  {
    Store store(scratch.path("zeroth.db.repaired"), Store::Access::existing);
    EXPECT_EQ(store.runs().back().status, "interrupted");
    EXPECT_GT(store.answers(1), 20);
    EXPECT_LT(store.answers(1), 120);
  }
  const Ran resumed = zeroth(scratch, {"solve", "p.toml", "-q", "--resume", "--store", "zeroth.db.repaired"});
  EXPECT_THAT(resumed.code, AnyOf(Eq(0), Eq(3), Eq(4))) << resumed.error;
  const Ran sound = zeroth(scratch, {"verify", "zeroth.db.repaired"});
  EXPECT_EQ(sound.code, 0) << sound.out;
}

class TakenAway : public testing::TestWithParam<const char*> {};

TEST_P(TakenAway, DuringARunIsNoticed) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\", \"--sleep\", \"0.02\"", "", 200, ""));
  const Process process(scratch, {tool, "solve", "p.toml", "-q"});
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  const std::string how = GetParam(), path = scratch.path("zeroth.db");
  if (how == "deleted") std::filesystem::remove(path);
  else std::filesystem::rename(path, scratch.path("elsewhere.db"));
  if (how == "replaced") scratch.write("zeroth.db", "");
  const Ran ran = process.wait();
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.error, HasSubstr("was deleted, moved or replaced"));
}

INSTANTIATE_TEST_SUITE_P(All, TakenAway, testing::Values("deleted", "moved", "replaced"),
                         [](const auto& info) { return std::string(info.param); });

// As a user who may read but not write; the superuser may always.
Ran as_nobody(const Scratch& scratch, std::vector<std::string> arguments) {
  if (::geteuid() != 0) return zeroth(scratch, std::move(arguments));
  std::vector<std::string> words{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", tool};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(scratch, words);
}

TEST_F(HostileStore, ASoundOneInAReadOnlyDirectoryIsSound) {
  std::filesystem::create_directory(scratch_.path("place"));
  std::filesystem::copy(db(), scratch_.path("place/zeroth.db"));
  ::chmod(scratch_.path().c_str(), 0755);
  ::chmod(scratch_.path("place").c_str(), 0555);
  const Ran verify = as_nobody(scratch_, {"verify", "place/zeroth.db"});
  EXPECT_EQ(verify.code, 0) << verify.out << verify.error;
  EXPECT_THAT(verify.out, HasSubstr("place/zeroth.db: sound"));
  EXPECT_EQ(as_nobody(scratch_, {"runs", "place/zeroth.db"}).code, 0);
  EXPECT_EQ(as_nobody(scratch_, {"export", "place/zeroth.db"}).code, 0);
  EXPECT_EQ(as_nobody(scratch_, {"report", "place/zeroth.db", "-o", "-"}).code, 0);
  ::chmod(scratch_.path("place").c_str(), 0755);
}

// As root everything may be entered, so it is tried as nobody where that is possible.
TEST_F(HostileStore, InADirectoryThatMayNotBeEnteredIsNamedWithTheReason) {
  ASSERT_EQ(::mkdir(scratch_.path("closed").c_str(), 0), 0);
  ASSERT_EQ(::chmod(scratch_.path(".").c_str(), 0755), 0);
  for (const std::string command : {"solve p.toml -q --store", "runs", "verify", "export", "report"}) {
    std::vector<std::string> words{"sh", "-c", tool + " " + command + " closed/x.db"};
    if (::geteuid() == 0) words.insert(words.begin(), {"setpriv", "--reuid=65534", "--clear-groups"});
    const Ran ran = run(scratch_, words);
    EXPECT_THAT(ran.code, AnyOf(Eq(1), Eq(2))) << command;
    EXPECT_THAT(ran.error,
                AllOf(HasSubstr("closed/x.db: cannot open the store: Permission denied"), Not(HasSubstr("filesystem"))))
        << command;
  }
  ::chmod(scratch_.path("closed").c_str(), 0755);
}

TEST_F(HostileStore, AZeroByteInItsPathIsRefused) {
  EXPECT_THROW(Store(std::string("a\0b", 3), Store::Access::create), Error);
  EXPECT_FALSE(std::filesystem::exists("a"));
}

TEST_F(HostileStore, ReportNeverOverwritesAStore) {
  const std::string before = scratch_.read("zeroth.db");
  std::filesystem::copy(db(), scratch_.path("run.html"));
  std::filesystem::create_symlink("zeroth.db", scratch_.path("link.html"));
  std::filesystem::create_hard_link(db(), scratch_.path("hard.html"));
  for (const std::vector<std::string>& words : {std::vector<std::string>{"report", "zeroth.db", "-o", "zeroth.db"},
                                                {"report", "run.html"},
                                                {"report", "zeroth.db", "-o", "link.html"},
                                                {"report", "zeroth.db", "-o", "hard.html"},
                                                {"report", "zeroth.db", "-o", "zeroth.db-wal"}}) {
    const Ran ran = zeroth(scratch_, words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_THAT(ran.error, HasSubstr("will not be overwritten"));
  }
  EXPECT_EQ(scratch_.read("zeroth.db"), before);
  EXPECT_EQ(zeroth(scratch_, {"verify", "run.html"}).code, 0);
}

TEST_F(HostileStore, APageIsReplacedWholeOrNotAtAll) {
  scratch_.write("page.html", "old");
  ::chmod(scratch_.path("page.html").c_str(), 0600);
  EXPECT_EQ(zeroth(scratch_, {"report", "-o", "page.html"}).code, 0);
  EXPECT_THAT(scratch_.read("page.html"), HasSubstr("<!doctype html>"));
  struct stat status {};
  ::stat(scratch_.path("page.html").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  for (const auto& file : std::filesystem::directory_iterator(scratch_.path()))
    EXPECT_THAT(file.path().filename().string(), Not(HasSubstr(".zeroth-")));
  scratch_.write("page.html", "old");
  const Ran ran = run(scratch_, {"bash", "-c", "ulimit -f 8; exec " + tool + " report -o page.html"});
  EXPECT_NE(ran.code, 0);
  EXPECT_EQ(scratch_.read("page.html"), "old");
}

}  // namespace
}  // namespace zeroth::testing_support
