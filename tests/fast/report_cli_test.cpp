// SPDX-License-Identifier: MIT
//
// zeroth report, completion and manual as people call them, the latter two with the real shells and man.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "zeroth/catalog/catalog.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string qcqp =
    "[problem]\nname = \"under_score\"\nbuiltin = \"qcqp\"\nn = 2\n[solver]\nname = \"adaptive-conex\"\nbudget = 150\n";

TEST(ReportCommand, WritesAPageBesideTheStore) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  zeroth(scratch, {"solve", "q.toml", "-q"});
  const Ran ran = zeroth(scratch, {"report"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(ran.out, "zeroth.html\n");
  EXPECT_THAT(scratch.read("zeroth.html"),
              AllOf(HasSubstr("<!doctype html>"), HasSubstr("under_score"), HasSubstr("uPlot")));
  EXPECT_EQ(zeroth(scratch, {"report", "zeroth.db", "-o", "-"}).out.substr(0, 15), "<!doctype html>");
}

TEST(ReportCommand, BadInputIsNamed) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  EXPECT_THAT(zeroth(scratch, {"report", "none.db"}).error, HasSubstr("none.db: there is no store here"));
  EXPECT_EQ(zeroth(scratch, {"report", "none.db"}).code, 2);
  EXPECT_EQ(zeroth(scratch, {"report", "--port", "80"}).code, 2);
  zeroth(scratch, {"solve", "q.toml", "-q"});
  EXPECT_THAT(zeroth(scratch, {"report", "--run", "7"}).error, HasSubstr("there is no run 7"));
  EXPECT_THAT(zeroth(scratch, {"report", "-o", "no/such/place.html"}).error,
              HasSubstr("no/such/place.html: cannot be written"));
  EXPECT_THAT(zeroth(scratch, {"report", "--figures", "q.toml"}).error, HasSubstr("--figures"));
}

TEST(ReportCommand, FiguresForPaper) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  for (const char* seed : {"1", "2", "3"}) zeroth(scratch, {"solve", "q.toml", "-q", "--seed", seed});
  zeroth(scratch, {"solve", "q.toml", "-q", "--solver", "random"});
  const Ran ran = zeroth(scratch, {"report", "--figures", "figures"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_EQ(ran.error, "");
  for (const char* kind : {"convergence", "constraints", "multipliers"}) {
    const std::string stem = std::string("figures/under-score-") + kind;
    EXPECT_THAT(ran.out, HasSubstr(stem + ".svg\n"));
    EXPECT_THAT(scratch.read(stem + ".svg"), HasSubstr("</svg>"));
    EXPECT_EQ(scratch.read(stem + ".pdf").substr(0, 5), "%PDF-");
    EXPECT_THAT(scratch.read(stem + ".csv"), HasSubstr("panel,solver,evaluations,mean"));
    EXPECT_THAT(scratch.read(stem + ".gnuplot"), HasSubstr("filledcurves"));
  }
  EXPECT_THAT(scratch.read("figures/under-score-convergence.csv"),
              AllOf(HasSubstr(",adaptive-conex,"), HasSubstr(",random,")));
}

// A bash that has sourced the completion and is asked what it would offer after `words`.
std::string offered(const Scratch& scratch, const std::string& words) {
  return run(scratch, {"bash", "-c",
                       "source <(" + tool + " completion bash); COMP_WORDS=(" + words +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _zeroth; printf '%s\\n' \"${COMPREPLY[@]}\""})
      .out;
}

TEST(Completion, Bash) {
  const Scratch scratch;
  scratch.write("problem.toml", qcqp);
  EXPECT_EQ(offered(scratch, "zeroth rep"), "report\nreproduce\n");
  EXPECT_EQ(offered(scratch, "zeroth solve prob"), "problem.toml\n");
  EXPECT_EQ(offered(scratch, "zeroth solve problem.toml --jo"), "--jobs\n");
  EXPECT_EQ(offered(scratch, "zeroth solve problem.toml --solver adaptive"), "adaptive-conex\n");
  EXPECT_EQ(offered(scratch, "zeroth completion ''"), "bash\nzsh\nfish\n");
  for (const auto& entry : solvers()) EXPECT_THAT(offered(scratch, "zeroth describe ''"), HasSubstr(entry.name + "\n"));
}

TEST(Completion, Fish) {
  const Scratch scratch;
  scratch.write("z.fish", zeroth(scratch, {"completion", "fish"}).out);
  const auto offers = [&](const std::string& line) {
    return run(scratch, {"fish", "--no-config", "-c", "source z.fish; complete -C '" + line + "'"}).out;
  };
  EXPECT_THAT(offers("zeroth rep"), AllOf(HasSubstr("report\t"), HasSubstr("reproduce\t")));
  EXPECT_THAT(offers("zeroth solve --solver adaptive"), HasSubstr("adaptive-conex"));
  EXPECT_THAT(offers("zeroth report --fig"), HasSubstr("--figures\t"));
  EXPECT_THAT(offers("zeroth list "), AllOf(HasSubstr("problems"), Not(HasSubstr("z.fish"))));
}

// zsh's own completion functions need a terminal; what ours hands to them does not.
TEST(Completion, Zsh) {
  const Scratch scratch;
  scratch.write("_zeroth", zeroth(scratch, {"completion", "zsh"}).out);
  const auto hands_over = [&](const std::string& words, int current) {
    const Ran ran = run(scratch, {"zsh", "-f", "-c",
                                  "compdef() { }; _arguments() { print -l -- \"$@\" }; _describe() { print -l -- "
                                  "${(P)2} }; source ./_zeroth; words=(" +
                                      words + "); CURRENT=" + std::to_string(current) + "; _zeroth"});
    EXPECT_EQ(ran.error, "");
    return ran.out;
  };
  EXPECT_THAT(hands_over("zeroth ''", 2), AllOf(HasSubstr("solve:Optimise"), HasSubstr("report:A page")));
  EXPECT_THAT(hands_over("zeroth solve --solver ''", 4), AllOf(HasSubstr("--solver["), HasSubstr("adaptive-conex")));
  EXPECT_THAT(hands_over("zeroth report ''", 3), HasSubstr("1:DB:_files"));
}

TEST(Manual, NamesEveryCommandAndManReadsIt) {
  const Scratch scratch;
  scratch.write("zeroth.1", zeroth(scratch, {"manual"}).out);
  const Ran ran = run(scratch, {"man", "--warnings", "-l", "zeroth.1"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.error, "");
  for (const char* words : {"zeroth solve", "--timeout-total", "zeroth report", "--figures", "EXIT STATUS", "130"})
    EXPECT_THAT(ran.out, HasSubstr(words));
}

}  // namespace
}  // namespace zeroth::testing_support
