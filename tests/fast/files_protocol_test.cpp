// SPDX-License-Identifier: MIT
//
// protocol = "files": programs that read an input file and write an output file, without a wrapper.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/file_exchange.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Reads "a = 0.3" and "k = 2" and writes "cost = 0.04" and "stress: -0.1" to output.txt. Fails where k is 3.
constexpr const char* simulator = R"(#!/bin/sh
grep -q "k = 3" input.txt && { echo "cannot do three" >&2; exit 7; }
awk '/^a =/ { a = $3 } /^k =/ { k = $3 } /^seed =/ { s = $3 }
     END { printf "step 1\ncost = 9e9\ncost = %.9fD+00\nmax stress: %.9f MPa\n", (a - 0.3)^2 + k, 0.2 - a > "output.txt"
           print "noise"; }' input.txt
)";
constexpr const char* input_template = "# {{a}} is a, {b c} is text\na = {a}\nk = {k}\nseed = {seed}\n";

std::string files_problem(const std::string& files, int upper = 2) {
  return R"([problem]
command = ["./simulate"]
constraints = ["stress"]
protocol = "files"
seed_bits = 31
[files]
template = "input.template"
input = "input.txt"
)" + files +
         R"(
[[variable]]
name = "a"
lower = 0.0
upper = 1.0
[[variable]]
name = "k"
type = "integer"
lower = 0
upper = )" +
         std::to_string(upper) + "\n[solver]\nname = \"random\"\nbudget = 30\n";
}

const std::string usual =
    "output = \"output.txt\"\nobjective = 'cost *= *(\\S+)'\n[files.constraints]\nstress = 'max stress: (\\S+)'\n";

class FilesProtocol : public testing::Test {
 protected:
  void SetUp() override {
    scratch_.write("simulate", simulator);
    std::filesystem::permissions(scratch_.path("simulate"), std::filesystem::perms::owner_all);
    scratch_.write("input.template", input_template);
    std::filesystem::create_directory(scratch_.path("kept"));
  }
  Ran solve(const std::string& files, int upper = 2, const std::string& command = "solve") {
    scratch_.write("p.toml", files_problem(files, upper));
    return command == "solve" ? zeroth(scratch_, {"solve", "p.toml", "--json", "-q"})
                              : zeroth(scratch_, {command, "p.toml"});
  }
  std::size_t left_behind() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(scratch_.path("kept")), {}));
  }
  Scratch scratch_;
};

TEST_F(FilesProtocol, ASimulatorNeedsNoWrapper) {
  const Ran ran = solve("directory = \"kept\"\n" + usual);
  ASSERT_EQ(ran.code % 3, 0) << ran.out << ran.error;
  const auto json = ran.json();
  EXPECT_EQ(json["failed"], 0);
  const double a = json["x"]["a"], k = json["x"]["k"];
  // The last match counts, exponents may be Fortran's.
  EXPECT_NEAR(json["objective"]["mean"].get<double>(), (a - 0.3) * (a - 0.3) + k, 1e-7);
  EXPECT_NEAR(json["constraints"][0]["mean"].get<double>(), 0.2 - a, 1e-7);
  EXPECT_EQ(left_behind(), 0u) << "directories of evaluations that succeeded are removed";
  EXPECT_EQ(zeroth(scratch_, {"verify", "zeroth.db"}).code, 0);
}

TEST_F(FilesProtocol, TheSameRunOnTwoJobsAndResumed) {
  const Ran one = solve(usual);
  const Ran two = zeroth(scratch_, {"solve", "p.toml", "--json", "-q", "--jobs", "2", "--store", "two.db"});
  EXPECT_EQ(bits_of(one), bits_of(two));
  EXPECT_EQ(bits_of(one), bits_of(zeroth(scratch_, {"solve", "p.toml", "--json", "-q", "--resume"})));
}

TEST_F(FilesProtocol, DirectoriesOfFailuresAreKept) {
  const Ran ran = solve("directory = \"kept\"\n" + usual, 3);
  const auto failed = ran.json()["failed"].get<std::size_t>();
  ASSERT_GT(failed, 1u) << ran.out << ran.error;
  EXPECT_EQ(left_behind(), std::min<std::size_t>(failed, 10));
  for (const auto& directory : std::filesystem::directory_iterator(scratch_.path("kept")))
    EXPECT_THAT(scratch_.read("kept/" + directory.path().filename().string() + "/input.txt"),
                AllOf(HasSubstr("# {a} is a, {b c} is text"), HasSubstr("k = 3")));
  const std::string rows = zeroth(scratch_, {"export", "zeroth.db"}).out;
  EXPECT_THAT(rows, HasSubstr("exit code 7"));
}

TEST_F(FilesProtocol, ValuesAreFoundByNameAndOnStdout) {
  scratch_.write(
      "simulate",
      "#!/bin/sh\nawk '/^a =/ { a = $3 } END { print \"objective: \" a; print \"\\\"stress\\\": \" a - 2 \",\" }' "
      "input.txt\n");
  const Ran ran = solve("output = \"stdout\"\n");
  ASSERT_EQ(ran.code, 0) << ran.out << ran.error;
  EXPECT_EQ(ran.json()["failed"], 0);
  EXPECT_NEAR(ran.json()["objective"]["mean"].get<double>(), ran.json()["x"]["a"].get<double>(), 1e-5);
}

// Writes only what its input file says is wanted, and keeps those lines.
constexpr const char* some_functions = R"(#!/bin/sh
grep wanted input.txt >> ../../asked
awk '/^a =/ { a = $3 } /^wanted.*objective/ { f = 1 } /^wanted.*stress/ { g = 1 }
     END { if (f) print "cost = " a > "output.txt"
           if (g) print "max stress: " 0.5 - a > "output.txt" }' input.txt
)";

TEST_F(FilesProtocol, TheInputSaysWhatIsWanted) {
  scratch_.write("input.template", "a = {a}\nk = {k}\nwanted = {wanted}\n");
  scratch_.write("simulate", some_functions);
  std::string text = files_problem("directory = \"kept\"\n" + usual);
  text.insert(text.find("protocol"), "partial = true\n");
  text.replace(text.find("budget = 30"), 11, "budget = 2020");
  scratch_.write("p.toml", text + "[cost]\nobjective = 100\nstress = 1\n");
  const Ran ran = zeroth(scratch_, {"solve", "p.toml", "--json", "-q"});
  EXPECT_EQ(ran.json()["failed"], 0) << ran.out << ran.error;
  EXPECT_THAT(scratch_.read("asked"), AllOf(HasSubstr("wanted = stress\n"), HasSubstr("wanted = objective\n")));
}

TEST_F(FilesProtocol, TheDoctorSpeaksOfIt) {
  EXPECT_EQ(solve(usual, 2, "check").code, 0);
  scratch_.write("simulate", "#!/bin/sh\necho nothing > output.txt\n");
  const Ran ran = solve(usual, 2, "check");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out + ran.error, AllOf(HasSubstr("no line of the output matches"), HasSubstr("are kept in")));
  scratch_.write("simulate", "#!/bin/sh\ntrue\n");
  EXPECT_THAT(solve(usual, 2, "check").out, HasSubstr("wrote no file output.txt"));
}

TEST_F(FilesProtocol, SlipsAreNamed) {
  struct Slip {
    std::string files, says, remedy;
  };
  for (const Slip& slip : {
           Slip{"", "p.toml:6", "needs 'output'"},
           Slip{"output = \"../o\"\n", "p.toml:9", "in the evaluation's own directory"},
           Slip{"output = \"o\"\nobjective = 'cost = (\\S+'\n", "p.toml:10", "not a regular expression"},
           Slip{"output = \"o\"\nobjective = 'cost(?:a)'\n", "p.toml:10", "has no group"},
           Slip{"output = \"o\"\noutptu = 3\n", "p.toml:10", "did you mean 'output'?"},
           Slip{"output = \"o\"\n[files.constraints]\nstres = 'a (b)'\n", "p.toml:11", "did you mean 'stress'?"},
           Slip{"output = \"o\"\n[files.other]\nstres = 'a (b)'\n", "p.toml:10", "there is no section [files.other]"},
           Slip{"output = \"o\"\ncopy = [\"mesh.dat\"]\n", "p.toml:10", "mesh.dat"},
       }) {
    const Ran ran = solve(slip.files);
    EXPECT_EQ(ran.code, 2) << slip.files;
    EXPECT_THAT(ran.error, AllOf(HasSubstr(slip.says), HasSubstr(slip.remedy))) << slip.files;
  }
  for (const auto& [text, says] : {std::pair{"a = {a}\nb = {K}\n", "input.template:2: there is no variable 'K'"},
                                   std::pair{"a = {a}\n", "the variable 'k'; write {k}"}}) {
    scratch_.write("input.template", text);
    EXPECT_THAT(solve(usual).error, HasSubstr(says));
  }
}

TEST(InputTemplates, OrdinaryBracesAreText) {
  const std::vector<std::string> names{"a", "b"};
  const InputTemplate filled("{\"a\": {a}, \"b\": [{b|none}], \"c\": {}, { x }, {{a}} \\frac{{seed|1}}{seed}\n", names,
                             "t");
  EXPECT_EQ(filled.filled(std::vector<std::string>{"1.5", ""}, 7),
            "{\"a\": 1.5, \"b\": [none], \"c\": {}, { x }, {a} \\frac{seed|1}7\n");
}

}  // namespace
}  // namespace zeroth::testing_support
