// SPDX-License-Identifier: MIT
//
// The report page's numbers are the store's, what it leaves out is no extreme, and nothing in a store can act in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scratch.hpp"
#include "stored_run.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/report/decimate.hpp"
#include "zeroth/report/page.hpp"
#include "zeroth/report/page_data.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace testing_support;
using Json = nlohmann::json;

double noise(std::int64_t number, int function) {
  Rng rng(derive_key(7, 1, static_cast<std::uint64_t>(number * 16 + function)));
  return rng.normal();
}

Json data_of(const std::string& store) { return Json::parse(page_data(ReportSource(store), false)); }

SolveOutcome solve_text(const Scratch& scratch, const std::string& text, const std::string& store) {
  const ProblemSource source{"q.toml", text, {}};
  const ResolvedProblem problem = resolve(source);
  SolveRequest request;
  request.store = scratch.path(store);
  return solve(source, problem, *local_engine(problem, 1), request);
}

TEST(Report, NumbersAreTheStores) {
  const Scratch scratch;
  const auto outcome = solve_text(
      scratch, "[problem]\nbuiltin = \"qcqp\"\nn = 3\nm = 2\n[solver]\nname = \"adaptive-conex\"\nbudget = 400\n",
      "s.db");
  const Json data = data_of(scratch.path("s.db"));
  ASSERT_EQ(data["runs"].size(), 1u);
  const Json& run = data["runs"][0];
  EXPECT_EQ(run["evaluations"], 400);
  EXPECT_EQ(run["status"], to_string(outcome.result.status));
  EXPECT_EQ(run["answer"]["evaluated"], outcome.result.replicates);
  EXPECT_DOUBLE_EQ(run["answer"]["objective"]["mean"], outcome.result.objective.mean);
  EXPECT_DOUBLE_EQ(run["answer"]["objective"]["high"], outcome.result.objective_interval.high);  // as everywhere else
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& c = outcome.result.constraints[i];
    EXPECT_DOUBLE_EQ(run["answer"]["functions"][i]["low"], c.interval.low);
    EXPECT_DOUBLE_EQ(run["answer"]["functions"][i]["probability"], c.probability_feasible);
    EXPECT_DOUBLE_EQ(run["answer"]["functions"][i]["multiplier"], c.multiplier.mean);
    EXPECT_DOUBLE_EQ(run["answer"]["functions"][i]["multiplier_half"], 1.959963984540054 * c.multiplier.se);
  }
  for (Index i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(run["answer"]["x"][static_cast<std::size_t>(i)], outcome.result.x[i]);
  Store store(scratch.path("s.db"), Store::Access::read);
  std::size_t row = 0;
  store.each_answer(1, [&](const StoredAnswer& a) {
    EXPECT_EQ(run["evaluated"]["number"][row], a.number + 1);
    for (std::size_t f = 0; f < 3; ++f)
      EXPECT_NEAR(run["evaluated"]["values"][f][row], a.answer.values[f], 1e-5 * std::abs(a.answer.values[f]));
    ++row;
  });
  EXPECT_EQ(row, run["evaluated"]["number"].size());
}

TEST(Report, MaximisedObjectivesKeepTheUsersSign) {
  const Scratch scratch;
  scratch.write("p.toml", problem_text("\"ok\"", "direction = \"maximize\"\n", 60));
  const Ran solved = zeroth(scratch, {"solve", "p.toml", "--json", "-q"});
  const Json run = data_of(scratch.path("zeroth.db"))["runs"][0];
  EXPECT_TRUE(run["maximize"]);
  EXPECT_DOUBLE_EQ(run["answer"]["objective"]["mean"], solved.json()["objective"]["mean"]);
  for (const Json& value : run["evaluated"]["values"][0])
    EXPECT_GT(value.get<double>(), -0.06);  // a sum of squares plus noise
}

StoredRun hundred_thousand() {
  StoredRun plan;
  plan.budget = 100'000;
  plan.dimension = 8;
  plan.constraints = 5;
  plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = noise(k, 8) + static_cast<double>(i);
    if (k % 5000 == 1234) return {};
    std::vector<double> values(6);
    for (int f = 0; f < 6; ++f) values[static_cast<std::size_t>(f)] = noise(k, f);
    if (k == 31'415) values[3] = 1000;
    if (k == 92'653) values[0] = -1000;
    return values;
  };
  plan.trace = [](std::int64_t k) {
    return StoredTrace{k, std::vector<double>(8, 0.5), {0.1, 0.2, 0.3, 0.4, 0.5}, "{\"radius\": 0.25}"};
  };
  return plan;
}

TEST(Report, LeavingOutKeepsEveryExtremeAndSaysSo) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    write_run(store, hundred_thousand(), 100'000);
  }
  const ReportSource source(scratch.path("s.db"));
  const RunHistory& h = source.runs().begin()->second->history;
  ASSERT_EQ(h.size(), 100'000u);
  const auto kept = keep_extremes(h, 3000);
  EXPECT_LE(kept.size(), 3100u);
  EXPECT_TRUE(std::ranges::is_sorted(kept));
  EXPECT_TRUE(std::ranges::binary_search(kept, 31'415u));
  EXPECT_TRUE(std::ranges::binary_search(kept, 92'653u));
  for (std::size_t f = 0; f < 6; ++f) {  // of every interval, and so of any union of them
    for (const Stretch& b : intervals(h, 3000 / 13)) {
      EXPECT_TRUE(std::ranges::binary_search(kept, b.lowest[f]));
      EXPECT_TRUE(std::ranges::binary_search(kept, b.highest[f]));
      for (std::size_t k = b.begin; k < b.end; ++k) {
        if (h.state(k) != RunHistory::State::answered) continue;
        ASSERT_GE(h.value(k, f), h.value(b.lowest[f], f));
        ASSERT_LE(h.value(k, f), h.value(b.highest[f], f));
      }
    }
  }
  std::size_t failures = 0;
  for (const auto k : kept) failures += h.state(k) == RunHistory::State::failed;
  EXPECT_EQ(failures, 20u);  // they are in as many intervals
  const auto even = keep_even(h, 1000);
  EXPECT_EQ(even.size(), 1000u);
  EXPECT_EQ(even[1] - even[0], 100u);

  const std::string text = page("s.db", page_data(source, false));
  EXPECT_LT(text.size(), 2'000'000u);
  const Json run = Json::parse(page_data(source, false))["runs"][0];
  EXPECT_EQ(run["evaluated"]["total"], 100'000);
  EXPECT_EQ(run["failures"][0]["count"], 20);
  EXPECT_EQ(run["failures"][0]["reason"], "diverged");
  EXPECT_LT(run["evaluated"]["number"].size(), 4100u);
}

TEST(Report, ManyRunsStayBelowTwoMegabytes) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    StoredRun plan = hundred_thousand();
    plan.budget = 200;
    for (plan.seed = 1; plan.seed <= 230; ++plan.seed) write_run(store, plan, 200);
  }
  const ReportSource source(scratch.path("s.db"));
  EXPECT_EQ(source.runs().size(), ReportSource::most_runs);
  EXPECT_EQ(source.left_out(), 30u);
  EXPECT_LT(page("s.db", page_data(source, false)).size(), 2'000'000u);
  const ReportSource chosen(scratch.path("s.db"), {3});
  EXPECT_EQ(chosen.runs().size(), 1u);
  EXPECT_THROW(ReportSource(scratch.path("s.db"), {999}), Error);
}

TEST(Report, NothingInAStoreCanActInThePage) {
  const std::string nasty = "</script><script>alert(1)</script><!--\"&";
  const Json data{{"name", nasty}, {"mark", "{{data}}"}};
  const std::string text = page(nasty, data.dump());
  EXPECT_THAT(text, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(text, Not(HasSubstr("<!--\"&")));
  EXPECT_THAT(text, HasSubstr("<title>&lt;/script&gt;"));
  const std::string begin = "id=\"data\">";
  const auto from = text.find(begin) + begin.size();
  EXPECT_EQ(Json::parse(text.substr(from, text.find("</script>", from) - from)), data);
  EXPECT_THAT(text, HasSubstr("Copyright (c) 2022 Leon Sorokin"));
  EXPECT_THAT(text, Not(HasSubstr("src=\"http")));
}

// Values of a plane with noise: the fit must be unbiased, and its errors must be those it claims.
TEST(Report, EstimatesAtTheRecommendationAreCalibrated) {
  const Scratch scratch;
  const std::vector<double> at{0.4, 0.6};
  int covered = 0, cases = 60;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    for (int c = 0; c < cases; ++c) {
      StoredRun plan;
      plan.seed = c + 1;
      plan.answer = [c](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
        x[0] = 0.4 + 0.1 * noise(k + 1000 * c, 0);
        x[1] = 0.6 + 0.1 * noise(k + 1000 * c, 1);
        return {3 * x[0] - 2 * x[1] + noise(k + 1000 * c, 2), x[0] + x[1] - 0.9 + 0.1 * noise(k + 1000 * c, 3)};
      };
      write_run(store, plan, 80);
    }
  }
  const ReportSource source(scratch.path("s.db"));
  for (const auto& [id, run] : source.runs()) {
    const PathPoint p = estimate_at(run->history, at, 80);
    covered += std::abs(p.values[0].mean - (3 * 0.4 - 2 * 0.6)) < 2 * p.values[0].se;
    EXPECT_NEAR(p.noise[0], 1, 0.5);
    EXPECT_NEAR(p.violation.mean, 0.1, 0.1);
    EXPECT_TRUE(std::isnan(estimate_at(run->history, at, 3).values[0].mean));  // a plane needs more evaluations
  }
  EXPECT_GE(covered, 50);  // 95 % of 60 is 57; fewer than 50 happens with probability 2e-4 (binomial)
}

// Evaluations all over a bowl: a plane through them would put its bottom where their mean is, 6.6 too high.
TEST(Report, CurvatureThatShowsIsFitted) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    StoredRun plan;
    plan.constraints = 0;
    plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
      Rng rng(derive_key(8, 2, static_cast<std::uint64_t>(k)));
      x = {2 * rng.uniform() - 1, 2 * rng.uniform() - 1};
      return {10 * (x[0] * x[0] + x[1] * x[1]) + rng.normal()};
    };
    write_run(store, plan, 300);
  }
  const ReportSource source(scratch.path("s.db"));
  const PathPoint p = estimate_at(source.runs().begin()->second->history, std::vector<double>{0, 0}, 300);
  EXPECT_LT(p.values[0].se, 0.5);
  EXPECT_NEAR(p.values[0].mean, 0, 4 * p.values[0].se);
  EXPECT_NEAR(p.noise[0], 1, 0.5);
}

TEST(Report, EvaluationsAtThePointItselfAreAveraged) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    StoredRun plan;
    plan.constraints = 0;
    plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
      x = k < 20 ? std::vector<double>{static_cast<double>(k), 1} : std::vector<double>{0.5, 0.5};
      return {k < 20 ? 100.0 * static_cast<double>(k) : k % 2 ? 1.0 : 3.0};
    };
    write_run(store, plan, 40);
  }
  const ReportSource source(scratch.path("s.db"));
  const PathPoint p = estimate_at(source.runs().begin()->second->history, std::vector<double>{0.5, 0.5}, 40);
  EXPECT_DOUBLE_EQ(p.values[0].mean, 2);
  EXPECT_NEAR(p.values[0].se, std::sqrt(20.0 / 19 / 20), 1e-12);
}

TEST(Report, ReadingAgainEqualsReadingAtOnce) {
  const Scratch scratch;
  Store store(scratch.path("s.db"), Store::Access::create);
  StoredRun plan;
  plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
    x = {noise(k, 0), noise(k, 1)};
    return {noise(k, 2), noise(k, 3)};
  };
  const auto id = write_run(store, plan, 5);
  ReportSource source(scratch.path("s.db"), {}, Store::Access::read);
  EXPECT_FALSE(source.refresh());
  // Workers finish in any order: 7 is there before 5 and 6.
  for (const std::int64_t k : {7, 5, 6}) {
    std::vector<double> x(2);
    const auto values = plan.answer(k, x);
    insert_answer(store, id, k, x, values);
    EXPECT_TRUE(source.refresh());
  }
  const RunHistory& h = source.runs().at(id)->history;
  EXPECT_EQ(h.size(), 8u);
  EXPECT_EQ(h.answered(), 8);
  for (std::int64_t k = 0; k < 8; ++k) EXPECT_EQ(h.value(static_cast<std::size_t>(k), 0), noise(k, 2));
  EXPECT_FALSE(source.refresh());
}

TEST(Report, ReadAccessWritesNothing) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    StoredRun plan;
    plan.answer = [](std::int64_t, std::vector<double>&) { return std::vector<double>{1, 1}; };
    write_run(store, plan, 5);
  }
  const std::string before = scratch.read("s.db");
  {
    Store store(scratch.path("s.db"), Store::Access::read);
    EXPECT_THROW(store.connection().run("DELETE FROM answers"), sqlite::Failure);
    EXPECT_THROW(store.begin_run({}), sqlite::Failure);
    EXPECT_EQ(store.answers(1), 5);
  }
  EXPECT_EQ(scratch.read("s.db"), before);
  {
    Store store(scratch.path("s.db"), Store::Access::existing);
    store.connection().run("PRAGMA user_version=1");
  }
  try {
    Store store(scratch.path("s.db"), Store::Access::read);
    FAIL() << "an older schema was read";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("brings it up to date"));
  }
}

TEST(Report, EqualitiesAreReported) {
  const Scratch scratch;
  {
    Store store(scratch.path("s.db"), Store::Access::create);
    StoredRun plan;
    plan.equalities = 1;
    plan.result =
        R"({"objective":{"mean":1.0,"se":0.1},"constraints":[{"name":"c1","mean":-1.0,"se":0.1,)"
        R"("probability_feasible":1.0,"multiplier":null,"multiplier_se":null}],"evaluations":40,"replicates":20})";
    plan.answer = [](std::int64_t k, std::vector<double>& x) -> std::vector<double> {
      x = {k < 20 ? static_cast<double>(k) : 0.5, 0.5};
      return {1, -1, k % 2 ? -0.25 : 0.75};
    };
    write_run(store, plan, 40);
  }
  const Json run = data_of(scratch.path("s.db"))["runs"][0];
  ASSERT_EQ(run["answer"]["functions"].size(), 2u);
  const Json& equality = run["answer"]["functions"][1];
  EXPECT_EQ(equality["name"], "h1");
  EXPECT_TRUE(equality["equality"]);
  EXPECT_DOUBLE_EQ(equality["mean"], 0.25);
  EXPECT_NEAR(run["path"]["violation"].back(), 0.25, 1e-6);
}

TEST(Report, CommandsAreQuotedForAShell) {
  RunRow row;
  row.file = "my problem's.toml";
  row.overrides = R"([["--seed 3","solver.seed=3"],["--set","solver.radius=0.1 x"]])";
  EXPECT_EQ(command_of(row), R"(zeroth solve 'my problem'\''s.toml' --seed 3 --set 'solver.radius=0.1 x')");
}

}  // namespace
}  // namespace zeroth
