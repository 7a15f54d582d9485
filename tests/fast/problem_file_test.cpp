// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

ResolvedProblem read(const std::string& text, std::vector<std::pair<std::string, std::string>> overrides = {}) {
  return resolve(ProblemSource{"p.toml", text, std::move(overrides), 0}, false);
}

std::string refusal(const std::string& text, std::vector<std::pair<std::string, std::string>> overrides = {}) {
  try {
    read(text, std::move(overrides));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

const std::string head = "[problem]\ncommand = [\"./e\"]\nconstraints = [\"c\"]\n";     // lines 1 to 3
const std::string variable = "[[variable]]\nname = \"a\"\nlower = 0.5\nupper = 2.0\n";  // lines 4 to 7
const std::string solver = "[solver]\nname = \"random\"\nbudget = 50\n";                // lines 8 to 10

TEST(ProblemFile, IsReadWhole) {
  const auto p = read(
      "[problem]\nname = \"sampler\"\ncommand = [\"./e\", \"--fast\"]\nconstraints = [\"c\", \"d\"]\nequalities = 1\n"
      "protocol = \"once\"\ncommon_noise = true\ndirection = \"maximize\"\ntimeout = 2.5\nretries = 3\n" +
      variable +
      "scale = \"log\"\nstart = 1.0\n[[variable]]\nname = \"k\"\ntype = \"integer\"\nlower = 1\nupper = 9\n" +
      "[[variable]]\nname = \"b\"\ntype = \"binary\"\n[constants]\nL = 2.0\nM = [1, 2, 3, 4]\nmultiplier_bound = 7\n" +
      "[solver]\nname = \"random\"\nbudget = 50\nseed = 9\nwidth = 4\nbatch = 2\n");
  EXPECT_EQ(p.name, "sampler");
  EXPECT_EQ(p.spec.constraints, 2);
  EXPECT_EQ(p.spec.equalities, 1);
  EXPECT_EQ(p.equality_names, std::vector<std::string>{"h1"});
  EXPECT_TRUE(p.spec.common_noise);
  EXPECT_TRUE(p.maximize && p.evaluator->maximize);
  EXPECT_FALSE(p.evaluator->stream);
  EXPECT_EQ(p.evaluator->timeout, 2.5);
  EXPECT_EQ(p.evaluator->retries, 3);
  EXPECT_EQ(p.spec.integer, (std::vector<bool>{false, true, true}));
  EXPECT_NEAR(p.spec.start[0], 0.5, 1e-12);  // 1 is the geometric mean of 0.5 and 2
  EXPECT_EQ(p.spec.constants->L, Vector::Constant(4, 2.0));
  EXPECT_EQ(p.spec.constants->M[3], 4);
  EXPECT_EQ(p.spec.constants->multiplier_bound, 7);
  EXPECT_EQ(p.spec.budget, 50);
  EXPECT_EQ(p.spec.width, 4);
  EXPECT_EQ(p.run.seed, 9);
}

TEST(ProblemFile, NeedsACommandOnlyToBeRun) {
  const ProblemSource source{"p.toml", "[problem]\nname = \"x\"\n" + variable + solver, {}, 0};
  EXPECT_NO_THROW(resolve(source, false));  // questions may be answered by other means
  try {
    resolve(source, true);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), StartsWith("p.toml:1"));
    EXPECT_THAT(e.what(), HasSubstr("'command' (your program) or 'builtin'"));
  }
}

struct Slip {
  std::string text, place, words;
};
class Slips : public testing::TestWithParam<Slip> {};

TEST_P(Slips, AreNamedWithPlaceAndRemedy) {
  const std::string said = refusal(GetParam().text);
  EXPECT_THAT(said, StartsWith(GetParam().place));
  EXPECT_THAT(said, HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    All, Slips,
    testing::Values(
        Slip{"[problem\n", "p.toml:1", "not valid TOML"}, Slip{"budget = 3\n", "p.toml:1", "outside any section"},
        Slip{"[problme]\n", "p.toml:1", "did you mean [problem]?"},
        Slip{"[solver]\nname = \"random\"\n", "p.toml", "no [problem] section"},
        Slip{"[problem]\ncommand = \"./e\"\n" + variable, "p.toml:2", "must be a list of texts"},
        Slip{"[problem]\ncommand = []\n" + variable, "p.toml:2", "must be a list such as"},
        Slip{"[problem]\ncommand = [\"./e\"]\nconstrains = 2\n" + variable, "p.toml:3", "did you mean 'constraints'?"},
        Slip{"[problem]\ncommand = [\"./e\"]\nconstraints = -1\n" + variable, "p.toml:3", "'constraints' is -1"},
        Slip{"[problem]\ncommand = [\"./e\"]\nconstraints = [\"c\", \"c\"]\n" + variable, "p.toml:3", "twice"},
        Slip{"[problem]\ncommand = [\"./e\"]\nprotocol = \"pipe\"\n" + variable, "p.toml:3", "one of stream, once"},
        Slip{"[problem]\ncommand = [\"./e\"]\ntimeout = -2\n" + variable, "p.toml:3", "'timeout' is -2"},
        Slip{"[problem]\ncommand = [\"./e\"]\nretries = 1.5\n" + variable, "p.toml:3", "integer"},
        Slip{"[problem]\ncommand = [\"./e\"]\ncommon_noise = 1\n" + variable, "p.toml:3", "true or false"},
        Slip{"[problem]\nbuiltin = \"qcpq\"\n", "p.toml:2", "did you mean 'qcqp'?"},
        Slip{"[problem]\nbuiltin = \"qcqp\"\nnn = 3\n", "p.toml:3", "no option 'nn'"},
        Slip{"[problem]\nbuiltin = \"qcqp\"\n" + variable, "p.toml:3", "brings its own variables"},
        Slip{head + solver, "p.toml", "no variables"},
        Slip{head + "[[variable]]\nname = \"a\"\nlower = 3\nupper = 2\n", "p.toml:6", "swap them"},
        Slip{head + "[[variable]]\nname = \"a\"\nlower = nan\nupper = 2\n", "p.toml:6", "not NaN"},
        Slip{head + "[[variable]]\nname = \"a\"\nlower = 0\n", "p.toml:4", "'upper' is missing"},
        Slip{head + "[[variable]]\nname = \"a\"\nlower = -inf\nupper = 1\n", "p.toml:6", "finite lower bound"},
        Slip{head + "[[variable]]\nlower = 0\nupper = 1\n", "p.toml:4", "needs a name"},
        Slip{head + variable + "start = 3\n", "p.toml:8", "'start' is 3, outside [0.5, 2]"},
        Slip{head + variable + "tpye = \"real\"\n", "p.toml:8", "did you mean 'type'?"},
        Slip{head + variable + variable, "p.toml:9", "two variables have the name 'a'"},
        Slip{head + "[[variable]]\nname = \"a\"\nlower = 0\nupper = 2\nscale = \"log\"\n", "p.toml:6", "above zero"},
        Slip{head + "[variables]\ncount = 0\n", "p.toml:5", "'count' is 0"},
        Slip{head + "[variables]\ncount = 3\nlower = [0, 0]\nupper = 1\n", "p.toml:6",
             "has 2 numbers, but must have 3"},
        Slip{head + variable + "[set]\ntype = \"simplx\"\nvariables = [\"a\"]\n", "p.toml:9", "one of simplex"},
        Slip{head + variable + "[set]\ntype = \"ball\"\nvariables = [\"b\"]\nradius = 1\n", "p.toml:10",
             "no variable 'b'"},
        Slip{head + variable + "[set]\ntype = \"ball\"\nvariables = [\"a\"]\n", "p.toml:8", "a ball needs 'radius'"},
        Slip{head + variable + "[set]\ntype = \"ball\"\nvariables = [\"a\"]\ncenter = 5\nradius = 1\n", "p.toml:4",
             "does not meet"},
        Slip{head + variable + "[set]\ntype = \"nuclear_ball\"\nvariables = [\"a\"]\nrows = 1\nradius = 9\n",
             "p.toml:4", "cannot be cut"},
        Slip{head + variable + "[solver]\nname = \"randon\"\n", "p.toml:9", "did you mean 'random'?"},
        Slip{head + variable + "[solver]\nname = \"random\"\nbudget = -5\n", "p.toml:10", "'budget' is -5"},
        Slip{head + variable + "[solver]\nname = \"random\"\nbudget = \"many\"\n", "p.toml:10", "an integer"},
        Slip{head + variable + "[solver]\nname = \"random\"\nbuget = 5\n", "p.toml:10", "did you mean 'budget'?"},
        Slip{head + variable + "[solver]\nname = \"random\"\nbatch = -1\n", "p.toml:10", "'batch' is -1"},
        Slip{head + variable + "[constants]\nL = [1]\n", "p.toml:9", "has 1 numbers, but must have 2"},
        Slip{head + variable + "[constants]\nsigma = -1\n", "p.toml:9", "finite numbers >= 0"}));

TEST(ProblemFile, CommandLineOverridesAndIsNamedWhenWrong) {
  const std::string good = head + variable + solver;
  EXPECT_EQ(read(good, {{"--budget 70", "solver.budget=70"}}).run.budget, 70);
  EXPECT_EQ(read(good, {{"--set", "batch=3"}}).solver_options.at("batch").value, OptionValue(std::int64_t{3}));
  EXPECT_EQ(read(good, {{"--set", "problem.timeout=4"}}).evaluator->timeout, 4);
  EXPECT_EQ(read("[problem]\nbuiltin = \"qcqp\"\n" + solver, {{"--set", "problem.noise=t5"}}).spec.constraints, 1);
  EXPECT_THAT(refusal(good, {{"--budget -5", "solver.budget=-5"}}), StartsWith("--budget -5: 'budget' is -5"));
  EXPECT_THAT(refusal(good, {{"--set", "bacth=3"}}), StartsWith("--set bacth=3: "));
  EXPECT_THAT(refusal(good, {{"--set", "batch"}}), HasSubstr("key=value"));
}

TEST(Space, NeverLeavesTheDeclaredBounds) {
  const auto p = read(head + variable +
                      "scale = \"log\"\n[[variable]]\nname = \"k\"\ntype = \"integer\"\nlower = -2\nupper = 7\n" +
                      "[[variable]]\nname = \"w\"\n[[variable]]\nname = \"v\"\n" +
                      "[set]\ntype = \"simplex\"\nvariables = [\"v\", \"w\"]\n" + solver);
  EXPECT_EQ(p.spec.dimension(), 4);
  Rng rng(4);
  for (int i = 0; i < 2000; ++i) {
    Vector x(4);
    for (Index k = 0; k < 4; ++k) x[k] = 3 * rng.normal();  // far outside, as a careless smoothing radius would go
    const Vector u = p.space.to_user(x);
    EXPECT_GE(u[0], 0.5);
    EXPECT_LE(u[0], 2.0);
    EXPECT_EQ(u[1], std::nearbyint(u[1]));
    EXPECT_GE(u[1], -2);
    EXPECT_LE(u[1], 7);
    for (const Index k : {2, 3}) {
      EXPECT_GE(u[k], 0);
      EXPECT_LE(u[k], 1);
    }
  }
}

TEST(Space, SetsKeepTheUsersUnitsAndOrder) {
  const auto p = read(head + "[[variable]]\nname = \"a\"\n" + "[[variable]]\nname = \"b\"\nlower = 10\nupper = 20\n" +
                      "[[variable]]\nname = \"c\"\n[set]\ntype = \"ball\"\nvariables = [\"c\", \"a\"]\nradius = 3\n" +
                      "center = [5, -5]\n" + solver);
  Vector x(3);
  x << 0.5, 6, -4;  // the box first, then the ball over (c, a)
  ASSERT_TRUE(p.spec.domain.contains(x));
  const Vector u = p.space.to_user(x);
  EXPECT_EQ(u[0], -4);
  EXPECT_EQ(u[1], 15);
  EXPECT_EQ(u[2], 6);
  std::string json;
  p.space.write_json(as_span(u), json);
  EXPECT_EQ(json, R"({"a":-4,"b":15,"c":6})");
}

TEST(ProblemFile, IdentityIgnoresLayoutAndSeesChanges) {
  const auto a = read(head + variable + solver), b = read("# a comment\n" + head + "timeout = 5\n" + variable + solver);
  EXPECT_TRUE(identity_changes(a.identity, b.identity).empty());
  const auto c = read(head + "[[variable]]\nname = \"a\"\nlower = 0.25\nupper = 2.0\n" + solver);
  EXPECT_THAT(identity_changes(a.identity, c.identity), testing::ElementsAre("variable.a.lower: \"0.5\" -> \"0.25\""));
  const auto raised = read(head + variable + solver, {{"--budget 99", "solver.budget=99"}});
  EXPECT_TRUE(identity_changes(a.identity, raised.identity).empty());
  EXPECT_EQ(identity_budget(raised.identity), 99);
}

}  // namespace
}  // namespace zeroth
