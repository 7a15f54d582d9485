// SPDX-License-Identifier: MIT
//
// Equality constraints from the solvers to the checked answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/equalities.hpp"
#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/problems/hock_schittkowski.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth {
namespace {

// min |x - 1|^2 s.t. <a, x> = b: x = 1 + (b - <a, 1>)/|a|^2 a, multiplier -2 (b - <a, 1>)/|a|^2; noise 0.05 on both.
struct Plane {
  Vector a{{1, 2, -1, 0.5, 1, 0}};
  double b = 1, scale = 1;
  double shift() const { return (b - a.sum()) / a.squaredNorm(); }
  Problem problem() const {
    Problem p;
    p.spec.domain = Domain::box(a.size(), -3, 3);
    p.spec.equalities = 1;
    p.spec.common_noise = p.spec.defined_everywhere = true;
    Truth truth;
    truth.best_value = shift() * shift() * a.squaredNorm();
    truth.expected = [*this](std::span<const double> x, std::span<double> values) {
      values[0] = (as_vector(x).array() - 1).square().sum();
      values[1] = scale * (a.dot(as_vector(x)) - b);
    };
    p.oracle = [expected = truth.expected, s = scale](std::span<const double> x, Rng& noise, std::span<double> values) {
      expected(x, values);
      values[0] += 0.05 * noise.normal();
      values[1] += 0.05 * s * noise.normal();
    };
    p.truth = std::move(truth);
    return p;
  }
};

TEST(Equalities, AdaptiveConexFindsThePointAndTheMultiplierOfEitherSign) {
  for (const double sign : {1.0, -1.0}) {
    Plane plane;
    plane.scale = sign;
    const EqualityTrial t = run_with_equalities(plane.problem(), "adaptive-conex", 2000, 3);
    EXPECT_LT(std::abs(t.gap), 0.01 * plane.problem().truth->best_value);
    EXPECT_LT(t.violation, 0.02);
    ASSERT_EQ(t.result.equalities.size(), 1u);
    const EqualityResult& h = t.result.equalities[0];
    EXPECT_NEAR(h.multiplier.mean, -2 * sign * plane.shift(), 0.1);
    EXPECT_NE(t.result.feasibility, Feasibility::infeasible);
  }
}

TEST(Equalities, ConexFindsThePointOfTheSameProblem) {
  const Plane plane;
  Problem problem = plane.problem();
  MinimizeOptions options;
  options.solver = "conex";
  options.budget = 40000;
  options.settings["eta"].value = 40.0;
  options.settings["tau"].value = 40.0;
  options.settings["nu"].value = 0.01;
  options.settings["shared_directions"].value = true;
  const Result r = minimize(problem, options);
  std::vector<double> f(2);
  problem.truth->expected(as_span(r.x), f);
  EXPECT_NEAR(f[0], problem.truth->best_value, 0.1 * problem.truth->best_value);
  EXPECT_LT(std::abs(f[1]), 0.1);
  EXPECT_NEAR(r.equalities.at(0).multiplier.mean, -2 * plane.shift(), 0.3);
}

TEST(Equalities, AreRefusedWhereTheyCannotBeHeld) {
  Plane plane;
  plane.a = Vector::Constant(2500, 0.02);  // beyond the dense solver
  for (const char* solver : {"adaptive-conex", "auto"}) {
    try {
      run_with_equalities(plane.problem(), solver, 100, 1);
      FAIL() << "no error";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("schedule = \"adaptive\""), std::string::npos) << e.what();
    }
  }
}

// min |x - c|^2 s.t. |x|^2 = 1, from a random c; x = c / |c|. Nothing was tuned on it.
Problem on_a_sphere(Index n, std::uint64_t instance, double noise_sd) {
  Rng rng(derive_key(instance, 0x737068657265));
  Vector c(n);
  for (double& v : c) v = rng.normal();
  Problem p;
  p.spec.domain = Domain::box(n, -2, 2);
  p.spec.equalities = 1;
  p.spec.defined_everywhere = true;
  p.spec.start = Vector::Constant(n, 0.5);
  p.spec.equality_tolerance = Vector::Constant(1, 0.02);
  Truth truth;
  truth.best_value = (c.norm() - 1) * (c.norm() - 1);
  truth.expected = [c](std::span<const double> x, std::span<double> values) {
    values[0] = (as_vector(x) - c).squaredNorm();
    values[1] = as_vector(x).squaredNorm() - 1;
  };
  p.oracle = [expected = truth.expected, noise_sd](std::span<const double> x, Rng& noise, std::span<double> values) {
    expected(x, values);
    for (double& v : values) v += noise_sd * noise.normal();
  };
  p.truth = std::move(truth);
  return p;
}

double middle_of(std::vector<double> v) {
  std::ranges::sort(v);
  return v[v.size() / 2];
}

// How far off the middle one of five trials is, on both counts.
double off(Index n, const std::string& solver, std::int64_t budget, double noise_sd) {
  std::vector<double> trials;
  for (std::uint64_t k = 1; k <= 5; ++k) {
    const EqualityTrial t = run_with_equalities(on_a_sphere(n, k, noise_sd), solver, budget, k);
    trials.push_back(std::max(std::abs(t.gap), t.violation));
    if (t.result.feasibility == Feasibility::confirmed) EXPECT_LE(t.violation, 0.02) << solver << " " << k;
  }
  return middle_of(trials);
}

TEST(Equalities, MoreEvaluationsBringAdaptiveConexNearer) {
  for (const Index n : {3, 8})
    EXPECT_LT(off(n, "adaptive-conex", 3000, 0.05), off(n, "adaptive-conex", 300, 0.05)) << n;
}

TEST(Equalities, BayesianSolversComeNearerThanRandomSearch) {
  const double random = off(2, "random", 60, 0.01);
  for (const char* solver : {"slack-al", "albo", "trust-bo"}) EXPECT_LT(off(2, solver, 60, 0.01), random) << solver;
}

TEST(Equalities, AutoHoldsThemWhateverItChoosesAndWhateverTheirScale) {
  for (const double scale : {1.0, 1000.0})
    for (const std::int64_t budget : {100, 1500}) {
      Plane plane;
      plane.scale = scale;
      const EqualityTrial t = run_with_equalities(plane.problem(), "auto", budget, 5);
      EXPECT_LT(t.violation, 0.1 * scale) << t.result.note;
      EXPECT_LT(std::abs(t.gap), 0.2) << t.result.note;
    }
}

TEST(EqualityRule, StatesItsToleranceAndItsProbability) {
  Spec spec;
  spec.constraints = 1;
  spec.equalities = 2;
  EqualityRule rule(spec);
  rule.see({}, {{0, 7, 3, -50}, {}});
  rule.see({}, Answer::failed_because("no answer"));
  const std::vector<std::uint8_t> all_but_the_first{1, 1, 0, 1};
  rule.see({{}, 0, all_but_the_first}, {{0, 7, 1000, 5}, {}});
  EXPECT_DOUBLE_EQ(rule.tolerance(0, 0.001), 0.03);  // one percent of the largest seen
  EXPECT_DOUBLE_EQ(rule.tolerance(0, 0.1), 0.4);     // what four standard errors cannot tell from zero
  EXPECT_DOUBLE_EQ(rule.tolerance(1, std::nan("")), 0.5);
  EXPECT_DOUBLE_EQ(rule.probability(1, {0.2, 0}, 3), 1);
  EXPECT_DOUBLE_EQ(rule.probability(1, {-0.6, 0}, 3), 0);
  // At the edge of the tolerance: half, as for an inequality at its limit; from both sides alike.
  EXPECT_NEAR(rule.probability(1, {0.5, 0.01}, 50), 0.5, 1e-9);
  EXPECT_NEAR(rule.probability(1, {-0.5, 0.01}, 50), 0.5, 1e-9);
  spec.equality_tolerance = Vector{{0.2, 0.25}};
  EXPECT_DOUBLE_EQ(EqualityRule(spec).tolerance(1, 10), 0.25);  // as told, whatever the noise
}

// 400 runs of a known problem: stated intervals of |E[h]| cover, and a violated equality is not called met.
TEST(EqualityRule, IntervalsCoverAndViolationsAreNoticed) {
  Spec spec;
  spec.domain = Domain::box(1, 0, 1);
  spec.equalities = 1;
  spec.equality_tolerance = Vector::Constant(1, 0.1);
  for (const double truth : {0.0, 0.03, 0.3}) {
    int covered = 0, met = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Rng rng(seed);
      CheckedPoint point(2);
      for (int k = 0; k < 50; ++k) {
        const std::vector<double> values{1, truth + 0.2 * rng.normal()};
        point.add(values);
      }
      Result result;
      summarize(spec, EqualityRule(spec), point, {}, {}, result);
      const EqualityResult& h = result.equalities.at(0);
      covered += h.low <= truth && truth <= h.high;
      met += probability_all_feasible(result) >= 0.95;
    }
    EXPECT_GE(covered, 369);  // 95 % less four standard errors
    if (truth == 0) EXPECT_GE(met, 330);
    if (truth > 0.1) EXPECT_EQ(met, 0);
  }
}

TEST(Equalities, TheProblemFileStatesAToleranceAndTheResultReportsIt) {
  const auto resolved = [](const std::string& more) {
    return resolve(parse_document("[problem]\nbuiltin = \"constrained-bo\"\nproblem = \"gsbp\"\n" + more, "p.toml"));
  };
  const ResolvedProblem p = resolved("equality_tolerance = [0.02, 0.03]\n[solver]\nname = \"slack-al\"\n");
  EXPECT_EQ(p.spec.equality_tolerance, (Vector{{0.02, 0.03}}));
  EXPECT_EQ(std::get<double>(p.solver_options.at("equality_tolerance").value), 0.02);  // the solver's too
  EXPECT_THROW(resolved("equality_tolerance = [0.02, 0.03, 1.0]\n"), Error);
  EXPECT_THROW(resolved("equality_tolerance = 0.0\n"), Error);
  EXPECT_THROW(resolve(parse_document("[problem]\nbuiltin = \"qcqp\"\nequality_tolerance = 0.1\n", "p.toml")), Error);

  Result r;
  r.x = Vector{{0.5, 0.5}};
  CheckedPoint point(4);
  for (const double v : {-0.1, 0.1, 0.3}) point.add(std::vector<double>{1, -1, v, -v});
  summarize(p.spec, EqualityRule(p.spec), point, {}, {p.constraint_names, p.equality_names}, r);
  const std::string json = result_json(r, p);
  EXPECT_NE(json.find(R"("equalities":[{"name":"h1","mean":0.09)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("tolerance":0.03)"), std::string::npos) << json;
  EXPECT_LT(probability_all_feasible(r), 0.5);
}

}  // namespace
}  // namespace zeroth
