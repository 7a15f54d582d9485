// SPDX-License-Identifier: MIT
// The literature's problems have the optima they claim, and the Bayesian solvers reach them.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/constrained_bo.hpp"
#include "zeroth/model/acquisition.hpp"
#include "zeroth/problems/constrained_bo.hpp"
#include "zeroth/solvers/augmented_lagrangian/al_surrogates.hpp"

namespace zeroth {
namespace {

class LiteratureProblem : public testing::TestWithParam<std::string> {};

TEST_P(LiteratureProblem, OptimumIsFeasibleAndNoNearbyPointIsBetter) {
  const Problem p = constrained_bo({GetParam(), 0, 0});
  const auto functions = static_cast<std::size_t>(p.spec.functions());
  std::vector<double> at(functions), near(functions);
  const auto violation = [&](const std::vector<double>& v) {
    double worst = 0;
    for (std::size_t i = 1; i < v.size(); ++i)
      worst = std::max(worst, static_cast<Index>(i) <= p.spec.constraints ? v[i] : std::abs(v[i]));
    return worst;
  };
  p.truth->expected(as_span(p.truth->best_point), at);
  EXPECT_NEAR(at[0], p.truth->best_value, 1e-6);
  EXPECT_LE(violation(at), 1e-6);
  // With equalities feasible neighbours are a set of measure zero; the others must not beat the optimum.
  Rng rng(1);
  for (int i = 0; i < 2000; ++i) {
    Vector x = p.truth->best_point;
    for (Index k = 0; k < x.size(); ++k) x[k] += 0.01 * rng.normal();
    p.spec.domain.project(x);
    p.truth->expected(as_span(x), near);
    if (violation(near) <= 0) EXPECT_GE(near[0], p.truth->best_value - 1e-7);
  }
}

TEST_P(LiteratureProblem, NoiseIsAPureFunctionOfItsKey) {
  const Problem p = constrained_bo({GetParam(), 0.1, 0});
  const Vector x = p.spec.domain.center();
  const Query one{as_span(x), 1, {}}, two{as_span(x), 2, {}};
  EXPECT_EQ(evaluate_once(p, one).values, evaluate_once(p, one).values);
  EXPECT_NE(evaluate_once(p, one).values, evaluate_once(p, two).values);
}

INSTANTIATE_TEST_SUITE_P(All, LiteratureProblem, testing::ValuesIn(constrained_bo_names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

// The first penalty of the augmented-Lagrangian methods, against laGP's on its twelve points.
TEST(AlSurrogates, AutomaticPenaltyIsLagps) {
  const double data[12][5] = {{0.2772, 0.9072, 1.1844, -1.09007345988497, -0.60014832},
                              {0.0005, 0.851, 0.8515, -0.67993203907682, -0.77579875},
                              {0.5106, 0.734, 1.2446, 0.00350223742890315, -0.70053164},
                              {0.014, 0.5737, 0.5877, 0.737883300422491, -1.17067231},
                              {0.0647, 0.4818, 0.5465, 0.345572493967698, -1.26368267},
                              {0.9548, 0.3306, 1.2854, -0.615998062751462, -0.4790606},
                              {0.0865, 0.1577, 0.2442, 1.56535650424277, -1.46764846},
                              {0.29, 0.4801, 0.7701, -0.101301380039734, -1.18540399},
                              {0.8807, 0.2037, 1.0844, -0.156362909844327, -0.68287382},
                              {0.1232, 0.6804, 0.8036, 0.428439207433114, -1.0218776},
                              {0.1751, 0.3638, 0.5389, 0.124830123209907, -1.33698955},
                              {0.4408, 0.3503, 0.7911, 0.338827700141249, -1.18298527}};
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  spec.constraints = 2;
  AlSurrogates with_third(spec, {}), without(spec, {});
  for (const auto& row : data) {
    with_third.add(Vector{{row[0], row[1]}}, Answer{{row[2], row[3], row[4]}, {}});
    if (&row != &data[2]) without.add(Vector{{row[0], row[1]}}, Answer{{row[2], row[3], row[4]}, {}});
  }
  // Smallest squared violation over twice the best valid objective among the first ten.
  EXPECT_NEAR(without.automatic_rho(), 0.124830123209907 * 0.124830123209907 / (2 * 0.7701), 1e-12);
  EXPECT_NEAR(without.automatic_rho(), 0.0101172313080123, 1e-12);
  EXPECT_NEAR(with_third.automatic_rho(), std::pow(0.00350223742890315, 2) / (2 * 0.7701), 1e-12);
}

// LSQ with both axes turned round, which nothing was tuned on.
Problem turned_lsq(double noise_sd) {
  Problem p = constrained_bo({"lsq", noise_sd, 0});
  const Box b = p.spec.domain.bounds();
  const auto turned = [sum = Vector(b.lower + b.upper)](std::span<const double> x) {
    return Vector(sum - as_vector(x));
  };
  p.oracle = [turned, inner = p.oracle](std::span<const double> x, Rng& noise, std::span<double> values) {
    const Vector y = turned(x);
    inner(as_span(y), noise, values);
  };
  p.truth->expected = [turned, inner = p.truth->expected](std::span<const double> x, std::span<double> values) {
    const Vector y = turned(x);
    inner(as_span(y), values);
  };
  p.truth->best_point = turned(as_span(p.truth->best_point));
  p.spec.start.resize(0);
  return p;
}

// With equal evaluations, the worst of three seeds against the middle one of random search.
TEST(BayesSolvers, ComeNearerThanRandomSearchWithoutNoise) {
  const auto best_of = [](const std::string& solver) {
    std::vector<double> found;
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      found.push_back(run_bo_trial(turned_lsq(0), solver, {}, seed, {40}).best_evaluated[0]);
    std::ranges::sort(found);
    return found;
  };
  const double random = best_of("random")[1];
  for (const char* solver : {"albo", "slack-al", "trust-bo"}) EXPECT_LT(best_of(solver)[2], random) << solver;
}

TEST(BayesSolvers, TrustBoRecommendsSafelyUnderNoise) {
  int feasible = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    feasible += run_bo_trial(turned_lsq(0.1), "trust-bo", {}, seed, {50}).violation[0] <= 0;
  EXPECT_GE(feasible, 3);  // each with probability 0.95: fewer than 3 of 4 happens once in 70
}

// A wide engine gets whole batches of different points, whole-valued coordinates are whole, and the multiplier is
// reported.
TEST(BayesSolvers, TrustBoBatchesWholeCoordinatesAndMultipliers) {
  Spec spec;
  spec.domain = Domain::box(Vector{{0, 0}}, Vector{{1, 8}});
  spec.constraints = 1;
  spec.integer = {false, true};
  spec.width = 4;
  spec.budget = 40;
  Search search = solver_named("trust-bo").make(spec, {}, 1);
  for (int round = 0; round < 10; ++round) {
    std::vector<Answer> answers;
    std::set<std::vector<double>> different;
    for (const Query& q : search.ask()) {
      EXPECT_EQ(q.x[1], std::round(q.x[1]));
      different.insert({q.x.begin(), q.x.end()});
      // min x + (k - 3)^2/10 s.t. 0.3 - x <= 0: x = 0.3, k = 3, multiplier 1
      answers.push_back({{q.x[0] + std::pow(q.x[1] - 3, 2) / 10, 0.3 - q.x[0]}, ""});
    }
    EXPECT_EQ(answers.size(), 4u);
    if (round < 2) EXPECT_GE(different.size(), 3u);  // the start is evaluated twice
    search.tell(answers);
  }
  EXPECT_NEAR(search.recommend().x[0], 0.3, 0.01);
  EXPECT_EQ(search.recommend().x[1], 3);
  EXPECT_NEAR(search.recommend().multipliers[0], 1, 0.05);
}

// A region that always fails, next to the optimum of what answers: the solver must settle outside of it.
TEST(BayesSolvers, TrustBoLearnsWhereEvaluationsFail) {
  Spec spec;
  spec.domain = Domain::box(2, 0, 1);
  spec.budget = 40;
  Search search = solver_named("trust-bo").make(spec, {}, 3);
  int deep_failures = 0;
  for (int round = 0; round < 40; ++round) {
    const Query q = search.ask()[0];
    const bool fails = q.x[0] < 0.3;
    deep_failures +=
        q.x[0] < 0.2 && round >= 20;  // the optimum lies on the edge, where half of the evaluations may fail
    const Answer a =
        fails ? Answer::failed_because("here be dragons") : Answer{{q.x[0] + std::pow(q.x[1] - 0.5, 2)}, ""};
    search.tell({&a, 1});
  }
  EXPECT_LE(deep_failures, 2);
  EXPECT_GE(search.recommend().x[0], 0.29);
  EXPECT_LT(search.recommend().x[0], 0.5);
}

// ADMMBO asks one function at a time; what was not asked must not be used, so the other values are poisoned here.
TEST(BayesSolvers, DecoupledEvaluationsUseOnlyWhatTheyAsked) {
  const Problem p = constrained_bo({"lsq", 0, 0});
  for (const char* name : {"admmbo", "pesc"}) {
    Settings settings;
    if (std::string(name) == "pesc")
      settings = {{"decoupled", {true, ""}},
                  {"samples", {std::int64_t{2}, ""}},
                  {"burn_in", {std::int64_t{2}, ""}},
                  {"grid", {std::int64_t{50}, ""}},
                  {"features", {std::int64_t{50}, ""}}};
    else
      settings = {
          {"grid", {std::int64_t{100}, ""}}, {"first_f", {std::int64_t{3}, ""}}, {"first_c", {std::int64_t{3}, ""}}};
    Search search = solver_named(name).make(p.spec, settings, 1);
    int single = 0;
    for (int round = 0; round < 16; ++round) {
      const Query& q = search.ask()[0];
      Answer a = evaluate_once(p, q);
      int wanted = 0;
      for (Index i = 0; i < 3; ++i) {
        wanted += q.wants(i);
        if (!q.wants(i)) a.values[static_cast<std::size_t>(i)] = std::nan("");
      }
      single += wanted == 1;
      search.tell({&a, 1});
      EXPECT_TRUE(search.recommend().x.allFinite());
    }
    EXPECT_GE(single, 8) << name;
  }
}

}  // namespace
}  // namespace zeroth
