// SPDX-License-Identifier: MIT
//
// Functions that have their costs: what is asked, what is not, what is charged, and that runs stay what they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "scratch.hpp"
#include "zeroth/adapters/cheap_first.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/model/sites.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/run/run_state.hpp"

namespace zeroth::testing_support {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Spec spec_with(std::vector<double> cost, Index constraints) {
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  spec.constraints = constraints;
  spec.equalities = static_cast<Index>(cost.size()) - 1 - constraints;
  spec.cost = as_vector(std::span<const double>(cost));
  return spec;
}

TEST(Costs, CheapFunctionsComeFirst) {
  using Flags = std::vector<std::vector<std::uint8_t>>;
  EXPECT_EQ(stages_of(spec_with({100, 1, 1}, 2)), (Flags{{0, 1, 1}, {1, 0, 0}}));
  EXPECT_EQ(stages_of(spec_with({100, 10, 1}, 2)), (Flags{{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}));
  // Nothing to be learned from a cheap objective or equality, or to be spared by functions that cost about the same.
  EXPECT_EQ(stages_of(spec_with({1, 100}, 1)), (Flags{{1, 1}}));
  EXPECT_EQ(stages_of(spec_with({100, 1}, 0)), (Flags{{1, 1}}));
  EXPECT_EQ(stages_of(spec_with({1.9, 1}, 1)), (Flags{{1, 1}}));
  // What costs nothing is known with the first question.
  EXPECT_EQ(stages_of(spec_with({100, 0, 1}, 2)), (Flags{{0, 1, 1}, {1, 0, 0}}));
}

// min x_0 + x_1 where 1 - x_0 - x_1 + noise <= 0 on the square: half of it is infeasible.
Problem triangle(double noise) {
  Problem p;
  p.name = "triangle";
  p.spec = spec_with({100, 1}, 1);
  p.spec.start = Vector::Constant(2, 0.9);
  p.partial = [noise](std::span<const double> x, Rng& r, std::span<const std::uint8_t> wanted, std::span<double> v) {
    const double a = r.normal(), b = r.normal();
    if (wanted[0] != 0) v[0] = x[0] + x[1] + noise * a;
    if (wanted[1] != 0) v[1] = 1 - x[0] - x[1] + noise * b;
  };
  return p;
}

struct Seen {
  std::map<std::pair<std::uint64_t, std::vector<double>>, std::array<int, 2>> asked;  // how often, by function
  double cost = 0;
  std::vector<std::uint64_t> order;
  Result result;
};

Seen followed(const Problem& problem, const std::string& solver, std::int64_t budget) {
  RunPlan plan;
  plan.solver = solver;
  plan.budget = budget;
  plan.cost = problem.spec.cost;
  Spec spec = problem.spec;
  spec.plan_for(affordable_evaluations(static_cast<double>(budget), spec.cost), plan.check_share);
  RunState run(spec, solver_named(solver).make(spec, {}, 1), plan);
  Seen seen;
  while (!run.done()) {
    std::int64_t number = run.evaluations();
    for (const Query& q : run.batch()) {
      auto& counts = seen.asked[{q.noise, {q.x.begin(), q.x.end()}}];
      for (Index i = 0; i < 2; ++i) counts[static_cast<std::size_t>(i)] += q.wants(i);
      seen.cost += cost_of(problem.spec.cost, q);
      seen.order.push_back(q.noise);
      run.receive(number++, evaluate_once(problem, q));
    }
    run.advance();
  }
  seen.result = run.result();
  return seen;
}

class PartialAnswers : public testing::TestWithParam<std::string> {};

TEST_P(PartialAnswers, ADearObjectiveIsNotAskedWhereACheapConstraintFails) {
  const Problem problem = triangle(0);
  const Seen seen = followed(problem, GetParam(), 6060);
  std::size_t whole = 0, spared = 0, infeasible_in_full = 0;
  for (const auto& [key, counts] : seen.asked) {
    const auto& x = key.second;
    EXPECT_LE(counts[0], counts[1]) << "an objective without its constraint";
    if (GetParam() != "auto") EXPECT_LE(counts[1], 1) << "one question twice";
    whole += counts[0] > 0;
    if (counts[0] == 0) {
      ++spared;
    } else {
      infeasible_in_full += x[0] + x[1] < 1;
    }
  }
  EXPECT_GE(spared, 5u);
  EXPECT_GE(whole, 10u);
  // The first four points, and within auto the search by slopes.
  if (GetParam() != "auto") EXPECT_LE(infeasible_in_full, 4u);
  EXPECT_EQ(seen.result.feasibility, Feasibility::confirmed);
  EXPECT_LT(seen.result.objective.mean, GetParam() == "auto" || GetParam() == "trust-bo" ? 1.02 : 1.4);
}

TEST_P(PartialAnswers, WhatIsChargedIsWhatWasAsked) {
  for (const double noise : {0.0, 0.1}) {
    const Problem problem = triangle(noise);
    const Seen seen = followed(problem, GetParam(), 3333);
    EXPECT_EQ(seen.result.cost, seen.cost);
    EXPECT_LE(seen.cost, 3333);
    EXPECT_GE(seen.cost, 3333 - 4 * 101) << "and most of the budget is used";
    EXPECT_EQ(seen.result.cost, 100.0 * static_cast<double>(seen.result.function_calls[0]) +
                                    static_cast<double>(seen.result.function_calls[1]));
    EXPECT_EQ(followed(problem, GetParam(), 3333).order, seen.order) << "same seed, same questions";
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, PartialAnswers, testing::Values("auto", "trust-bo", "random", "sobol"),
                         [](const auto& info) { return info.param == "trust-bo" ? "trust_bo" : info.param; });

// Units spent until the recommendation stays feasible and within 1 % of the optimum, as `zeroth bench costs` has it.
double spent_until_good(Problem problem, bool apart, std::uint64_t seed) {
  const Vector cost = (Vector(3) << 100, 1, 1).finished();
  constexpr std::int64_t evaluations = 60;
  if (apart) problem.spec.cost = cost;
  RunPlan plan;
  plan.check_share = 0;
  plan.budget = apart ? static_cast<std::int64_t>(evaluations * cost.sum()) : evaluations;
  plan.cost = problem.spec.cost;
  problem.spec.plan_for(evaluations, 0);
  RunState run(problem.spec, solver_named("auto").make(problem.spec, {}, seed), plan);
  const auto units = [&] { return apart ? run.spent() : run.spent() * cost.sum(); };
  double good_since = infinity;
  while (!run.done()) {
    std::int64_t number = run.evaluations();
    for (const Query& q : run.batch()) run.receive(number++, evaluate_once(problem, q));
    run.advance();
    std::vector<double> at(3);
    problem.truth->expected(as_span(run.recommended()), at);
    const bool good = at[1] <= 0.01 && at[2] <= 0.01 && at[0] - problem.truth->best_value <= 0.02;
    if (!good) good_since = infinity;
    else if (std::isinf(good_since)) good_since = units();
  }
  return std::min(good_since, evaluations * cost.sum());
}

// Where constraints cost 1 and the objective 100, asking for them apart is worth a factor of two and more.
TEST(Costs, AskingApartSavesHalfOfTheCost) {
  const Problem problem = constrained_bo({"lsq", 0.0, 0});
  ASSERT_EQ(problem.spec.functions(), 3);
  double together = 0, apart = 0;
  for (const std::uint64_t seed : {1001u, 1002u, 1003u}) {
    together += spent_until_good(problem, false, seed);
    apart += spent_until_good(problem, true, seed);
  }
  EXPECT_LT(2 * apart, together);
}

TEST(Costs, EverySolverKeepsToTheBudgetInUnits) {
  for (const SolverEntry& entry : solvers()) {
    if (entry.name == "pesc") continue;  // seconds per step
    MinimizeOptions o;
    o.solver = entry.name;
    o.budget = 2100;
    const Result r = minimize(triangle(0.05), o);
    ASSERT_TRUE(r.cost.has_value()) << entry.name;
    EXPECT_LE(*r.cost, 2100) << entry.name;
    EXPECT_GT(*r.cost, 0) << entry.name;
  }
}

TEST(Costs, SitesCountWhatTheySaw) {
  Sites sites(2);
  const Vector u = Vector::Constant(2, 0.5), v = Vector::Constant(2, 0.25);
  const double none = std::nan("");
  sites.add(u, Answer{{none, 1.0}, {}, {}});
  EXPECT_EQ(sites.answered(), 0) << "its objective is not known";
  sites.add(u, Answer{{4.0, 3.0}, {}, {}});
  sites.add(v, Evaluated{v, {none, 2.0}, {none, 0.5}, 3});
  EXPECT_EQ(sites.answered(), 1);
  EXPECT_EQ(sites[0].seen(0), 1);
  EXPECT_EQ(sites[0].seen(1), 2);
  EXPECT_EQ(sites[0].mean[0], 4.0);
  EXPECT_EQ(sites[0].mean[1], 2.0);
  EXPECT_EQ(sites[1].seen(0), 0);
  EXPECT_EQ(sites[1].seen(1), 3);
  EXPECT_NEAR(sites[1].squares[1], 0.25 * 3 * 2, 1e-12);
}

const std::string costs = "[cost]\nobjective = 100\np = 1\nq = 1\n";

std::string costly(int budget, const std::string& solver = "trust-bo", const std::string& evaluator = "\"ok\"") {
  std::string text =
      problem_text(evaluator + ", \"--limit\", \"0.4\", \"--log\", \"asked\"", "partial = true\n", budget);
  text.replace(text.find("\"random\""), 8, "\"" + solver + "\"");
  return text + costs;
}

class CostlyRun : public testing::Test {
 protected:
  Ran solve(const std::string& store, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"solve", "p.toml", "--json", "-q", "--store", store};
    words.insert(words.end(), more.begin(), more.end());
    return zeroth(scratch_, words);
  }
  Scratch scratch_;
};

TEST_F(CostlyRun, TheEvaluatorIsToldWhatIsWanted) {
  scratch_.write("p.toml", costly(3000));
  const Ran ran = solve("a.db");
  const auto json = ran.json();
  ASSERT_TRUE(json.is_object()) << ran.error;
  EXPECT_EQ(json["failed"], 0) << ran.out;
  EXPECT_GT(json["asked"]["p"], json["asked"]["objective"]);
  EXPECT_EQ(json["cost"], 100 * json["asked"]["objective"].get<int>() + json["asked"]["p"].get<int>() +
                              json["asked"]["q"].get<int>());
  const std::string log = scratch_.read("asked");
  EXPECT_THAT(log, AllOf(HasSubstr(R"("wanted":["p","q"]})"), HasSubstr(R"("wanted":["objective"]})"),
                         HasSubstr(R"("wanted":["objective","p","q"]})")));
  EXPECT_EQ(zeroth(scratch_, {"verify", "a.db"}).code, 0);
  EXPECT_EQ(bits_of(ran), bits_of(solve("b.db", {"--jobs", "2"})));
  EXPECT_EQ(bits_of(ran), bits_of(solve("a.db", {"--resume"})));
}

TEST_F(CostlyRun, AKilledRunGoesOnBitForBit) {
  scratch_.write("p.toml", costly(2500));
  const Ran whole = solve("whole.db");
  scratch_.write("p.toml", costly(2500, "trust-bo", "\"ok\", \"--sleep\", \"0.01\""));
  for (int kills = 0; kills < 3; ++kills) {
    Process process(scratch_, {tool, "solve", "p.toml", "-q", "--store", "killed.db", "--resume"});
    ::usleep(250'000);
    process.signal(SIGKILL);
    process.wait();
  }
  const auto ended = solve("killed.db", {"--resume"}).json(), expected = whole.json();
  for (const char* key : {"x", "cost", "asked", "objective", "constraints", "evaluations"})
    EXPECT_EQ(ended[key], expected[key]) << key;
}

TEST_F(CostlyRun, ExportAndImportKeepWhatWasNotAsked) {
  scratch_.write("p.toml", costly(2500));
  ASSERT_TRUE(solve("a.db").json().is_object());
  scratch_.write("run.csv", zeroth(scratch_, {"export", "a.db", "--csv"}).out);
  const Ran imported = zeroth(scratch_, {"import", "p.toml", "run.csv", "--store", "b.db"});
  ASSERT_EQ(imported.code, 0) << imported.error;
  // Parts of one evaluation become one; what was imported is exported as it is.
  scratch_.write("again.csv", zeroth(scratch_, {"export", "b.db", "--csv"}).out);
  const Ran twice = zeroth(scratch_, {"import", "p.toml", "again.csv", "--store", "c.db"});
  ASSERT_EQ(twice.code, 0) << twice.error;
  EXPECT_EQ(zeroth(scratch_, {"export", "c.db", "--csv"}).out, scratch_.read("again.csv"));
  EXPECT_THAT(scratch_.read("again.csv"), HasSubstr(",,")) << "objectives that were never asked";
  const auto json = solve("b.db").json();
  EXPECT_EQ(json["failed"], 0);
  EXPECT_EQ(zeroth(scratch_, {"verify", "b.db"}).code, 0);
}

TEST_F(CostlyRun, ALargerBudgetCarriesTheCost) {
  scratch_.write("p.toml", costly(2000));
  const auto first = solve("a.db").json();
  scratch_.write("p.toml", costly(4000));
  const Ran more = solve("a.db", {"--resume"});
  const auto json = more.json();
  ASSERT_TRUE(json.is_object()) << more.error;
  EXPECT_LE(json["cost"], 4000);
  EXPECT_GT(json["cost"], first["cost"]);
  EXPECT_EQ(zeroth(scratch_, {"verify", "a.db"}).code, 0);
}

TEST_F(CostlyRun, OthersMayAnswer) {
  scratch_.write("p.toml", costly(2500));
  const Ran solved = solve("solved.db");
  for (int round = 0; round < 400; ++round) {
    const bool table = round % 2 == 1;
    const Ran asked =
        zeroth(scratch_, table ? std::vector<std::string>{"ask", "p.toml", "--store", "a.db", "-q", "--csv"}
                               : std::vector<std::string>{"ask", "p.toml", "--store", "a.db", "-q"});
    ASSERT_EQ(asked.code, 0) << asked.error;
    if (asked.out.empty()) break;
    if (table) {  // nothing is filled in yet: no answer, though some cells hold "-"
      scratch_.write("t.csv", asked.out);
      ASSERT_EQ(zeroth(scratch_, {"tell", "--store", "a.db", "-q", "t.csv"}).code, 0);
    }
    const Ran again = zeroth(scratch_, {"ask", "p.toml", "--store", "a.db", "-q", "--again"});
    scratch_.write("questions", again.out);
    const Ran answers = run(scratch_, {"/bin/sh", "-c", test_evaluator + " ok --limit 0.4 < questions"});
    scratch_.write("answers", answers.out);
    const Ran told = zeroth(scratch_, {"tell", "--store", "a.db", "-q", "answers"});
    ASSERT_EQ(told.code, 0) << told.error;
  }
  const Ran result = zeroth(scratch_, {"ask", "p.toml", "--store", "a.db", "-q", "--result", "--json"});
  EXPECT_EQ(bits_of(result), bits_of(solved));
}

TEST_F(CostlyRun, TheDoctorAsksForEachAlone) {
  scratch_.write("p.toml", costly(3000));
  const Ran ran = zeroth(scratch_, {"check", "p.toml"});
  EXPECT_EQ(ran.code, 0) << ran.error;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("asked alone"), HasSubstr("units"), Not(HasSubstr("another value"))));
}

TEST_F(CostlyRun, MeantValuesHaveTheirCosts) {
  std::string text = costly(3000);
  text.replace(text.find("[\"p\", \"q\"]"), 10, "[\"mean(p) <= 0\", \"probability(q <= 0) >= 0.9\"]");
  scratch_.write("p.toml", text);
  const auto json = solve("a.db").json();
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["failed"], 0);
  EXPECT_GE(json["asked"]["p"], json["asked"]["objective"]);
  EXPECT_LE(json["cost"], 3000);
}

TEST_F(CostlyRun, SlipsAreNamed) {
  struct Slip {
    std::string from, to, where, remedy;
  };
  for (const Slip& slip : {
           Slip{"partial = true\n", "", "[cost]", "add 'partial = true'"},
           Slip{"objective = 100", "objektive = 100", "p.toml:", "did you mean 'objective'?"},
           Slip{"objective = 100\n", "", "does not say what 'objective' costs", "objective, p, q"},
           Slip{"p = 1", "p = -1", "'p' costs -1", "from 0 to"},
           Slip{"budget = 3000", "budget = 101", "'budget' leaves 101", "costs 102"},
           Slip{"objective = 100\np = 1\nq = 1", "objective = 0\np = 0\nq = 0", "all costs are 0", "above"},
           Slip{"partial = true", "partial = 3", "'partial'", "true or false"},
       }) {
    std::string text = costly(3000);
    const auto at = text.find(slip.from);
    ASSERT_NE(at, std::string::npos) << slip.from;
    scratch_.write("p.toml", text.replace(at, slip.from.size(), slip.to));
    const Ran ran = solve("a.db");
    EXPECT_EQ(ran.code, 2) << slip.to << ran.error;
    EXPECT_THAT(ran.error, AllOf(HasSubstr("p.toml"), HasSubstr(slip.where), HasSubstr(slip.remedy))) << slip.to;
  }
}

TEST_F(CostlyRun, AnUnwantedValueIsNotUsedAndAWantedOneMustBeThere) {
  Evaluator e;
  e.constraints = 2;
  e.partial = {"objective", "p", "q"};
  const std::vector<std::uint8_t> constraints{0, 1, 1}, first{1, 1, 0};
  const auto read = [&](const std::string& reply, const std::vector<std::uint8_t>& wanted) {
    return parse_reply("{\"id\":1," + reply + "}", 1, e, wanted).answer;
  };
  const Answer given = read("\"objective\":7,\"constraints\":[1,2]", constraints);
  EXPECT_TRUE(std::isnan(given.values[0]));
  EXPECT_EQ(given.values[2], 2);
  EXPECT_TRUE(std::isnan(read("\"objective\":7,\"constraints\":[1,null]", first).values[2]));
  EXPECT_THAT(read("\"constraints\":[1,null]", constraints).failure, HasSubstr("though it was wanted"));
  EXPECT_THAT(read("\"constraints\":[1,2]", first).failure, HasSubstr("no \"objective\""));
  EXPECT_THAT(read("\"objective\":7", constraints).failure, HasSubstr("no \"constraints\""));
}

}  // namespace
}  // namespace zeroth::testing_support
