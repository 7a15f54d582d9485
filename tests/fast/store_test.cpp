// SPDX-License-Identifier: MIT
#include "zeroth/store/store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "scratch.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/session.hpp"
#include "zeroth/run/stored/verify.hpp"
#include "zeroth/store/export.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;
using testing_support::Scratch;

RunRow some_run(const std::string& name = "p") {
  RunRow row;
  row.name = name;
  row.identity = "{}";
  row.dimension = 2;
  row.functions = 1;
  row.budget = 10;
  row.version = "0";
  return row;
}

SolveOutcome solve_qcqp(const Scratch& scratch, const std::string& more, const std::string& store) {
  const ProblemSource source{"q.toml", "[problem]\nbuiltin = \"qcqp\"\n" + more, {}};
  const ResolvedProblem problem = resolve(source);
  SolveRequest request;
  request.store = scratch.path(store);
  return solve(source, problem, *local_engine(problem, 1), request);
}

TEST(Store, KeepsRunsAcrossOpenings) {
  const Scratch scratch;
  std::int64_t id = 0;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    id = store.begin_run(some_run());
    store.end_run(id, "budget", "{\"x\":1}");
  }
  Store store(scratch.path("s.db"), Store::Access::existing);
  ASSERT_EQ(store.runs().size(), 1u);
  EXPECT_EQ(store.run(id)->status, "budget");
  EXPECT_EQ(store.run(id)->result, "{\"x\":1}");
  EXPECT_FALSE(store.run(id)->finished.empty());
  EXPECT_FALSE(store.run(id + 1));
}

TEST(Store, OneProcessAtATimeWorksOnARun) {
  const Scratch scratch;
  Store a(scratch.path("s.db"), Store::Access::create);
  const auto id = a.begin_run(some_run());
  EXPECT_TRUE(a.claim(id));
  Store b(scratch.path("s.db"), Store::Access::create);
  EXPECT_FALSE(b.claim(id));
  EXPECT_TRUE(b.claimed_by_another(id));
  EXPECT_TRUE(b.claim(b.begin_run(some_run())));
}

TEST(Store, OlderSchemasAreBroughtUpToDate) {
  const Scratch scratch;
  {
    // Version 1, as its release wrote it.
    sqlite::Connection old(scratch.path("s.db"), sqlite::Connection::Open::write);
    old.run(R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL, document TEXT NOT NULL, file TEXT NOT NULL,
  overrides TEXT NOT NULL, solver TEXT NOT NULL, seed INTEGER NOT NULL, budget INTEGER NOT NULL,
  dimension INTEGER NOT NULL, functions INTEGER NOT NULL, maximize INTEGER NOT NULL, names TEXT NOT NULL,
  version TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, status TEXT NOT NULL, result TEXT);
CREATE TABLE answers(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, x BLOB, x_hash INTEGER NOT NULL,
  noise INTEGER NOT NULL, "values" BLOB, failure TEXT, seconds REAL NOT NULL, worker INTEGER NOT NULL,
  attempts INTEGER NOT NULL, exit_code INTEGER, signal INTEGER, error_output TEXT,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
INSERT INTO runs VALUES(1,'old','{}','','','[]','random',1,5,1,1,0,'{}','0','t',NULL,'running',NULL);
INSERT INTO answers VALUES(1,0,NULL,7,8,x'0000000000000040',NULL,0.5,0,1,NULL,NULL,NULL);
PRAGMA application_id=2053468783; PRAGMA user_version=1;)");
  }
  Store store(scratch.path("s.db"), Store::Access::existing);
  EXPECT_EQ(store.connection().integer("PRAGMA user_version"), Store::schema_version);
  EXPECT_EQ(store.runs().at(0).name, "old");
  int seen = 0;
  store.each_answer(1, [&](const StoredAnswer& a) {
    ++seen;
    EXPECT_EQ(a.answer.values, std::vector<double>{2.0});
    EXPECT_FALSE(a.carried);
  });
  EXPECT_EQ(seen, 1);
  store.each_trace(1, [](const StoredTrace&) { FAIL(); });
}

TEST(Store, RefusesWhatIsNotItsOwn) {
  const Scratch scratch;
  EXPECT_THROW(Store(scratch.path("none.db"), Store::Access::existing), Error);
  { sqlite::Connection(scratch.path("other.db"), sqlite::Connection::Open::write).run("CREATE TABLE t(a)"); }
  EXPECT_THROW(Store(scratch.path("other.db"), Store::Access::create), Error);
  { sqlite::Connection(scratch.path("new.db"), sqlite::Connection::Open::write).run("PRAGMA user_version=99"); }
  try {
    Store store(scratch.path("new.db"), Store::Access::create);
    FAIL();
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("newer zeroth"));
  }
  scratch.write("text.db", std::string(5000, 'z'));
  EXPECT_ANY_THROW(Store(scratch.path("text.db"), Store::Access::existing));
}

TEST(Store, LeavesOutPointsOfManyVariables) {
  const Scratch scratch;
  for (const auto& [n, kept] : {std::pair{3, true}, std::pair{1001, false}}) {
    const auto name = std::to_string(n) + ".db";
    const std::string file = "[problem]\ncommand = [\"" + testing_support::test_evaluator +
                             "\", \"ok\"]\nconstraints = 2\n[variables]\ncount = " + std::to_string(n) +
                             "\nlower = 0\nupper = 1\n[solver]\nname = \"random\"\nbudget = 20\n";
    const ProblemSource source{scratch.path("p.toml"), file, {}};
    const ResolvedProblem problem = resolve(source);
    SolveRequest request;
    request.store = scratch.path(name);
    const auto outcome = solve(source, problem, *local_engine(problem, 1), request);
    EXPECT_EQ(outcome.result.failed, 0);
    Store store(scratch.path(name), Store::Access::existing);
    store.each_answer(1, [&](const StoredAnswer& a) {
      EXPECT_EQ(a.x.size(), kept ? static_cast<std::size_t>(n) : 0u);
      EXPECT_NE(a.x_hash, 0u);
    });
    EXPECT_TRUE(verify(store).sound());
  }
}

TEST(Store, MaximizeIsStoredAndExportedInTheUsersSign) {
  const Scratch scratch;
  const auto solve_it = [&](const std::string& direction, const std::string& name) {
    const ProblemSource source{
        scratch.path("p.toml"), testing_support::problem_text("\"ok\"", "direction = \"" + direction + "\"", 40), {}};
    const ResolvedProblem problem = resolve(source);
    SolveRequest request;
    request.store = scratch.path(name);
    return nlohmann::json::parse(solve(source, problem, *local_engine(problem, 1), request).json);
  };
  const auto low = solve_it("minimize", "low.db"), high = solve_it("maximize", "high.db");
  EXPECT_LT(low["objective"]["mean"], high["objective"]["mean"]);
  EXPECT_GT(high["objective"]["mean"], 0);  // the evaluator's objective is a sum of squares
  Store store(scratch.path("high.db"), Store::Access::existing);
  store.each_answer(1, [](const StoredAnswer& a) { EXPECT_GT(a.answer.values[0], -0.1); });
  EXPECT_TRUE(verify(store).sound());
}

TEST(Store, VerifySeesAnAnswerThatWasChanged) {
  const Scratch scratch;
  solve_qcqp(scratch, "[solver]\nname = \"random\"\nbudget = 40\n", "s.db");
  Store store(scratch.path("s.db"), Store::Access::existing);
  EXPECT_TRUE(verify(store).sound());
  store.connection().run("UPDATE answers SET noise = noise + 1 WHERE number = 7");
  EXPECT_FALSE(verify(store).sound());
  store.connection().run("UPDATE answers SET noise = noise - 1 WHERE number = 7");
  EXPECT_TRUE(verify(store).sound());
  store.connection().run("UPDATE answers SET \"values\" = x'00000000000059c000000000000059c0' WHERE number = 7");
  EXPECT_FALSE(verify(store).sound());
}

TEST(Store, SalvageSavesWhatADamagedFileStillHolds) {
  const Scratch scratch;
  solve_qcqp(scratch, "[solver]\nname = \"random\"\nbudget = 2000\n", "s.db");
  std::string bytes = scratch.read("s.db");
  ASSERT_GT(bytes.size(), 40u * 4096);
  for (std::size_t i = 20 * 4096; i < 21 * 4096; ++i) bytes[i] = 'x';
  scratch.write("s.db", bytes);
  {
    Store store(scratch.path("s.db"), Store::Access::existing);
    EXPECT_FALSE(verify(store).sound());
  }
  const Salvage saved = salvage(scratch.path("s.db"), scratch.path("saved.db"));
  EXPECT_EQ(saved.runs, 1);
  EXPECT_GT(saved.answers, 1000);
  Store store(scratch.path("saved.db"), Store::Access::existing);
  EXPECT_TRUE(verify(store).damage.empty());
}

TEST(Store, ExportsEveryAnswer) {
  const Scratch scratch;
  solve_qcqp(scratch, "n = 2\n[solver]\nname = \"random\"\nbudget = 30\n", "s.db");
  Store store(scratch.path("s.db"), Store::Access::existing);
  std::string csv, json;
  export_csv(store, *store.run(1), [&](const std::string& text) { csv += text; });
  export_json(store, *store.run(1), [&](const std::string& text) { json += text; });
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 31);
  EXPECT_THAT(csv, testing::StartsWith("number,x0,x1,objective,c1,failure,seed,seconds"));
  const auto parsed = nlohmann::json::parse(json);
  EXPECT_EQ(parsed["answers"].size(), 30u);
  EXPECT_EQ(parsed["answers"][3]["values"].size(), 2u);
  EXPECT_GT(parsed["trace"].size(), 10u);
  EXPECT_EQ(parsed["result"]["evaluations"], 30);
}

}  // namespace
}  // namespace zeroth
