// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string qcqp = "[problem]\nbuiltin = \"qcqp\"\nn = 3\n[solver]\nname = \"random\"\nbudget = 300\nwidth = 4\n";

TEST(CommandLine, PrintsTheResultAsJsonOnStdoutOnly) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  const Ran ran = zeroth(scratch, {"solve", "q.toml", "--json"});
  const auto json = ran.json();
  EXPECT_EQ(ran.code, json["feasibility"] == "infeasible" ? 3 : json["feasibility"] == "undecided" ? 4 : 0);
  for (const char* key : {"status", "solver", "x", "objective", "constraints", "kkt_residual", "evaluations", "failed",
                          "seconds", "seed", "version", "truth"})
    EXPECT_TRUE(json.contains(key)) << key;
  EXPECT_THAT(json["status"].get<std::string>(), testing::AnyOf("budget", "local", "undecided", "infeasible"));
  EXPECT_EQ(json["x"].size(), 3u);
  EXPECT_EQ(json["evaluations"], 300);
  EXPECT_GE(json["truth"]["gap"], -1e-6);
  EXPECT_THAT(ran.error, AllOf(HasSubstr("run 1 in zeroth.db"), Not(HasSubstr("\033"))));
}

TEST(CommandLine, DrawsAProgressLineOnATerminalAndKeepsColourOffWhenTold) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"error\", \"--every\", \"3\", \"--sleep\", \"0.01\"", "", 100));
  // `script` runs the tool on a terminal of its own and keeps what it draws.
  const auto drawn = [&](const std::string& environment) {
    run(scratch,
        {"env", "TERM=xterm", environment, "script", "-q", "-c",
         tool + std::string(" solve p.toml --json --store ") + environment + ".db", scratch.path("typescript")});
    return scratch.read("typescript");
  };
  const std::string coloured = drawn("NO_COLOR="), plain = drawn("NO_COLOR=1");
  for (const auto& text : {coloured, plain})
    EXPECT_THAT(text, AllOf(HasSubstr("\r\033[K"), HasSubstr("/100 ("), HasSubstr("ETA "), HasSubstr("best feasible"),
                            HasSubstr("  failed ")));
  EXPECT_THAT(coloured, HasSubstr("\033[33m"));
  EXPECT_THAT(plain, Not(HasSubstr("\033[33m")));
}

TEST(CommandLine, SameRunOnAnyNumberOfJobs) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  scratch.write("p.toml", problem_text("\"ok\"", "", 60, "width = 4\n"));
  for (const char* file : {"q.toml", "p.toml"}) {
    const std::string one = bits_of(zeroth(scratch, {"solve", file, "--json", "-q"}));
    EXPECT_THAT(one, HasSubstr("objective"));
    EXPECT_EQ(one, bits_of(zeroth(scratch, {"solve", file, "--json", "-q", "-j", "3"})));
  }
}

TEST(CommandLine, ExitCodes) {
  const Scratch scratch;
  scratch.write("q.toml", qcqp);
  EXPECT_EQ(zeroth(scratch, {}).code, 2);
  EXPECT_EQ(zeroth(scratch, {"--help"}).code, 0);
  EXPECT_EQ(zeroth(scratch, {"solve", "--help"}).code, 0);
  EXPECT_THAT(zeroth(scratch, {"--version"}).out, testing::StartsWith("zeroth "));
  EXPECT_EQ(zeroth(scratch, {"solve", "q.toml", "--bogus"}).code, 2);
  EXPECT_EQ(zeroth(scratch, {"solve", "q.toml", "--jobs", "many"}).code, 2);
  const Ran missing = zeroth(scratch, {"solve", "none.toml"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.error, HasSubstr("none.toml: cannot read this file"));
  const Ran negative = zeroth(scratch, {"solve", "q.toml", "--budget", "-5"});
  EXPECT_EQ(negative.code, 2);
  EXPECT_THAT(negative.error, HasSubstr("'budget' is -5"));
  scratch.write("bad.toml", problem_text("\"ok\"") + "x = [1\n");
  EXPECT_EQ(zeroth(scratch, {"solve", "bad.toml"}).code, 2);
  scratch.write("tight.toml", qcqp);
  const Ran undecided =
      zeroth(scratch, {"solve", "q.toml", "--json", "-q", "--budget", "8", "--set", "problem.noise_sd=1000"});
  EXPECT_EQ(undecided.code, 4) << undecided.out;
  EXPECT_EQ(undecided.json()["status"], "undecided");
  EXPECT_GT(undecided.json()["more_evaluations"], 8);
  scratch.write(
      "impossible.py",
      "import json, sys\nfor line in sys.stdin:\n    q = json.loads(line)\n"
      "    print(json.dumps({'id': q['id'], 'objective': q['x'][0], 'constraints': [1 + q['x'][0]]}), flush=True)\n");
  scratch.write("impossible.toml",
                "[problem]\ncommand = [\"python3\", \"impossible.py\"]\nconstraints = [\"c\"]\n"
                "[variables]\ncount = 1\nlower = 0\nupper = 1\n");
  const Ran infeasible = zeroth(scratch, {"solve", "impossible.toml", "--json", "-q", "--budget", "40"});
  EXPECT_EQ(infeasible.code, 3) << infeasible.out << infeasible.error;
  EXPECT_EQ(infeasible.json()["status"], "infeasible");
  EXPECT_NEAR(infeasible.json()["relaxation"][0]["amount"].get<double>(), 1, 0.05) << infeasible.out;
}

TEST(CommandLine, NamesAProgramThatIsNotThere) {
  const Scratch scratch;
  scratch.write("p.toml", "[problem]\ncommand = [\"./evaluate.py\"]\n[variables]\ncount = 1\nlower = 0\nupper = 1\n");
  EXPECT_THAT(zeroth(scratch, {"solve", "p.toml"}).error, AllOf(HasSubstr("p.toml:2"), HasSubstr("does not exist")));
  scratch.write("evaluate.py", "");
  EXPECT_THAT(zeroth(scratch, {"solve", "p.toml"}).error, HasSubstr("chmod +x"));
}

TEST(CommandLine, ARunWhereEverythingFailsStopsEarlyWithTheEvaluatorsWords) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"crash\"", "", 1000));
  const Ran ran = zeroth(scratch, {"solve", "p.toml", "-q"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.error, AllOf(HasSubstr("first 20 evaluations failed"), HasSubstr("signal 6"),
                               HasSubstr("about to fail by way of crash")));
  EXPECT_THAT(zeroth(scratch, {"runs"}).out, HasSubstr("failed"));
}

TEST(CommandLine, FailuresAreCountedByReason) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"error\", \"--every\", \"4\"", "", 100));
  const Ran ran = zeroth(scratch, {"solve", "p.toml", "-q"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_THAT(ran.out, HasSubstr(" x diverged"));
  EXPECT_THAT(zeroth(scratch, {"export"}).out, HasSubstr("about to fail by way of error"));
}

TEST(CommandLine, CheckExaminesAnEvaluator) {
  const Scratch scratch;
  scratch.write("good.toml", problem_text("\"ok\""));
  const Ran good = zeroth(scratch, {"check", "good.toml"});
  EXPECT_EQ(good.code, 0) << good.error;
  EXPECT_THAT(good.out,
              AllOf(HasSubstr("honoured"), HasSubstr("noise sd"), HasSubstr("rule of thumb"), HasSubstr("timeout")));
  scratch.write("deaf.toml", problem_text("\"unseeded\""));
  EXPECT_THAT(zeroth(scratch, {"check", "deaf.toml"}).out,
              AllOf(HasSubstr("ignored"), HasSubstr("common_noise = false")));
  scratch.write("bad.toml", problem_text("\"short\""));
  const Ran bad = zeroth(scratch, {"check", "bad.toml"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_THAT(bad.out, HasSubstr("1 numbers instead of 2"));
}

class Languages : public testing::TestWithParam<const char*> {};

TEST_P(Languages, InitWritesAnEvaluatorThatWorks) {
  const Scratch scratch;
  const std::string language = GetParam();
  ASSERT_EQ(zeroth(scratch, {"init", "--language", language}).code, 0);
  EXPECT_EQ(zeroth(scratch, {"init", "--language", language}).code, 2);  // never over what is there
  if (language == "c++") ASSERT_EQ(run(scratch, {"c++", "-O1", "-o", "evaluate", "evaluate.cpp"}).code, 0);
  if (language == "files") ASSERT_EQ(run(scratch, {"c++", "-O1", "-o", "simulate", "simulate.cpp"}).code, 0);
  if (language == "r")
    ASSERT_EQ(run(scratch, {"Rscript", "--version"}).code, 0) << "Rscript is missing: install the package r-base-core";
  const Ran checked = zeroth(scratch, {"check", "problem.toml", "--replicates", "4"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.error;
  EXPECT_THAT(checked.out, HasSubstr("honoured"));
  const Ran solved = zeroth(scratch, {"solve", "problem.toml", "--solver", "random", "--budget", "30", "--json", "-q"});
  EXPECT_TRUE(solved.code == 0 || solved.code == 3 || solved.code == 4) << solved.error;
  EXPECT_EQ(solved.json()["failed"], 0);
  EXPECT_EQ(solved.json()["evaluations"], 30);
}

INSTANTIATE_TEST_SUITE_P(All, Languages, testing::Values("python", "r", "shell", "c++", "files"));

class Examples : public testing::TestWithParam<const char*> {};

TEST_P(Examples, AreSolved) {
  const Scratch scratch;
  const std::string name = GetParam();
  if (name == "r")
    ASSERT_EQ(run(scratch, {"Rscript", "--version"}).code, 0) << "Rscript is missing: install the package r-base-core";
  const std::string file = std::string(ZEROTH_SOURCE_DIR) + "/examples/" + name + "/problem.toml";
  const Ran ran = zeroth(
      scratch, {"solve", file, "--solver", "random", "--budget", "60", "--json", "-q", "-j", "2", "--set", "width=2"});
  EXPECT_TRUE(ran.code == 0 || ran.code == 3 || ran.code == 4) << ran.error;
  EXPECT_EQ(ran.json()["failed"], 0) << ran.out;
  EXPECT_EQ(zeroth(scratch, {"verify"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::Values("python", "r", "shell"));

TEST(CommandLine, MpiGivesTheSameRunAndSurvivesSegfaults) {
  const Scratch scratch;
  ASSERT_EQ(run(scratch, {"mpirun", "--version"}).code, 0) << "mpirun is missing: install the package openmpi-bin";
  scratch.write("q.toml", qcqp);
  scratch.write("p.toml", problem_text("\"segfault\", \"--every\", \"6\"", "", 60, "width = 4\n"));
  for (const char* file : {"q.toml", "p.toml"}) {
    const Ran alone = zeroth(scratch, {"solve", file, "--json", "-q"});
    const std::string serial = bits_of(alone);
    const Ran ranks = run(scratch, {"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", tool, "solve", file,
                                    "--json", "-q", "--store", "mpi.db"});
    EXPECT_EQ(ranks.code, alone.code) << ranks.error;
    EXPECT_EQ(serial, bits_of(ranks)) << ranks.error;
  }
}

TEST(CommandLine, ListsAndDescribes) {
  const Scratch scratch;
  EXPECT_THAT(zeroth(scratch, {"list", "engines"}).out, AllOf(HasSubstr("processes"), HasSubstr("mpi")));
  EXPECT_THAT(zeroth(scratch, {"describe", "qcqp"}).out, HasSubstr("noise_form"));
  EXPECT_THAT(zeroth(scratch, {"describe", "random"}).out, AllOf(HasSubstr("batch"), HasSubstr("check_share")));
  const Ran unknown = zeroth(scratch, {"describe", "qcpq"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.error, HasSubstr("did you mean 'qcqp'?"));
}

// A file as it is understood: everything that can be said in it is said again.
TEST(CommandLine, DescribesAFileAsItIsUnderstood) {
  const Scratch scratch;
  scratch.write("p.toml", R"toml([problem]
name = "beam"
command = ["./simulate", "--fast"]
objective = "cvar(price, 0.9)"
constraints = ["probability(stress <= 3) >= 0.95", "mass"]
equalities = ["balance"]
direction = "minimize"
partial = true
timeout = 30.0
retries = 2
seed_bits = 31
linear = ["width <= 2*height"]
known = ["width*height <= 4"]
points = [1.0, 1.0, 1.0, 3.0]
[[variable]]
name = "width"
lower = 0.5
upper = 5.0
scale = "log"
[[variable]]
name = "height"
lower = 0.5
upper = 5.0
start = 1.5
[[variable]]
name = "material"
type = "categorical"
values = ["steel", "wood"]
[[variable]]
name = "screws"
type = "integer"
lower = 2
upper = 9
when = "material == 'wood'"
[cost]
objective = 100
stress = 2
mass = 1
balance = 1
[stop]
seconds = 60.0
[solver]
name = "trust-bo"
budget = 5200
width = 3
lag = 6
seed = 11
)toml");
  const Ran ran = zeroth(scratch, {"describe", "p.toml"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  for (const char* line :
       {"problem       beam: 4 variables, 2 constraints, 1 equalities",
        "evaluator     ./simulate --fast, protocol \"stream\", timeout 30 s, 2 retries",
        "width: real, from 0.5 to 5, on a log scale", "height: real, from 0.5 to 5, start 1.5",
        "material: categorical, one of steel, wood", "screws: integer, from 2 to 9, when material == 'wood'",
        "linear        width <= 2*height", "known         width*height <= 4", "seeds         below 2^31",
        "objective     minimize cvar(price, 0.9)", "constraints   probability(stress <= 3) >= 0.95",
        "              mass", "equalities    balance", "partial       the evaluator is told which functions are wanted",
        "cost          objective 100, stress 2, mass 1, balance 1; all together 104",
        "points        1 to evaluate first", "stop          seconds = 60",
        "solver        trust-bo, budget 5200 units of cost (50 evaluations of all functions), width 3, lag 6, seed 11"})
    EXPECT_THAT(ran.out, HasSubstr(std::string(line) + "\n"));
}

TEST(CommandLine, DescribesWhatAProgramReadsAndWrites) {
  const Scratch scratch;
  scratch.write("in.template", "w {width}\n");
  scratch.write("mesh.dat", "");
  scratch.write("p.toml", R"toml([problem]
command = ["./simulate"]
constraints = ["stress", "mass"]
protocol = "files"
[files]
template = "in.template"
input = "input.txt"
output = ["output.txt", "stdout"]
copy = ["mesh.dat"]
objective = 'cost = (\S+)'
[files.constraints]
stress = 'max stress: (\S+)'
[[variable]]
name = "width"
start = 2.0
spread = 0.5
)toml");
  const Ran ran = zeroth(scratch, {"describe", "p.toml"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  for (const char* line :
       {"evaluator     ./simulate, protocol \"files\"", "template      in.template filled in as input.txt",
        "copies        mesh.dat", "reads         output.txt, stdout", "              objective by cost = (\\S+)",
        "              stress by max stress: (\\S+)",
        "width: real, without bounds, searched from 2 outward, spread 0.5", "width 1, lag 0, seed 1"})
    EXPECT_THAT(ran.out, HasSubstr(std::string(line) + "\n"));
}

}  // namespace
}  // namespace zeroth::testing_support
