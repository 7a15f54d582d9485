// SPDX-License-Identifier: MIT
//
// Names and messages are data, wherever they come from: no output format may act on them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "scratch.hpp"
#include "traced.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/text.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> hostile_names{
    "`touch PWNED`",
    "\"; system(\"touch PWNED\"); \"",
    "'; system('touch PWNED'); '",
    "x\nsystem(\"touch PWNED\")\n",
    "x\\\nset output '|touch PWNED'",
    "@touch $(touch PWNED) ${PWNED}",
    "\"\n!touch PWNED\n\"",
    "</svg><script>alert(1)</script>{/Symbol a}_^&~@",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\xc2\x9b"
    "31m\xe2\x80\xae\xff\xfe",
    "=HYPERLINK(\"http://x\")",
    "@SUM(1)",
    "+1",
    "-1",
};

void set_names(const std::string& store, const std::string& run_name, const std::vector<std::string>& constraints) {
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(store.c_str(), &db), SQLITE_OK);
  sqlite3_stmt* update = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(db, "UPDATE runs SET name = ?, names = ?, solver = ?", -1, &update, nullptr), SQLITE_OK);
  const std::string names =
      nlohmann::json{{"variables", {"a", "k"}}, {"constraints", constraints}, {"equalities", nlohmann::json::array()}}
          .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  for (int column = 1; column <= 3; ++column) {
    const std::string& text = column == 2 ? names : run_name;
    sqlite3_bind_text(update, column, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  EXPECT_EQ(sqlite3_step(update), SQLITE_DONE);
  sqlite3_finalize(update);
  sqlite3_close(db);
}

// Pieces of hostile names in any order.
std::string random_name(Rng& rng) {
  static constexpr char letters[] =
      "`'\"\\\n\r\t$@!|;{}()<>&#%_^~=+- \x1b\x07\0"
      "ax1\xc2\x9b\xff";
  const std::string alphabet(letters, sizeof letters - 1);
  std::string name;
  const auto length = static_cast<std::size_t>(rng.uniform() * 24);
  for (std::size_t i = 0; i < length; ++i) {
    if (rng.uniform() < 0.15)
      name += hostile_names[static_cast<std::size_t>(rng.uniform() * static_cast<double>(hostile_names.size()))];
    else name += alphabet[static_cast<std::size_t>(rng.uniform() * static_cast<double>(alphabet.size()))];
  }
  return name;
}

class HostileNames : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("p.toml", problem_text("\"ok\"", "", 40));
    ASSERT_EQ(zeroth(scratch_, {"solve", "p.toml", "-q"}).code % 3, 0);
  }
  Scratch scratch_;
};

TEST_F(HostileNames, FiguresRunNothingButGnuplot) {
  Rng rng(19);
  std::vector<std::string> names = hostile_names;
  for (int i = 0; i < 10; ++i) names.push_back(random_name(rng));
  for (std::size_t i = 0; i + 1 < names.size(); i += 2) {
    set_names(scratch_.path("zeroth.db"), names[i], {names[i], names[i + 1]});
    const auto programs = programs_run_by(scratch_, {tool, "report", "--figures", "figures"});
    for (const std::string& program : programs)
      EXPECT_TRUE(program == "zeroth" || program.starts_with("gnuplot")) << program << " was run for\n"
                                                                         << names[i] << names[i + 1];
    EXPECT_TRUE(programs.contains("zeroth")) << scratch_.read("traced.out");
    for (const auto& file : std::filesystem::recursive_directory_iterator(scratch_.path())) {
      EXPECT_NE(file.path().filename(), "PWNED");
      if (file.path().extension() == ".svg")
        EXPECT_THAT(scratch_.read("figures/" + file.path().filename().string()), Not(HasSubstr("<script")));
    }
  }
}

// A name that was drawn is still the name that was given: nothing is lost by quoting.
TEST_F(HostileNames, AnOrdinaryQuoteIsDrawnAsItIs) {
  set_names(scratch_.path("zeroth.db"), "it's", {"it's", "100 % \"sure\""});
  ASSERT_EQ(zeroth(scratch_, {"report", "--figures", "figures"}).code, 0);
  EXPECT_THAT(scratch_.read("figures/it-s-constraints.svg"), AllOf(HasSubstr("it's"), HasSubstr("100 % \"sure\"")));
}

// What a terminal would act on: any control character.
MATCHER(IsPlainText, "") { return printable(arg) == arg; }

TEST_F(HostileNames, NothingReachesTheTerminal) {
  Rng rng(20);
  for (int i = 0; i < 12; ++i) {
    const std::string name = i < 3 ? hostile_names[static_cast<std::size_t>(7 + i)] : random_name(rng);
    set_names(scratch_.path("zeroth.db"), name, {name, name});
    for (const char* command : {"runs", "verify", "export"}) {
      const Ran ran = zeroth(scratch_, {command, "zeroth.db"});
      EXPECT_THAT(ran.out, IsPlainText()) << command;
      EXPECT_THAT(ran.error, IsPlainText()) << command;
    }
    const std::string rows = zeroth(scratch_, {"runs", "zeroth.db"}).out;
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 2) << "a name forged a line:\n" << rows;
  }
}

TEST_F(HostileNames, CellsOfCsvAreNeverFormulas) {
  set_names(scratch_.path("zeroth.db"), "=1+1", {"=cmd|' /C calc'!A0", "@SUM(1,2)"});
  const std::string head = zeroth(scratch_, {"export", "zeroth.db"}).out;
  EXPECT_THAT(head.substr(0, head.find('\n')), HasSubstr(",'=cmd|' /C calc'!A0,\"'@SUM(1,2)\","));
  ASSERT_EQ(zeroth(scratch_, {"report", "--figures", "figures"}).code, 0);
  EXPECT_THAT(scratch_.read("figures/1-1-constraints.csv"), HasSubstr("\n'=cmd"));
}

TEST_F(HostileNames, ThePageHoldsThemAsData) {
  set_names(scratch_.path("zeroth.db"), "</script><script>alert(1)</script>", {"<img src=x onerror=alert(1)>", "b"});
  ASSERT_EQ(zeroth(scratch_, {"report", "zeroth.db"}).code, 0);
  EXPECT_THAT(scratch_.read("zeroth.html"), AllOf(Not(HasSubstr("<script>alert")), Not(HasSubstr("<img src=x"))));
}

TEST(HostileMessages, OfAnEvaluatorAreShownNotObeyed) {
  const Scratch scratch;
  scratch.write("e.sh",
                "#!/bin/sh\nprintf '\\033[31mred\\377 stderr\\n' >&2\nread line\nprintf 'no \\033[2Jjson\\377\\n'\n");
  scratch.write("p.toml",
                "[problem]\ncommand = [\"sh\", \"e.sh\"]\nconstraints = [\"\\u001b[31mc\"]\nprotocol = "
                "\"once\"\n[[variable]]\nname = \"x\"\nlower = 0\nupper "
                "= 1\n[solver]\nname = \"random\"\nbudget = 20\n");
  for (const char* command : {"solve", "check"}) {
    const Ran ran = zeroth(scratch, {command, "p.toml"});
    EXPECT_EQ(ran.code, 1) << ran.error;
    EXPECT_THAT(ran.out, IsPlainText());
    EXPECT_THAT(ran.error, IsPlainText());
    EXPECT_THAT(ran.out + ran.error, HasSubstr("red"));
  }
  EXPECT_THAT(zeroth(scratch, {"export"}).out, IsPlainText());
}

TEST(Text, ValidUtf8) {
  EXPECT_EQ(valid_utf8("a\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "a\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(valid_utf8("\xff"), mark);
  EXPECT_EQ(valid_utf8("\xc3"), mark);
  EXPECT_EQ(valid_utf8("\xc0\xaf"), mark + mark);                        // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), mark + mark + mark);             // a surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // beyond Unicode
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes;
    for (int k = 0; k < 12; ++k) bytes += static_cast<char>(static_cast<int>(256 * rng.uniform()));
    const std::string valid = valid_utf8(bytes);
    EXPECT_EQ(valid_utf8(valid), valid);
    EXPECT_NO_THROW((void)nlohmann::json(valid).dump());  // which refuses what is not UTF-8
    EXPECT_EQ(printable(printable(bytes)), printable(bytes));
    EXPECT_EQ(one_line(bytes).find_first_of("\n\r\t\x1b"), std::string::npos);
    const std::string cell = csv_cell(bytes);
    if (!cell.empty()) EXPECT_EQ(std::string("=+-@\t").find(cell[0] == '"' ? cell[1] : cell[0]), std::string::npos);
  }
}

}  // namespace
}  // namespace zeroth::testing_support
