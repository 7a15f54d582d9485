// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/race.hpp"
#include "zeroth/lab/studies/simulation.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/smooth.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/solvers/adaptive_conex/basis.hpp"
#include "zeroth/solvers/adaptive_conex/frame.hpp"
#include "zeroth/solvers/adaptive_conex/subproblem.hpp"

namespace zeroth {
namespace {

TEST(AdaptiveBasis, IsOrthonormalForEveryDimension) {
  for (const Index n : {1, 2, 7, 64, 129}) {
    const Matrix q = adaptive::Basis(n, 3).matrix();
    EXPECT_LT((q.transpose() * q - Matrix::Identity(n, n)).cwiseAbs().maxCoeff(), 1e-12) << n;
    EXPECT_LE(q.cwiseAbs().maxCoeff(), adaptive::Basis(n, 3).largest_entry() + 1e-12);
  }
}

// On a simplex there is nothing to be learned across its plane: every point of the frame lies in it.
TEST(AdaptiveFrame, KeepsToThePlaneOfASimplex) {
  Spec spec;
  spec.domain = Domain::product({Domain::box(2, -1, 3), Domain::simplex(5, 2)});
  const Vector start = spec.domain.center();
  const adaptive::Frame frame(spec, start, 3);
  ASSERT_EQ(frame.dimension(), 6);
  EXPECT_LT((frame.to_x(frame.to_w(start)) - start).norm(), 1e-12);
  for (Index j = 0; j < 6; ++j) {
    const Vector w = Vector::Unit(6, j), x = frame.to_x(w);
    EXPECT_NEAR(x.tail(5).sum(), 2, 1e-12);
    EXPECT_LT((frame.to_w(x) - w).norm(), 1e-12);
  }
  EXPECT_GT(frame.largest_radius(), 0);
}

TEST(AdaptiveDual, SatisfiesItsOptimalityConditions) {
  Matrix root = Matrix::Zero(4, 4);
  fill_normal(5, {root.data(), 16});
  const Matrix m = root * root.transpose() + 0.1 * Matrix::Identity(4, 4);
  const Vector q = Vector::LinSpaced(4, -2, 2);
  const Vector y = adaptive::solve_dual(m, q, 3, 1e6);
  const Vector gradient = m * y - q;
  for (Index i = 0; i < 3; ++i) {
    EXPECT_GE(y[i], 0);
    EXPECT_GE(gradient[i], -1e-6);
    EXPECT_NEAR(y[i] * gradient[i], 0, 1e-6);
  }
  EXPECT_NEAR(gradient[3], 0, 1e-6);  // the equality's multiplier is free
}

// The optimum of every family satisfies the optimality conditions: no nearby feasible point is better.
TEST(SmoothProblems, StatedOptimumIsALocalOne) {
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue", "hinge"}) {
    SmoothOptions o;
    o.family = family;
    const Problem p = smooth_problem(o);
    Rng rng(4);
    std::array<double, 2> values{};
    for (int k = 0; k < 2000; ++k) {
      Vector x = p.truth->best_point;
      for (Index j = 0; j < x.size(); ++j) x[j] += 0.1 * rng.normal();
      p.truth->expected(as_span(x), values);
      if (values[1] > 0) continue;
      EXPECT_GE(values[0], p.truth->best_value - 1e-6) << family;
    }
  }
}

// Gap and violation count alike in the bench's score, so a unit of the constraint must be worth about one of the
// objective's, in whichever dimension. (The ball around Rosenbrock's minimum only touches it: worth nothing.)
TEST(SmoothProblems, AViolationIsWorthAboutAsMuchAsAGap) {
  for (const char* family : {"logistic", "quartic", "queue", "hinge"})
    for (const std::int64_t n : {5, 50}) {
      SmoothOptions o;
      o.family = family;
      o.n = n;
      const double multiplier = smooth_problem(o).truth->multipliers[0];
      EXPECT_GT(multiplier, 0.2) << family;
      EXPECT_LT(multiplier, 3) << family;
    }
}

// min sum a_j (x_j - 1)^2 s.t. sum x_j <= n / 2, a_j from 1 to 4, noise of sd 1 on the sum: what the wide path is for.
Problem many_springs(Index n, bool common) {
  Problem p;
  p.spec.domain = Domain::box(n, -5, 5);
  p.spec.constraints = 1;
  p.spec.start = Vector::Zero(n);
  Truth truth;
  truth.expected = [n](std::span<const double> x, std::span<double> values) {
    values[0] = values[1] = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      values[0] += (1 + 3 * static_cast<double>(j) / static_cast<double>(n)) * (x[j] - 1) * (x[j] - 1);
      values[1] += x[j] - 0.5;
    }
  };
  p.oracle = [expected = truth.expected, common](std::span<const double> x, Rng& noise, std::span<double> values) {
    expected(x, values);
    Rng own(common ? noise.bits() : derive_key(noise.bits(), std::bit_cast<std::uint64_t>(x[0] + 3 * x[1])));
    for (double& v : values) v += own.normal();
  };
  p.truth = std::move(truth);
  return p;
}

// True values of what a search recommends after so many evaluations.
Vector values_after(const Problem& p, Search search, std::int64_t budget) {
  const Box bounds = p.spec.domain.bounds();
  std::vector<Answer> answers;
  for (std::int64_t done = 0; done < budget; done += static_cast<std::int64_t>(answers.size())) {
    answers.clear();
    for (const Query& q : search.ask()) {
      EXPECT_TRUE((as_vector(q.x).array() >= bounds.lower.array()).all());
      EXPECT_TRUE((as_vector(q.x).array() <= bounds.upper.array()).all());
      answers.push_back(evaluate_once(p, q));
    }
    search.tell(answers);
  }
  Vector values(p.spec.functions());
  p.truth->expected(as_span(search.recommend().x), {values.data(), static_cast<std::size_t>(values.size())});
  return values;
}

Vector wide_values_after(const Problem& p, std::int64_t budget) {
  Spec spec = p.spec;
  spec.budget = budget;
  return values_after(p, wide_adaptive_conex(spec, {}, 5), budget);
}

TEST(WideAdaptiveConex, ComesNearTheOptimumOnceItHasSeenAllDirections) {
  // x_j = 1 - y / (2 a_j) with sum x_j = n / 2: f* = n / (4 mean(1 / a)) = n / (4 ln(4) / 3).
  const Index n = 300;
  const double best = static_cast<double>(n) / (4 * std::log(4.0) / 3);
  for (const bool common : {true, false}) {
    const Vector values = wide_values_after(many_springs(n, common), 6000);
    EXPECT_LT(values[0], 1.05 * best) << common;
    EXPECT_LT(values[1], 0.01 * best) << common;
  }
}

TEST(WideAdaptiveConex, GainsItsShareInAHundredThousandDimensions) {
  // Two evaluations show one direction of n: 400 of them hold 1/250 of what there is to gain, on average over
  // directions.
  const Index n = 100000;
  const Problem p = many_springs(n, true);
  const Vector start = wide_values_after(p, 3), end = wide_values_after(p, 800);
  EXPECT_LT(end[0], start[0] - 0.3 * start[0] * 400 / static_cast<double>(n));
  EXPECT_LT(end[1], 0);
}

// The residual that the solver states, against the one that noiseless gradients give.
TEST(AdaptiveConex, ClaimsConvergenceOnlyNearAKktPoint) {
  int converged = 0;
  for (int instance = 1; instance <= 12; ++instance) {
    QcqpOptions o;
    o.n = 8;
    o.instance = 40 + instance;
    o.noise_sd = instance % 3 == 0 ? 1 : 0.01;
    o.noise_form = instance % 2 == 0 ? "independent" : "additive";
    Problem problem = qcqp(o);
    RunRequest request;
    request.budget = 1500;
    request.seed = static_cast<std::uint64_t>(instance);
    problem.spec.plan_for(request.budget, request.check_share);
    const auto engine = serial_engine(problem);
    const Result r =
        run(problem.spec, solver_named("adaptive-conex").make(problem.spec, {}, request.seed), *engine, request);
    if (r.status != Status::local) continue;
    ++converged;
    const auto f = qcqp_functions(o);
    const Vector lagrangian = f[0].gradient(r.x) + r.constraints[0].multiplier.mean * f[1].gradient(r.x);
    Vector moved = r.x - lagrangian;
    problem.spec.domain.project(moved);
    EXPECT_LT((r.x - moved).norm() / f[0].gradient(problem.spec.start).norm(), 0.02) << instance;
    EXPECT_LT(f[1].value(r.x), 1e-3 + 4 * r.constraints[0].value.se) << instance;
  }
  EXPECT_GE(converged, 3);
}

// Indefinite quadratics on a box, whose minima lie in its corners: slopes must be learned where most ways lead out. The
// more of them are, the nearer is a KKT point.
TEST(AdaptiveConex, NearsAKktPointOfANonconvexProblem) {
  double start = 0, early = 0, late = 0;
  for (int instance = 101; instance <= 103; ++instance) {
    QcqpOptions o;
    o.n = 60;
    o.instance = instance;
    o.indefinite = true;
    const Trajectory trajectory = run_simulation(o, Variant{"", "adaptive-conex", {}, 1200, 1}, 1);
    start += trajectory.front().kkt;
    early += run_simulation(o, Variant{"", "adaptive-conex", {}, 300, 1}, 1).back().kkt;
    late += trajectory.back().kkt;
  }
  EXPECT_LT(early, start);
  EXPECT_LT(late, early);
}

Problem smooth(const std::string& family, Index n, const std::string& noise, std::int64_t instance) {
  SmoothOptions o;
  o.family = family;
  o.n = n;
  o.noise_form = noise;
  o.instance = instance;
  Problem problem = smooth_problem(o);
  problem.spec.budget = 5000;
  return problem;
}

Problem five_variables(const std::string& family, const std::string& noise, std::int64_t instance) {
  return smooth(family, 5, noise, instance);
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double first_arrival(const Problem& problem, const std::string& solver, std::uint64_t seed) {
  return race(problem, candidates_named(solver, problem.spec)[0], {5000, 60}, seed).first;
}

TEST(AdaptiveOpening, SurvivesNoiseThatIsNotSharedAsItWasTold) {
  std::vector<double> told_wrong, told_right;
  for (std::int64_t instance = 101; instance <= 105; ++instance) {
    Problem problem = five_variables("queue", "independent", instance);
    told_right.push_back(first_arrival(problem, "adaptive-conex", 1));
    problem.spec.common_noise = true;
    told_wrong.push_back(first_arrival(problem, "adaptive-conex", 1));
  }
  EXPECT_LT(median_of(told_wrong), 2 * median_of(told_right));
}

// Hessians by the curvatures along the first step: where functions bend alike in all directions the second gradient is
// the last that is needed.
TEST(AdaptiveOpening, WhereFunctionsBendAlikeNoThirdGradientIsTaken) {
  constexpr Index n = 20;
  for (std::uint64_t instance = 101; instance <= 105; ++instance) {
    Rng rng(instance);
    Vector goal(n), normal(n);
    for (double& v : goal) v = rng.normal();
    for (double& v : normal) v = rng.normal();
    normal.normalize();
    Problem p;
    p.spec.domain = Domain::box(n, -10, 10);
    p.spec.constraints = 1;
    p.spec.common_noise = true;
    p.spec.start = Vector::Zero(n);
    p.spec.budget = 5000;
    // min |x - goal|^2 beyond a plane that lies 1 nearer than the goal: the optimum is the goal's shadow, its value 1.
    const double limit = normal.dot(goal) - 1;
    Truth truth;
    truth.best_value = 1;
    truth.expected = [=](std::span<const double> x, std::span<double> values) {
      values[0] = (as_vector(x) - goal).squaredNorm();
      values[1] = normal.dot(as_vector(x)) - limit;
    };
    p.oracle = [expected = truth.expected](std::span<const double> x, Rng& noise, std::span<double> values) {
      expected(x, values);
      for (double& v : values) v *= 1 + 0.001 * noise.normal();
    };
    p.truth = std::move(truth);
    EXPECT_LT(first_arrival(p, "adaptive-conex", instance), 3 * (n + 1)) << instance;
  }
}

TEST(AdaptiveOpening, ShortensStepsIntoFailuresAndFillsWideEngines) {
  for (const int width : {1, 8}) {
    Problem problem = five_variables("queue", "additive", 102);
    problem.spec.width = width;
    const auto answers = problem.oracle;
    const Vector best = problem.truth->best_point;
    problem.oracle = [=](std::span<const double> x, Rng& noise, std::span<double> out) {
      answers(x, noise, out);
      if ((as_vector(x) - best).norm() > 1.05 * best.norm()) out[0] = std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_LT(first_arrival(problem, "adaptive-conex", 1), 5000) << width;
  }
}

TEST(AdaptiveOpening, AVariableWithNowhereToGoIsNoObstacle) {
  Problem problem = five_variables("queue", "multiplicative", 104);
  Vector lower = Vector::Constant(5, -2), upper = -lower;
  lower[2] = upper[2] = problem.spec.start[2] = problem.truth->best_point[2];
  problem.spec.domain = Domain::box(lower, upper);
  EXPECT_LT(first_arrival(problem, "adaptive-conex", 1), 5000);
}

// More variables: it opens where evaluations under two keys agree; where they disagree it does not.
TEST(AdaptiveOpening, WithMoreVariablesAsksTheNoiseFirst) {
  for (const double noise : {0.0, 1.0}) {
    QcqpOptions q;
    q.n = 10;
    q.noise_sd = noise;
    Problem problem = qcqp(q);
    problem.spec.budget = 2000;
    Search search = solver_named("adaptive-conex").make(problem.spec, {}, 1);
    for (int batch = 0; batch < 2; ++batch) {
      std::vector<Answer> answers;
      for (const Query& query : search.ask()) answers.push_back(evaluate_once(problem, query));
      search.tell(answers);
    }
    EXPECT_EQ(search.recommend().note == "quadratic steps under one key", noise == 0);
  }
}

// What every regime owes, on instances that nothing was tuned on: the recommendation is better than the start, and four
// times the evaluations bring it nearer, but where a hundredth of the optimum's value is reached. The benches say how
// fast (zeroth bench smooth, qcqp).
struct Regime {
  const char* what;
  Index n;
  const char* noise;
  std::int64_t budget;
};

class Regimes : public testing::TestWithParam<Regime> {};

Problem of_regime(const Regime& r, std::int64_t instance) {
  if (r.what != std::string("qcqp")) return smooth(r.what, r.n, r.noise, instance);
  QcqpOptions o;
  o.n = r.n;
  o.instance = instance;
  if (r.noise == std::string("t5")) {
    o.noise = r.noise;
    o.noise_form = "independent";
  } else {
    o.noise_form = r.noise;
  }
  return qcqp(o);
}

double median_distance(const Regime& r, std::int64_t budget) {
  std::vector<double> distances;
  for (std::int64_t instance = 101; instance <= 105; ++instance) {
    Problem p = of_regime(r, instance);
    p.spec.budget = std::max<std::int64_t>(budget, 1);
    Vector values(p.spec.functions());
    if (budget == 0)
      p.truth->expected(as_span(p.spec.first_point()), {values.data(), static_cast<std::size_t>(values.size())});
    else
      values = values_after(p, solver_named("adaptive-conex").make(p.spec, {}, static_cast<std::uint64_t>(instance)),
                            budget);
    const double violation = std::max(0.0, values.tail(p.spec.constraints).maxCoeff());
    distances.push_back(std::max(std::abs(values[0] - p.truth->best_value), violation) / std::abs(p.truth->best_value));
  }
  return median_of(distances);
}

TEST_P(Regimes, MoreEvaluationsComeNearer) {
  const double start = median_distance(GetParam(), 0), early = median_distance(GetParam(), GetParam().budget),
               late = median_distance(GetParam(), 4 * GetParam().budget);
  EXPECT_LT(early, start);
  EXPECT_LT(late, std::max(early, 0.01));
}

INSTANTIATE_TEST_SUITE_P(
    AdaptiveConex, Regimes,
    testing::Values(Regime{"qcqp", 50, "additive", 300}, Regime{"qcqp", 50, "independent", 800},
                    Regime{"qcqp", 50, "t5", 800}, Regime{"rosenbrock", 5, "independent", 200},  // a valley that bends
                    Regime{"queue", 100, "multiplicative", 300},    // noise that vanishes where the limit is met
                    Regime{"quartic", 100, "multiplicative", 600},  // steps judged by two evaluations under one key
                    Regime{"rosenbrock", 100, "multiplicative", 600},
                    Regime{"hinge", 100, "multiplicative", 400},  // slopes that change at once, however short the step
                    Regime{"hinge", 100, "gradient", 400},
                    Regime{"logistic", 100, "independent", 1500}),  // the radius that third derivatives allow
    [](const auto& info) { return std::string(info.param.what) + std::to_string(info.param.n) + info.param.noise; });

TEST(CheckedAnswer, TakesAFewEvaluationsWhereThereIsNoNoiseAndTheSearchTheOthers) {
  QcqpOptions o;
  o.n = 4;
  o.noise = "none";
  Problem problem = qcqp(o);
  RunRequest request;
  request.budget = 600;
  problem.spec.plan_for(request.budget, request.check_share);
  const auto engine = serial_engine(problem);
  const Result r = run(problem.spec, solver_named("adaptive-conex").make(problem.spec, {}, 1), *engine, request);
  EXPECT_LE(r.replicates, 4);
  EXPECT_GT(r.evaluations, 560);  // a tenth would have been kept
  EXPECT_LE(r.evaluations, 600);
  EXPECT_EQ(r.objective.se, 0);
  EXPECT_EQ(r.status, Status::local);
}

}  // namespace
}  // namespace zeroth
