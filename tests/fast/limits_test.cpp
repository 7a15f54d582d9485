// SPDX-License-Identifier: MIT
//
// When the machine or the session lacks something: an error before the run, fewer workers, or a stop that can be
// resumed. Never a hang, and never an answer that says that the evaluator failed.
#include "zeroth/engine/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <new>
#include <set>
#include <thread>

#include "scratch.hpp"
#include "zeroth/engine/engine.hpp"
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

// As a user of its own, whose processes are counted alone: root's are not limited.
class ProcessLimits : public testing::Test {
 protected:
  void SetUp() override {
    if (::getuid() != 0) GTEST_SKIP() << "needs root, to become a user without other processes";
    std::filesystem::permissions(scratch_.path(), std::filesystem::perms::all);
    scratch_.write("p.toml", wide_problem("\"ok\"", "protocol = \"once\""));
    if (as_a_user("test -x " + tool).code != 0) GTEST_SKIP() << "a user may not enter " << tool;
  }
  Ran as_a_user(const std::string& command) {
    static int calls = 0;  // guardians of earlier ones may still be about to end
    const std::string id = std::to_string(100000 + 10 * ::getpid() + calls++);
    return run(scratch_, {"timeout", "-s", "KILL", "60", "setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups",
                          "bash", "-c", command});
  }
  Scratch scratch_;
};

TEST_F(ProcessLimits, WhoGetsNoProcessLeavesTheWorkToTheOthers) {
  const Ran free = zeroth(scratch_, {"solve", "p.toml", "-q", "--json", "--store", "free.db"});
  // The tool and its guardian: three are left for eight jobs.
  const Ran tight = as_a_user("ulimit -u 5; exec " + tool + " solve p.toml -q --json --store tight.db --jobs 8");
  EXPECT_EQ(tight.code, free.code) << tight.error;
  EXPECT_EQ(tight.json()["failed"], 0) << tight.error;
  EXPECT_EQ(bits_of(tight), bits_of(free));
}

TEST_F(ProcessLimits, NoProcessAtAllStopsTheRunResumably) {
  const Ran stopped = as_a_user("ulimit -u 1; exec " + tool + " solve p.toml -q --jobs 2");
  EXPECT_EQ(stopped.code, 1);
  EXPECT_THAT(stopped.error, AllOf(HasSubstr("cannot start a process"), HasSubstr("--resume")));
  {
    Store store(scratch_.path("zeroth.db"), Store::Access::existing);
    EXPECT_EQ(store.runs().back().status, "interrupted");
    EXPECT_EQ(store.answers(1), 0);
  }
  const Ran whole = zeroth(scratch_, {"solve", "p.toml", "-q", "--json", "--store", "whole.db"});
  EXPECT_EQ(bits_of(zeroth(scratch_, {"solve", "p.toml", "-q", "--json", "--resume"})), bits_of(whole));
}

// The evaluator of one rank takes away its rank's descriptors at the first question: what that rank cannot do, the
// other does, and nobody is blamed.
TEST(Limits, ARankThatLacksSomethingLeavesTheWorkToTheOthers) {
  const Scratch scratch;
  scratch.write("e.sh", "[ \"$OMPI_COMM_WORLD_RANK\" != 2 ] || prlimit --pid $PPID --nofile=12:12; sleep 0.1; exec " +
                            test_evaluator + " ok\n");
  std::string text = wide_problem("\"ok\"", "protocol = \"once\"");
  const std::string command = "\"" + test_evaluator + "\", \"ok\"";
  text.replace(text.find(command), command.size(), "\"bash\", \"e.sh\"");
  scratch.write("p.toml", text);
  const Ran alone = zeroth(scratch, {"solve", "p.toml", "-q", "--json", "--jobs", "4", "--store", "alone.db"});
  const Ran ranks = run(scratch, {"timeout", "-s", "KILL", "120", "mpirun", "--allow-run-as-root", "--oversubscribe",
                                  "-n", "3", tool, "solve", "p.toml", "--json", "--store", "ranks.db"});
  EXPECT_EQ(ranks.code, alone.code) << ranks.error;
  EXPECT_EQ(ranks.json()["failed"], 0) << ranks.error;
  EXPECT_EQ(bits_of(ranks), bits_of(alone));
  Store store(scratch.path("ranks.db"), Store::Access::existing);
  std::set<int> workers;
  store.each_answer(1, [&](const StoredAnswer& a) { workers.insert(a.how.worker); });
  EXPECT_EQ(workers.size(), 2u) << "both ranks were to answer something";
}

// An oracle of C++ that gets no memory says nothing of its point: the run ends, and what had arrived is kept.
TEST(Limits, TooLittleMemoryIsNoAnswer) {
  Problem problem;
  problem.spec.domain = Domain::box(1, 0, 1);
  problem.oracle = [](std::span<const double> x, Rng&, std::span<double> values) {
    if (x[0] > 0.5) throw std::bad_alloc();
    values[0] = x[0];
  };
  std::vector<double> places(20, 0.25);
  places[7] = 0.75;
  std::vector<Query> batch;
  for (std::size_t k = 0; k < places.size(); ++k) batch.push_back({{&places[k], 1}, k, {}});
  for (const bool threads : {false, true}) {
    const auto engine = threads ? threads_engine(problem, 3) : serial_engine(problem);
    std::size_t answered = 0;
    const auto count = [&](std::size_t k, const Answer& answer, const Circumstances&) {
      EXPECT_NE(k, 7u);
      EXPECT_FALSE(answer.failed()) << answer.failure;
      ++answered;
    };
    EXPECT_THROW(engine->evaluate(batch, count, {}), OutOfResources);
    EXPECT_GE(answered, 5u);
    EXPECT_LT(answered, places.size());
    // The engine is as good as before.
    EXPECT_NO_THROW(engine->evaluate(std::span(batch).first(7), count, {}));
  }
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
