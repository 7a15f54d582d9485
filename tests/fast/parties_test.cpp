// SPDX-License-Identifier: MIT
//
// Functions that live apart, under real mpirun: the joint run bit for bit, and nothing on the wire that grows with n.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth::testing_support {
namespace {

using testing::HasSubstr;
using testing::Not;

// Three parties: a bowl, two limits, and one value that must be zero. Every one writes down each point it is shown.
std::string party(const std::string& expression, const std::string& log) {
  return "#!/usr/bin/python3\n"
         "import json, random, sys\n"
         "seen = open('" +
         log +
         "', 'a')\n"
         "for line in sys.stdin:\n"
         "    q = json.loads(line)\n"
         "    x, r = q['x'], random.Random(q['seed'])\n"
         "    seen.write('.\\n'); seen.flush()\n"
         "    if x[0] > 1.99: print(json.dumps({'id': q['id'], 'error': 'too far'}), flush=True)\n"
         "    else: print(json.dumps({'id': q['id'], 'values': " +
         expression + "}), flush=True)\n";
}

void write_parties(const Scratch& scratch, int n, const std::string& solver) {
  const auto script = [&](const std::string& name, const std::string& expression) {
    scratch.write(name + ".py", party(expression, scratch.path(name + ".log")));
    std::filesystem::permissions(scratch.path(name + ".py"), std::filesystem::perms::owner_all);
  };
  script("first", "[sum((v - 1) ** 2 for v in x) / len(x) + 0.01 * r.gauss(0, 1)]");
  script("second", "[x[0] + x[1] - 1.5 + 0.01 * r.gauss(0, 1), x[0] - x[1]]");
  script("third", "[x[2] - 0.5 + 0.01 * r.gauss(0, 1)]");
  scratch.write("p.toml",
                fmt::format("[problem]\nconstraints = [\"a\", \"b\"]\nequalities = [\"h\"]\ncommon_noise = true\n"
                            "[[party]]\nname = \"one\"\nowns = [\"objective\"]\ncommand = [\"./first.py\"]\n"
                            "[[party]]\nname = \"two\"\nowns = [\"b\", \"a\"]\ncommand = [\"./second.py\"]\n"
                            "[[party]]\nname = \"three\"\nowns = [\"h\"]\ncommand = [\"./third.py\"]\n"
                            "[variables]\ncount = {}\nlower = 0.0\nupper = 2.0\n{}",
                            n, solver));
}

Ran apart(const Scratch& scratch, std::vector<std::string> more) {
  std::vector<std::string> argv{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", tool, "solve", "p.toml",
                                "--json"};
  argv.insert(argv.end(), more.begin(), more.end());
  return run(scratch, argv);
}

std::string traffic(const std::string& error) {
  const auto at = error.find("between the parties: ");
  return at == std::string::npos ? "nothing" : error.substr(at, error.find('\n', at) - at);
}

// scripts/packages has openmpi-bin: where it is missing, these fail rather than pass for tested.
class UnderMpi : public testing::Test {
 protected:
  void SetUp() override {
    const Scratch scratch;
    ASSERT_EQ(run(scratch, {"mpirun", "--version"}).code, 0) << "mpirun is missing: install the package openmpi-bin";
  }
};
class PartiesOnTheWire : public UnderMpi {};
class Parties : public UnderMpi, public testing::WithParamInterface<const char*> {};

TEST_P(Parties, EqualTheJointRunBitForBit) {
  const Scratch scratch;
  write_parties(scratch, 4, GetParam());
  const Ran joint = zeroth(scratch, {"solve", "p.toml", "--json", "-q", "--store", "joint.db"});
  ASSERT_THAT(joint.out, HasSubstr("\"status\"")) << joint.error;
  const Ran ranks = apart(scratch, {"--store", "apart.db"});
  EXPECT_EQ(ranks.code, joint.code) << ranks.error;
  EXPECT_EQ(bits_of(ranks), bits_of(joint));
  EXPECT_THAT(ranks.error, HasSubstr("between the parties: "));
  EXPECT_EQ(zeroth(scratch, {"verify", "apart.db"}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Solvers, Parties,
    testing::Values("[solver]\nname = \"conex\"\nbudget = 300\n",
                    "[solver]\nname = \"conex\"\nshared_directions = true\nbudget = 200\nwidth = 4\n",
                    "[solver]\nname = \"conex\"\nshared_directions = true\nsums = true\nbatch = 3\nbudget = 200\n",
                    "[solver]\nname = \"proximal-conex\"\nshared_directions = true\nsums = true\nK = 4\nbudget = 200\n",
                    "[solver]\nname = \"adaptive-conex\"\nbudget = 300\n",
                    "[solver]\nname = \"trust-bo\"\nbudget = 40\n"),
    [](const auto& info) { return "case_" + std::to_string(info.index); });

// A Slurm of one node, started for this test on loopback.
TEST(PartiesUnderSlurm, EqualTheJointRunBitForBit) {
  const Scratch scratch;
  write_parties(scratch, 4, "[solver]\nname = \"conex\"\nbudget = 200\n");
  const Ran joint = zeroth(scratch, {"solve", "p.toml", "--json", "-q", "--store", "joint.db"});
  const Ran ranks = run(scratch, {ZEROTH_SOURCE_DIR "/tests/slurm/with_slurm.sh", "srun", "-n", "3", tool, "solve",
                                  "p.toml", "--json", "-q", "--store", "srun.db"});
  if (ranks.code == 77 || ::getuid() != 0) GTEST_SKIP() << ranks.error;
  EXPECT_EQ(bits_of(ranks), bits_of(joint)) << ranks.error;
}

TEST_F(PartiesOnTheWire, TrafficDoesNotGrowWithTheVariables) {
  const Scratch scratch;
  const auto measured = [&](int n) {
    write_parties(scratch, n, "[solver]\nname = \"conex\"\nbudget = 101\ncheck_share = 0.02\n");
    const Ran ranks = apart(scratch, {"--store", fmt::format("n{}.db", n)});
    EXPECT_THAT(ranks.out, HasSubstr("\"status\"")) << ranks.error;
    return traffic(ranks.error);
  };
  const std::string few = measured(10);
  EXPECT_EQ(few, measured(10000));
  // 4 functions: an iteration of conex asks 4 + 3 pairs, 14 queries (oracles that answer only in X), and 14 values. Two
  // followers are each sent a word, 14 fingerprints with their count, and a word, 14 flags and 14 values.
  std::size_t sent = 0, received = 0, batches = 0;
  ASSERT_EQ(std::sscanf(few.c_str(), "between the parties: %zu bytes sent, %zu received in %zu batches", &sent,
                        &received, &batches),
            3)
      << few;
  const std::size_t iterations = 7, checks = batches - iterations;  // 98 evaluations for the search = 7 * 14
  const std::size_t per_iteration = 2 * (1 + 8 + 14 * 8 + 1 + 14 + 14 * 8), per_check = 2 * (1 + 8 + 8 + 1 + 1 + 4 * 8);
  EXPECT_EQ(sent, iterations * per_iteration + checks * per_check) << few;
}

// The example's own count. Sums: one part for the constraints and one for the batch, nothing for their product.
TEST_F(PartiesOnTheWire, SumsCostConstraintsPlusBatchNotTheirProduct) {
  const Scratch scratch;
  const Ran counted = run(scratch, {"python3", ZEROTH_SOURCE_DIR "/examples/parties/traffic.py", "--zeroth", tool,
                                    "--constraints", "1", "5", "--batches", "1", "9"});
  ASSERT_EQ(counted.code, 0) << counted.error;
  std::istringstream table(counted.out.substr(counted.out.find('\n')));
  std::map<std::pair<int, int>, std::pair<double, double>> bytes;
  for (int m = 0, batch = 0; table >> m >> batch;) table >> bytes[{m, batch}].first >> bytes[{m, batch}].second;
  ASSERT_EQ(bytes.size(), 4u) << counted.out;
  const auto product_of = [&](auto kind) {
    return kind(bytes[{5, 9}]) - kind(bytes[{5, 1}]) - kind(bytes[{1, 9}]) + kind(bytes[{1, 1}]);
  };
  EXPECT_EQ(product_of([](const auto& b) { return b.second; }), 0) << counted.out;
  EXPECT_GT(product_of([](const auto& b) { return b.first; }), 4 * 8 * 16) << "every value travels: " << counted.out;
}

TEST(PartiesAlone, SeeOnlyWhatConcernsThem) {
  const Scratch scratch;
  write_parties(scratch, 4, "[solver]\nname = \"conex\"\nbudget = 101\ncheck_share = 0.02\n");
  ASSERT_THAT(zeroth(scratch, {"solve", "p.toml", "--json", "-q"}).out, HasSubstr("\"status\""));
  const auto lines = [&](const char* log) {
    const std::string text = scratch.read(log);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("first.log"), 7 * 2 + 3);   // the objective has no linearisation
  EXPECT_EQ(lines("second.log"), 7 * 8 + 3);  // two functions, each with two pairs
  EXPECT_EQ(lines("third.log"), 7 * 4 + 3);
}

// One party's evaluator kills its rank with -9 in the middle of the run; the whole of mpirun dies with it.
class PartiesKilled : public UnderMpi, public testing::WithParamInterface<const char*> {};

TEST_P(PartiesKilled, ResumeToTheSameBitsAndAskNothingTwice) {
  const Scratch scratch;
  write_parties(scratch, 4, GetParam());
  const Ran whole = zeroth(scratch, {"solve", "p.toml", "--json", "-q", "--store", "whole.db"});
  ASSERT_THAT(whole.out, HasSubstr("\"status\"")) << whole.error;
  const std::string third = scratch.read("third.py");
  scratch.write("third.py",
                std::string(third).insert(third.find("    x, r"),
                                          "    import os\n"
                                          "    if os.path.getsize('" +
                                              scratch.path("third.log") + "') > 2 * 280: os.kill(os.getppid(), 9)\n"));
  // The joint run has left a line for each of its 200 evaluations, so the rank dies at its 81st.
  const Ran killed = apart(scratch, {"--store", "cut.db", "-q"});
  EXPECT_NE(killed.code, 0);
  EXPECT_THAT(killed.out, Not(HasSubstr("\"status\"")));
  scratch.write("third.py", third);
  const auto evaluations = [&] { return std::filesystem::file_size(scratch.path("third.log")) / 2; };
  const auto before = evaluations();
  const Ran resumed = apart(scratch, {"--store", "cut.db", "--resume", "-q"});
  EXPECT_EQ(bits_of(resumed), bits_of(whole)) << resumed.error;
  EXPECT_LT(evaluations() - before, 140u) << "what was kept is not asked again";
}

INSTANTIATE_TEST_SUITE_P(
    Answers, PartiesKilled,
    testing::Values("[solver]\nname = \"adaptive-conex\"\nbudget = 200\n",
                    "[solver]\nname = \"conex\"\nshared_directions = true\nsums = true\nbatch = 3\nbudget = 200\n"),
    [](const auto& info) { return info.index == 0 ? "EveryValue" : "Sums"; });

TEST(PartiesAlone, SlipsAreNamed) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      resolve(parse_document(text, "p.toml"), false);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  const std::string head = "[problem]\nconstraints = [\"a\"]\n[variables]\ncount = 1\nlower = 0.0\nupper = 1.0\n";
  const auto one = [](const std::string& owns) { return "[[party]]\nowns = [" + owns + "]\ncommand = [\"x\"]\n"; };
  EXPECT_THAT(complaint(head + one("\"objective\"")), HasSubstr("nobody owns 'a'"));
  EXPECT_THAT(complaint(head + one("\"objective\", \"a\"") + one("\"a\"")), HasSubstr("belongs to 'party 1' already"));
  EXPECT_THAT(complaint(head + one("\"objectiv\", \"a\"")), HasSubstr("did you mean 'objective'?"));
  EXPECT_THAT(complaint(head + one("\"a\", \"objective\"")), HasSubstr("name 'objective' first"));
  EXPECT_THAT(complaint("[problem]\ncommand = [\"y\"]\n[variables]\ncount = 1\nlower = 0.0\nupper = 1.0\n" +
                        one("\"objective\"")),
              HasSubstr("command of its own"));
}

}  // namespace
}  // namespace zeroth::testing_support
