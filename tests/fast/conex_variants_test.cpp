// SPDX-License-Identifier: MIT
//
// One-point feedback, conditional gradients, adaptive steps.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/conditional_gradient.hpp"
#include "zeroth/lab/true_error.hpp"
#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/wedge.hpp"
#include "zeroth/solvers/conex/conex.hpp"

namespace zeroth {
namespace {

Settings with(std::initializer_list<std::pair<std::string, OptionValue>> values) {
  Settings s;
  for (const auto& [key, value] : values) s[key].value = value;
  return s;
}

// --- one point -------------------------------------------------------------------------------------------------------

TEST(OnePoint, NeverAsksTwiceUnderOneNoise) {
  Problem problem = wedge({});
  ConexOptions options;
  options.estimator.difference = "one-point";
  options.estimator.shared_directions = true;
  options.iterations = 50;
  Search search = conex(problem.spec, options, 1);
  std::set<std::uint64_t> keys;
  std::size_t asked = 0;
  while (!search.done()) {
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) {
      keys.insert(q.noise);
      ++asked;
      Rng noise(q.noise);
      Answer a{std::vector<double>(2), {}};
      problem.oracle(q.x, noise, a.values);
      answers.push_back(std::move(a));
    }
    search.tell(answers);
  }
  EXPECT_EQ(asked, 100u);  // one evaluation for the gradients and one for the linearisation, fifty times
  EXPECT_EQ(keys.size(), asked);
}

// The level of F is noise to the plain estimator and nothing to the baseline.
TEST(OnePoint, TheBaselineTakesTheLevelOutOfTheVariance) {
  Spec spec;
  spec.domain = Domain::whole_space(3);
  spec.defined_everywhere = true;
  const auto variance = [&](bool baseline) {
    Estimator e;
    e.difference = "one-point";
    e.baseline = baseline;
    GradientSample sample(spec, e, {0.1}, {0});
    Vector sum = Vector::Zero(3), g(3), weight = Vector::Ones(1);
    double squares = 0;
    const int repeats = 4000;
    for (int r = 0; r < repeats; ++r) {
      std::vector<Query> batch;
      sample.propose(Vector::Zero(3), derive_key(5, static_cast<std::uint64_t>(r)), batch);
      const double level = 10 + 2 * batch[0].x[0] + 0.05 * Rng(batch[0].noise).normal();
      const std::vector<Answer> answers{{{level}, {}}};
      EXPECT_TRUE(sample.read(answers));
      if (r < 20) continue;  // the baseline fills
      sample.combine(weight, 0, g);
      sum += g;
      squares += g.squaredNorm();
    }
    const Vector mean = sum / (repeats - 20);
    const double spread = squares / (repeats - 20) - mean.squaredNorm();
    EXPECT_NEAR(mean[0], 2, 4 * std::sqrt(spread / 3 / repeats));  // unbiased either way
    return spread;
  };
  EXPECT_GT(variance(false), 500 * variance(true));  // (10/0.1)^2 n against about (2^2 + (0.05/0.1)^2) n
}

TEST(OnePoint, ComesNearTheOptimumAndBeatsThePlainEstimate) {
  const Problem problem = wedge({});
  const auto error = [&](bool baseline) {
    const Settings s = with({{"difference", std::string("one-point")},
                             {"baseline", baseline},
                             {"schedule", std::string("adaptive")},
                             {"nu", 0.2},
                             {"iterations", std::int64_t{20000}}});
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) sum += true_error(problem, "conex", s, 1'000'000, seed).worst() / 3;
    return sum;
  };
  const double mine = error(true);
  EXPECT_LT(mine, 0.1);
  EXPECT_LT(mine, error(false));
}

// --- conditional gradients -------------------------------------------------------------------------------------------

TEST(ConexCg, ApproachesTheOptimumOnEverySetAndStaysInIt) {
  for (const auto& [set, size] :
       {std::pair<std::string, std::int64_t>{"simplex", 10}, {"l1-ball", 10}, {"nuclear-ball", 3}, {"polytope", 4}}) {
    Problem problem = nearest_point(set, size);
    const Settings s = with({{"shared_directions", true}, {"nu", 0.01}});
    const TrueError near = true_error(problem, "conex-cg", s, 40000, 1),
                    far = true_error(problem, "conex-cg", s, 400, 1);
    EXPECT_LT(near.worst(), 0.15) << set;
    EXPECT_LT(near.worst(), std::max(0.1, 0.7 * far.worst())) << set;
    problem.spec.budget = 2000;
    Search search = solver_named("conex-cg").make(problem.spec, s, 2);
    for (int round = 0; round < 200; ++round) {
      std::vector<Answer> answers;
      for (const Query& q : search.ask()) {
        Rng noise(q.noise);
        answers.push_back({std::vector<double>(2), {}});
        problem.oracle(q.x, noise, answers.back().values);
      }
      search.tell(answers);
      ASSERT_TRUE(problem.spec.domain.contains(search.recommend().x, 1e-9)) << set;
    }
  }
}

TEST(ConexCg, HoldsAnEquality) {
  Problem problem;  // min |x|^2 on the simplex s.t. x_0 = 0.6: the rest shares 0.4
  problem.spec.domain = Domain::simplex(5);
  problem.spec.equalities = 1;
  problem.spec.common_noise = problem.spec.defined_everywhere = true;
  Truth truth;
  truth.expected = [](std::span<const double> x, std::span<double> v) {
    v[0] = as_vector(x).squaredNorm();
    v[1] = x[0] - 0.6;
  };
  truth.best_value = 0.36 + 4 * 0.01;
  problem.oracle = [f = truth.expected](std::span<const double> x, Rng& noise, std::span<double> v) {
    f(x, v);
    v[0] += 0.1 * noise.normal();
    v[1] += 0.1 * noise.normal();
  };
  problem.truth = truth;
  const Settings s = with({{"shared_directions", true}, {"nu", 0.01}, {"tau", std::string("0.1*t^-0.1667")}});
  const TrueError e = true_error(problem, "conex-cg", s, 80000, 1);
  EXPECT_LT(e.violation, 0.05);
  EXPECT_LT(std::abs(e.gap), 0.05);
}

TEST(ConexCg, RefusesASetWithoutEndByName) {
  Spec spec;
  spec.domain = Domain::halfspace(Vector::Ones(2), 1);
  spec.defined_everywhere = true;
  Search search = solver_named("conex-cg").make(spec, {}, 1);
  try {
    for (int round = 0; round < 3; ++round) {
      const std::vector<Answer> answers(search.ask().size(), Answer{{1}, {}});
      search.tell(answers);
    }
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("bounded"), std::string::npos);
  }
}

TEST(ConexCg, TheProblemFileHasItsSets) {
  const auto resolved = [](const std::string& set) {
    return resolve(parse_document("[problem]\ncommand = [\"true\"]\n[variables]\ncount = 6\n[set]\n" + set, "p.toml"),
                   false);
  };
  EXPECT_EQ(resolved("type = \"nuclear_ball\"\nrows = 3\nradius = 2.0\n").spec.domain.name(), "nuclear-norm ball (6)");
  EXPECT_THROW(resolved("type = \"nuclear_ball\"\nrows = 4\nradius = 2.0\n"), Error);
  const ResolvedProblem p = resolved("type = \"polytope\"\nvertices = [0,0,0,0,0,0, 1,2,3,4,5,6, 0,0,0,0,0,1]\n");
  EXPECT_EQ(p.spec.domain.name(), "polytope (6)");
  EXPECT_TRUE(p.spec.domain.contains(Vector{{0.5, 1, 1.5, 2, 2.5, 3}}));
  EXPECT_THROW(resolved("type = \"polytope\"\nvertices = [0,0,0,0]\n"), Error);
}

// --- adaptive steps --------------------------------------------------------------------------------------------------

TEST(AdaptiveSteps, NeedNothingAndScaleWithTheProblem) {
  for (const std::int64_t instance : {1, 2, 3}) {
    QcqpOptions o;
    o.n = 10;
    o.m = 2;
    o.instance = instance;
    const Problem problem = qcqp(o);
    Settings adaptive = with({{"schedule", std::string("adaptive")}, {"shared_directions", true}, {"nu", 0.01}});
    Settings defaults = with({{"shared_directions", true}, {"nu", 0.01}});
    Settings theorem = with({{"schedule", std::string("theorem")}, {"shared_directions", true}});
    const double scale = std::abs(problem.truth->best_value);
    const double mine = true_error(problem, "conex", adaptive, 20000, 1).worst() / scale;
    EXPECT_LT(mine, 0.1) << instance;
    EXPECT_LT(mine, true_error(problem, "conex", defaults, 20000, 1).worst() / scale) << instance;
    EXPECT_LT(mine, true_error(problem, "conex", theorem, 20000, 1).worst() / scale) << instance;
  }
}

// Units must not matter: the objective in cents, the constraint in millimetres.
TEST(AdaptiveSteps, GiveTheSamePathInOtherUnits) {
  const auto run_in = [](double money, double length) {
    Problem problem = wedge({});
    problem.oracle = [inner = problem.oracle, money, length](std::span<const double> x, Rng& noise,
                                                             std::span<double> v) {
      inner(x, noise, v);
      v[0] *= money;
      v[1] *= length;
    };
    ConexOptions options;
    options.schedule = "adaptive";
    options.iterations = 300;
    Search search = conex(problem.spec, options, 4);
    while (!search.done()) {
      std::vector<Answer> answers;
      for (const Query& q : search.ask()) {
        Rng noise(q.noise);
        answers.push_back({std::vector<double>(2), {}});
        problem.oracle(q.x, noise, answers.back().values);
      }
      search.tell(answers);
    }
    return search.recommend();
  };
  const Incumbent one = run_in(1, 1), other = run_in(100, 1000);
  EXPECT_LT((one.x - other.x).norm(), 1e-8);
  EXPECT_NEAR(other.multipliers[0], one.multipliers[0] * 100 / 1000, 1e-6 * one.multipliers[0]);
}

// --- sums ------------------------------------------------------------------------------------------------------------

// y is known before the gradient is asked, so a run that sees only sums is as good as one that sees every value.
TEST(Sums, AreEnoughForAlgorithm1) {
  QcqpOptions qcqp_options;
  qcqp_options.n = 10;
  qcqp_options.noise_sd = 0.1;
  const Problem problem = qcqp(qcqp_options);
  const auto error_at = [&](const Vector& x) {
    std::vector<double> truth(2);
    problem.truth->expected(as_span(x), truth);
    return std::max(std::abs(truth[0] - problem.truth->best_value), truth[1]);
  };
  const auto error_of = [&](bool sums, const char* schedule = "fixed") {
    ConexOptions options;
    options.schedule = schedule;
    options.sums = sums;
    options.estimator.shared_directions = true;
    options.eta = options.tau = {30, 0.5};
    options.iterations = 20000;
    Search search = conex(problem.spec, options, 3);
    while (!search.done()) {
      std::vector<Answer> answers;
      for (const Query& q : search.ask()) {
        answers.push_back(evaluate_once(problem, q));
        if (!q.weights.empty()) answers.back().values = {NAN, NAN, weighted_sum(q, answers.back())};
      }
      search.tell(answers);
    }
    return error_at(search.recommend().x);
  };
  const double start = error_at(problem.spec.first_point());
  EXPECT_LT(error_of(false), 0.05 * start);
  EXPECT_LT(error_of(true), 0.05 * start);
  EXPECT_LT(error_of(true, "adaptive"), 0.05 * start);
}

TEST(Sums, RefuseWhatNeedsSingleValues) {
  const Problem problem = qcqp({});
  const auto complaint = [&](const std::function<void(ConexOptions&)>& change) -> std::string {
    ConexOptions o;
    o.sums = o.estimator.shared_directions = true;
    change(o);
    try {
      (void)conex(problem.spec, o, 1).ask();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(complaint([](ConexOptions&) {}), "no error");
  EXPECT_NE(complaint([](ConexOptions& o) { o.estimator.shared_directions = false; }).find("shared_directions"),
            std::string::npos);
  EXPECT_EQ(complaint([](ConexOptions& o) { o.schedule = "adaptive"; }), "no error");
  EXPECT_NE(complaint([](ConexOptions& o) { o.estimator.difference = "one-point"; }).find("difference"),
            std::string::npos);
}

}  // namespace
}  // namespace zeroth
