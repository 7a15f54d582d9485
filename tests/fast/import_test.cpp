// SPDX-License-Identifier: MIT
//
// Points to try first, evaluations from before, standard errors: read, kept, replayed.
#include "zeroth/run/stored/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "scratch.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/engine/evaluator.hpp"
#include "zeroth/model/likelihood.hpp"
#include "zeroth/model/sites.hpp"
#include "zeroth/run/checked_point.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/run/stored/verify.hpp"
#include "zeroth/store/export.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;

const std::string text =
    "[problem]\nname = \"tank\"\ncommand = [\"./e\"]\nconstraints = [\"pressure\"]\ncommon_noise = true\n"
    "direction = \"maximize\"\nlinear = [\"flow + heat <= 2.5\"]\n"
    "[[variable]]\nname = \"flow\"\nlower = 0.0\nupper = 2.0\n[[variable]]\nname = \"heat\"\nlower = 0.0\nupper = 1.0\n"
    "[solver]\nname = \"trust-bo\"\nbudget = 30\n";

ProblemSource source() { return {"p.toml", text, {}}; }

std::string refusal(const std::string& data) {
  try {
    (void)evaluations_of(parse_table(data, "d.csv"), resolve(source(), false));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

// An engine that answers by a formula, with standard errors, and remembers what it was asked.
class Formula final : public Engine {
 public:
  explicit Formula(const ResolvedProblem& problem) : problem_(problem) {}
  std::string name() const override { return "formula"; }
  int width() const override { return 1; }
  void evaluate(std::span<const Query> batch, const OnAnswer& on_answer, const std::function<bool()>&) override {
    for (std::size_t k = 0; k < batch.size(); ++k) {
      const Vector user = problem_.space.to_user(Vector(as_vector(batch[k].x)));
      asked.push_back(user);
      Rng noise(batch[k].noise);
      Answer a;
      a.values = {std::pow(user[0] - 1.2, 2) + user[1] + 0.1 * noise.normal(), 0.6 - user[0] * user[1]};
      a.se = {0.1, 0};
      on_answer(k, a, {});
    }
  }
  std::vector<Vector> asked;

 private:
  const ResolvedProblem& problem_;
};

TEST(ImportedEvaluations, AreReadFromCsvAndJsonLines) {
  const auto problem = resolve(source(), false);
  const auto csv = evaluations_of(parse_table("flow,heat,objective,pressure,se,n,comment\n1,0.5,3,-1,0.25,4,good\n"
                                              "0.5,0.25,2,0.5,,,\n",
                                              "d.csv"),
                                  problem);
  const auto lines = evaluations_of(
      parse_table(
          "{\"x\":{\"flow\":1,\"heat\":0.5},\"objective\":3,\"constraints\":[-1],\"objective_se\":0.25,\"n\":4}\n"
          "{\"flow\":0.5,\"heat\":0.25,\"values\":[2,0.5]}\n",
          "d.jsonl"),
      problem);
  ASSERT_EQ(csv.rows.size(), 14u);
  for (std::size_t k = 0; k < csv.rows.size(); ++k)
    EXPECT_TRUE(csv.rows[k] == lines.rows[k] || (std::isnan(csv.rows[k]) && std::isnan(lines.rows[k]))) << k;
  EXPECT_EQ(csv.rows[4], 0.25);
  EXPECT_EQ(csv.rows[6], 4);
  EXPECT_TRUE(std::isnan(csv.rows[5]));
}

TEST(ImportedEvaluations, AreRefusedByLine) {
  EXPECT_THAT(refusal("flow,heat,objective\n1,0.5,3\n"), HasSubstr("d.csv:2: there is no column 'pressure'"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n1,0.5,3,1\n1,0.5,,1\n"),
              HasSubstr("d.csv:3: 'objective' is empty"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n1,0.5,x,1\n"), HasSubstr("'objective' is 'x', not a number"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n1,0.5,3\n"), HasSubstr("d.csv:2: has 3 cells"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n3,0.5,3,1\n"),
              HasSubstr("d.csv:2: the point may not be evaluated"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n1.9,0.9,3,1\n"), HasSubstr("'flow + heat <= 2.5'"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure,se\n1,0.5,3,1,-1\n"), HasSubstr("standard error"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure,n\n1,0.5,3,1,0\n"), HasSubstr("'n' is 0"));
  EXPECT_THAT(refusal("flow,heat,objective,pressure\n"), HasSubstr("holds no evaluations"));
  EXPECT_THAT(refusal("{\"flow\":1}\nnonsense\n"), HasSubstr("d.csv:2"));
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
}

TEST(ImportedEvaluations, PointsComeFirstInTheirOrder) {
  ProblemSource s = source();
  const auto plain = resolve(s, false);
  add_rows(s, "--points p.csv", "points",
           points_of(parse_table("heat,flow\n0.5,1\n0.25,0.125\n1,1.5\n", "p.csv"), plain));
  const auto problem = resolve(s, false);
  EXPECT_FALSE(identity_changes(plain.identity, problem.identity).empty());
  Formula engine(problem);
  (void)run(problem.spec, start_solver(problem), engine, run_request(problem));
  ASSERT_GE(engine.asked.size(), 4u);
  const double expected[3][2] = {{1, 0.5}, {0.125, 0.25}, {1.5, 1}};
  for (int k = 0; k < 3; ++k)
    EXPECT_LE(
        (engine.asked[static_cast<std::size_t>(k)] - Vector(Eigen::Vector2d(expected[k][0], expected[k][1]))).norm(),
        1e-12);
  EXPECT_LE(engine.asked.size(), 30u);
}

// A run that begins with imports is one run: interrupted at any number of answers it goes on bit for bit, and further
// imports do not change it.
TEST(ImportedEvaluations, ImportAndReplayAreBitIdentical) {
  const testing_support::Scratch scratch;
  const std::string path = scratch.path("s.db");
  const auto table =
      parse_table("flow,heat,objective,pressure,se,n,seed\n1,0.5,0.5,0.1,0.05,4,17\n1.4,0.6,0.7,-0.2,,,\n", "d.csv");
  const auto plain = resolve(source(), false);
  const auto id = keep_evaluations(path, source(), plain, evaluations_of(table, plain));
  EXPECT_THROW(keep_evaluations(path, source(), plain, evaluations_of(table, plain)), Error);  // twice the same
  ProblemSource s = source();
  EXPECT_EQ(add_imported(s, path, plain), 2);
  const auto problem = resolve(s, false);
  ASSERT_EQ(problem.spec.evaluated.size(), 2u);
  EXPECT_EQ(problem.spec.evaluated[0].values[0], -0.5);  // solvers minimise
  EXPECT_EQ(problem.spec.evaluated[0].count, 4);
  EXPECT_EQ(problem.spec.evaluated[0].se[0], 0.05);
  EXPECT_TRUE(problem.spec.evaluated[1].se.empty());

  Formula whole(problem);
  SolveRequest request;
  request.store = path;
  const SolveOutcome once = solve(s, problem, whole, request);
  EXPECT_EQ(once.result.evaluations, static_cast<std::int64_t>(whole.asked.size()));

  for (const int stop_after : {1, 9, 20}) {
    const std::string other = scratch.path("s" + std::to_string(stop_after) + ".db");
    keep_evaluations(other, source(), plain, evaluations_of(table, plain));
    ProblemSource again = source();
    add_imported(again, other, plain);
    Formula part(problem);
    SolveRequest stopped = request;
    stopped.store = other;
    stopped.stop = [&] { return static_cast<int>(part.asked.size()) >= stop_after; };
    (void)solve(again, resolve(again, false), part, stopped);
    Formula rest(problem);
    SolveRequest resumed = request;
    resumed.store = other;
    resumed.resume = true;
    const SolveOutcome end = solve(again, resolve(again, false), rest, resumed);
    EXPECT_EQ(end.result.x, once.result.x);
  }
  Store store(path, Store::Access::existing);
  const StoreVerdict verdict = verify(store);
  for (const RunVerdict& r : verdict.runs) EXPECT_TRUE(r.sound) << r.run << ": " << r.finding;
  EXPECT_EQ(store.run(id)->status, "imported");
}

TEST(ImportedEvaluations, ExportAndImportAreARoundTripBetweenStores) {
  const testing_support::Scratch scratch;
  const auto problem = resolve(source(), false);
  Formula engine(problem);
  SolveRequest request;
  request.store = scratch.path("a.db");
  (void)solve(source(), problem, engine, request);
  const auto exported = [&](const std::string& path) {
    Store store(path, Store::Access::existing);
    std::string out;
    export_csv(store, store.runs().back(), [&](const std::string& part) { out += part; });
    return out;
  };
  const std::string first = exported(scratch.path("a.db"));
  const auto found = evaluations_of(parse_table(first, "a.csv"), problem);
  keep_evaluations(scratch.path("b.db"), source(), problem, found);
  const std::string second = exported(scratch.path("b.db"));
  EXPECT_EQ(evaluations_of(parse_table(second, "b.csv"), problem).rows, found.rows);
  EXPECT_EQ(evaluations_of(parse_table(second, "b.csv"), problem).seeds, found.seeds);
  // The same by way of JSON.
  Store store(scratch.path("a.db"), Store::Access::existing);
  std::string json;
  export_json(store, store.runs().back(), [&](const std::string& part) { json += part; });
  EXPECT_EQ(evaluations_of(parse_table(json, "a.json"), problem).rows, found.rows);
  EXPECT_EQ(evaluations_of(parse_table(json, "a.json"), problem).seeds, found.seeds);
}

// An evaluator that averages says how sure it is. Its replicates may agree by chance; the check believes the larger of
// the two, and the model has a variance before anything was replicated.
TEST(StandardErrors, MakeTheCheckCarefulAndTheModelKnowNoise) {
  CheckedPoint silent(1), stated(1), wrong(1);
  for (const double v : {1.0, 1.001, 0.999}) {
    silent.add(Answer{{v}, {}, {}});
    stated.add(Answer{{v}, {}, {0.1}});
    wrong.add(Answer{{100 * v}, {}, {1e-9}});
  }
  EXPECT_LT(silent.estimate(0).se, 0.001);
  EXPECT_GT(stated.estimate(0).se, 0.04);
  EXPECT_LT(stated.estimate(0).se, 0.1);
  EXPECT_NEAR(wrong.estimate(0).se, 0.1 / std::sqrt(3.0), 1e-12) << "a statement never hides what is seen";
  CheckedPoint one(1);
  one.add(Answer{{2.0}, {}, {0.5}});
  EXPECT_EQ(one.deviation(0), 0.5);

  Sites sites(1);
  const Vector u = Vector::Constant(1, 0.2), v = Vector::Constant(1, 0.8);
  sites.add(u, Answer{{1.0}, {}, {0.3}});
  sites.add(v, Answer{{2.0}, {}, {}});
  const Vector variance = noise_variances(sites, {0, 1}, 0);
  EXPECT_NEAR(variance[0], 0.09, 1e-12);
  EXPECT_NEAR(variance[1], 0.09, 1e-12) << "as elsewhere, where nothing is stated";
  sites.add(v, Evaluated{v, {2.0}, {0.1}, 4});
  EXPECT_NEAR(*sites[1].stated_variance(0), 0.04, 1e-12) << "of one evaluation, of which four made the mean";
}

// Whatever a solver believes, what is stated is part of it; those that average or sample have no place for it.
TEST(StandardErrors, AreUsedByEveryBelief) {
  const auto asked = [](const std::string& solver, const Settings& settings, bool stated) {
    Spec spec;
    spec.domain = Domain::box(2, 0, 1);
    spec.constraints = 1;
    spec.plan_for(60, 0);
    Search search = solver_named(solver).make(spec, settings, 3);
    std::vector<double> all;
    for (int done = 0; done < 40 && !search.done();) {
      std::vector<Answer> answers;
      for (const Query& q : search.ask()) {
        all.insert(all.end(), q.x.begin(), q.x.end());
        Rng rng(q.noise);
        const double se = rng.uniform() < 0.5 ? 0.02 : 0.3;
        Answer a{{std::pow(q.x[0] - 0.3, 2) + q.x[1] + se * rng.normal(), 0.4 - q.x[0] + se * rng.normal()}, {}};
        if (stated) a.se = {se, se};
        answers.push_back(a);
        ++done;
      }
      search.tell(answers);
    }
    return all;
  };
  const Settings light_pesc{{"samples", {std::int64_t{2}, ""}},
                            {"burn_in", {std::int64_t{1}, ""}},
                            {"grid", {std::int64_t{40}, ""}},
                            {"features", {std::int64_t{40}, ""}}};
  const Settings light_admm{{"grid", {std::int64_t{100}, ""}}};
  const Settings estimated{{"noise", {std::string("estimated"), ""}}};
  for (const auto& [solver, settings] : std::vector<std::pair<std::string, Settings>>{{"auto", {}},
                                                                                      {"trust-bo", {}},
                                                                                      {"adaptive-conex", {}},
                                                                                      {"albo", estimated},
                                                                                      {"slack-al", estimated},
                                                                                      {"admmbo", light_admm},
                                                                                      {"pesc", light_pesc}})
    EXPECT_NE(asked(solver, settings, true), asked(solver, settings, false)) << solver;
  for (const char* solver : {"albo", "slack-al", "conex", "random", "sobol"})
    EXPECT_EQ(asked(solver, {}, true), asked(solver, {}, false)) << solver;
}

TEST(StandardErrors, WeighEvaluationsInAProcess) {
  Vector se(4);
  se << 0.1, 0.1, 0.4, std::nan("");
  const Vector spread = spread_of_stated(se);
  EXPECT_DOUBLE_EQ(spread[0], 0.01 / 0.06);
  EXPECT_DOUBLE_EQ(spread[2], 0.16 / 0.06);
  EXPECT_DOUBLE_EQ(spread[3], 1);
  EXPECT_EQ(spread_of_stated(Vector::Zero(3)).size(), 0);
  EXPECT_EQ(spread_of_stated(Vector::Constant(3, std::nan(""))).size(), 0);
  // Two evaluations of one point disagree: the mean lies near the one that is surer.
  Evaluations evaluations{Matrix::Constant(1, 2, 0.5), Vector(Eigen::Vector2d(1, 2)), {}};
  evaluations.spread = spread_of_stated(Vector(Eigen::Vector2d(0.1, 1)));
  const Gp gp = make_gp(Kernel::Form::matern52, Trend::zero, evaluations, {Vector::Zero(1), 2, -1});
  EXPECT_LT(gp.at(Vector::Constant(1, 0.5)).mean, 1.1);
}

TEST(StandardErrors, OfAStatementAreThoseOfItsValue) {
  const auto meaning = read_meaning({"mean(wait) <= 3", "probability(wait <= 5) >= 0.9", "cost"}, 0, "");
  ASSERT_TRUE(meaning);
  CheckedPoint point(4, &*meaning);
  point.add(Answer{{1, 2, 0.5}, {}, {0.1, 0.2, 0.3}});
  EXPECT_EQ(point.deviation(0), 0.1);
  EXPECT_EQ(point.deviation(1), 0.2);
  EXPECT_TRUE(std::isnan(point.deviation(2)));
  EXPECT_EQ(point.deviation(3), 0.3);
}

TEST(StandardErrors, AreReadFromReplies) {
  Evaluator e;
  e.constraints = 2;
  const auto read = [&](const std::string& more) {
    return parse_reply("{\"id\":1,\"objective\":1.0,\"constraints\":[0.5,2]" + more + "}", 1, e).answer;
  };
  EXPECT_TRUE(read("").se.empty());
  const Answer some = read(",\"objective_se\":0.1,\"constraints_se\":[0.2,null]");
  ASSERT_EQ(some.se.size(), 3u);
  EXPECT_EQ(some.se[0], 0.1);
  EXPECT_EQ(some.se[1], 0.2);
  EXPECT_TRUE(std::isnan(some.se[2]));
  EXPECT_THAT(read(",\"objective_se\":-1").failure, HasSubstr("objective_se"));
  EXPECT_THAT(read(",\"constraints_se\":[1]").failure, HasSubstr("constraints_se"));
}

TEST(SeedBits, KeepSeedsShort) {
  Evaluator e;
  e.write_x = [](std::span<const double>, std::string& json) { json += "[]"; };
  const Query q{{}, (std::uint64_t{1} << 53) - 1, {}};
  EXPECT_THAT(request_line(e, q, 1), HasSubstr("\"seed\":9007199254740991}"));
  e.seed_bits = 31;
  EXPECT_THAT(request_line(e, q, 1), HasSubstr("\"seed\":2147483647}"));
}

// The C++ door: a polyhedron, a known limit, points and evaluations from before.
TEST(MinimizeInCpp, KnowsWhatIsKnown) {
  Problem p;
  p.spec.domain = Domain::polyhedron(Vector::Zero(2), Vector::Ones(2), Matrix::Ones(1, 2),
                                     Vector::Constant(1, -infinity), Vector::Ones(1));
  p.spec.known = [](std::span<const double> x) { return x[0] * x[1] <= 0.2; };
  p.spec.known_points = {Vector(Eigen::Vector2d(0.125, 0.25))};
  p.spec.evaluated = {{Vector(Eigen::Vector2d(0.25, 0.5)), {0.9}, {}, 1}};
  int asked = 0;
  p.oracle = [&](std::span<const double> x, Rng& noise, std::span<double> values) {
    if (asked++ == 0) {
      EXPECT_EQ(x[0], 0.125);
    }
    EXPECT_LE(x[0] + x[1], 1);
    EXPECT_LE(x[0] * x[1], 0.2);
    values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.01 * noise.normal();
  };
  MinimizeOptions options;
  options.budget = 200;
  const Result result = minimize(p, options);
  EXPECT_LE(result.x.sum(), 1);
  EXPECT_EQ(asked, result.evaluations);
}

}  // namespace
}  // namespace zeroth
