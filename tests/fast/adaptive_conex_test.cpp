// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex.hpp"

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
#include "zeroth/solvers/adaptive_basis.hpp"
#include "zeroth/solvers/adaptive_frame.hpp"
#include "zeroth/solvers/adaptive_subproblem.hpp"

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
  const Vector y = adaptive::solve_dual(m, q, 3, 1e6, Vector::Zero(4));
  const Vector gradient = m * y - q;
  for (Index i = 0; i < 3; ++i) {
    EXPECT_GE(y[i], 0);
    EXPECT_GE(gradient[i], -1e-6);
    EXPECT_NEAR(y[i] * gradient[i], 0, 1e-6);
  }
  EXPECT_NEAR(gradient[3], 0, 1e-6);  // the equality's multiplier is free
}

double evaluations_to_one_percent(const QcqpOptions& o, std::int64_t budget) {
  RaceLimits limits;
  limits.budget = budget;
  return race(qcqp(o), candidates_named("adaptive-conex", {})[0], limits, 11).first;
}

TEST(AdaptiveConex, ReachesOnePercentUnderCommonAndIndependentNoise) {
  QcqpOptions o;
  o.n = 50;
  EXPECT_LE(evaluations_to_one_percent(o, 1200), 600);
  o.noise_form = "independent";
  EXPECT_LE(evaluations_to_one_percent(o, 3500), 3500);
  o.noise = "t5";
  EXPECT_LE(evaluations_to_one_percent(o, 3500), 3500);
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

Vector values_after(const Problem& p, std::int64_t budget) {
  Spec spec = p.spec;
  spec.budget = budget;
  Search search = wide_adaptive_conex(spec, {}, 5);
  std::vector<Answer> answers;
  for (std::int64_t done = 0; done < budget; done += static_cast<std::int64_t>(answers.size())) {
    answers.clear();
    for (const Query& q : search.ask()) {
      EXPECT_LE(as_vector(q.x).cwiseAbs().maxCoeff(), 5);
      answers.push_back(evaluate_once(p, q));
    }
    search.tell(answers);
  }
  Vector values(2);
  p.truth->expected(as_span(search.recommend().x), {values.data(), 2});
  return values;
}

TEST(WideAdaptiveConex, ComesNearTheOptimumOnceItHasSeenAllDirections) {
  // x_j = 1 - y / (2 a_j) with sum x_j = n / 2: f* = n / (4 mean(1 / a)) = n / (4 ln(4) / 3).
  const Index n = 300;
  const double best = static_cast<double>(n) / (4 * std::log(4.0) / 3);
  for (const bool common : {true, false}) {
    const Vector values = values_after(many_springs(n, common), 6000);
    EXPECT_LT(values[0], 1.05 * best) << common;
    EXPECT_LT(values[1], 0.01 * best) << common;
  }
}

TEST(WideAdaptiveConex, GainsItsShareInAHundredThousandDimensions) {
  // Two evaluations show one direction of n: 400 of them hold 1/250 of what there is to gain, on average over
  // directions.
  const Index n = 100000;
  const Problem p = many_springs(n, true);
  const Vector start = values_after(p, 3), end = values_after(p, 800);
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

// Indefinite quadratics on a box, whose minima lie in its corners: slopes must be learned where most ways lead out.
TEST(AdaptiveConex, ReachesAKktPointOfANonconvexProblem) {
  for (int instance = 1; instance <= 3; ++instance) {
    QcqpOptions o;
    o.n = 60;
    o.instance = instance;
    o.indefinite = true;
    const Variant variant{"", "adaptive-conex", {}, 1200, 1};
    const Trajectory trajectory = run_simulation(o, variant, 1);
    EXPECT_LT(trajectory.back().kkt, 0.01 * trajectory.front().kkt) << instance;
  }
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

// Few variables and noise that is said to be shared: a frozen SLSQP is told so, too, and is no faster.
TEST(AdaptiveOpening, ArrivesNoLaterThanAFrozenSlsqp) {
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue"}) {
    int sooner = 0, later = 0;
    for (std::int64_t instance = 1; instance <= 15; ++instance) {
      const Problem problem = five_variables(family, "multiplicative", instance);
      const double ours = first_arrival(problem, "adaptive-conex", 3),
                   theirs = first_arrival(problem, "slsqp-frozen", 3);
      if (ours != theirs) ++(ours < theirs ? sooner : later);
    }
    EXPECT_GT(sooner, later) << family;
  }
}

TEST(AdaptiveOpening, SurvivesNoiseThatIsNotSharedAsItWasTold) {
  std::vector<double> told_wrong, told_right;
  for (std::int64_t instance = 1; instance <= 15; ++instance) {
    Problem problem = five_variables("queue", "independent", instance);
    told_right.push_back(first_arrival(problem, "adaptive-conex", 1));
    problem.spec.common_noise = true;
    told_wrong.push_back(first_arrival(problem, "adaptive-conex", 1));
  }
  EXPECT_LT(median_of(told_wrong), 2 * median_of(told_right));
}

// Hessians by the curvatures along the first step: where functions bend alike in all directions the second gradient is
// the last that is needed.
TEST(AdaptiveOpening, AEvaluationAtTheFirstStepSavesAGradient) {
  std::vector<double> ours, theirs;
  for (std::int64_t instance = 1; instance <= 9; ++instance) {
    const Problem problem = smooth("queue", 20, "multiplicative", instance);
    ours.push_back(first_arrival(problem, "adaptive-conex", 3));
    theirs.push_back(first_arrival(problem, "slsqp-frozen", 3));
  }
  EXPECT_LT(median_of(ours), 70);  // three gradients are 63
  EXPECT_LT(median_of(ours), 0.75 * median_of(theirs));
}

TEST(AdaptiveOpening, ShortensStepsIntoFailuresAndFillsWideEngines) {
  for (const int width : {1, 8}) {
    Problem problem = five_variables("queue", "additive", 2);
    problem.spec.width = width;
    const auto answers = problem.oracle;
    const Vector best = problem.truth->best_point;
    problem.oracle = [=](std::span<const double> x, Rng& noise, std::span<double> out) {
      answers(x, noise, out);
      if ((as_vector(x) - best).norm() > 1.05 * best.norm()) out[0] = std::numeric_limits<double>::quiet_NaN();
    };
    EXPECT_LT(first_arrival(problem, "adaptive-conex", 1), 1000) << width;
  }
}

TEST(AdaptiveOpening, AVariableWithNowhereToGoIsNoObstacle) {
  Problem problem = five_variables("queue", "multiplicative", 4);
  Vector lower = Vector::Constant(5, -2), upper = -lower;
  lower[2] = upper[2] = problem.spec.start[2] = problem.truth->best_point[2];
  problem.spec.domain = Domain::box(lower, upper);
  EXPECT_LT(first_arrival(problem, "adaptive-conex", 1), 200);
}

// More variables: it opens where evaluations under two keys agree, and a frozen SLSQP is no faster there either; where
// they disagree it does not.
TEST(AdaptiveOpening, WithMoreVariablesAsksTheNoiseFirst) {
  int sooner = 0, later = 0;
  for (std::int64_t instance = 1; instance <= 9; ++instance) {
    const Problem problem = smooth("quartic", 20, "multiplicative", instance);
    const double ours = first_arrival(problem, "adaptive-conex", 3), theirs = first_arrival(problem, "slsqp-frozen", 3);
    if (ours != theirs) ++(ours < theirs ? sooner : later);
  }
  EXPECT_GT(sooner, later);

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

// A valley that bends: quadratics creep along it, fourth order sees around the corner.
TEST(AdaptiveConex, FollowsABentValleyAgainstIndependentNoise) {
  std::vector<double> arrivals;
  for (std::int64_t instance = 1; instance <= 5; ++instance)
    arrivals.push_back(first_arrival(five_variables("rosenbrock", "independent", instance), "adaptive-conex",
                                     static_cast<std::uint64_t>(instance)));
  std::ranges::sort(arrivals);
  EXPECT_LT(arrivals[2], 800);
}

// Next to a constraint's zero the noise that multiplies it all but vanishes, which is no sign of keys that are ignored.
TEST(AdaptiveConex, NoiseThatVanishesWithTheFunctionIsStillShared) {
  for (const std::int64_t instance : {5, 8})
    EXPECT_LT(first_arrival(smooth("queue", 100, "multiplicative", instance), "adaptive-conex",
                            static_cast<std::uint64_t>(instance)),
              1000)
        << instance;
}

// Under shared noise a step is judged by two evaluations under one key, which noise that multiplies the values cannot
// blur: the solver arrives, and stays.
TEST(AdaptiveConex, StaysWhereItArrivesThoughNoiseMultipliesTheValues) {
  for (const char* family : {"quartic", "rosenbrock"}) {
    std::vector<double> for_good;
    for (std::int64_t instance = 1; instance <= 3; ++instance) {
      const Problem problem = smooth(family, 100, "multiplicative", instance);
      const Competitor competitor = candidates_named("adaptive-conex", problem.spec)[0];
      for_good.push_back(race(problem, competitor, {5000, 60}, static_cast<std::uint64_t>(instance)).for_good);
    }
    EXPECT_LT(median_of(for_good), 2500) << family;
  }
}

// Slopes change at once across the kinks of hinges, however short the step: a memory of slopes must notice.
TEST(AdaptiveConex, FollowsSlopesAcrossKinks) {
  for (const char* noise : {"multiplicative", "gradient"}) {
    std::vector<double> arrivals;
    for (std::int64_t instance = 1; instance <= 5; ++instance)
      arrivals.push_back(
          first_arrival(smooth("hinge", 100, noise, instance), "adaptive-conex", static_cast<std::uint64_t>(instance)));
    EXPECT_LT(median_of(arrivals), 1500) << noise;
  }
}

// How far away to evaluate is learned from evaluations further away still, and what was seen from too far away is
// forgotten in time.
TEST(AdaptiveConex, FindsTheRadiusThatThirdDerivativesAllow) {
  std::vector<double> for_good;
  for (std::int64_t instance = 1; instance <= 5; ++instance) {
    Problem problem = smooth("logistic", 100, "independent", instance);
    problem.spec.budget = 20000;
    const Competitor competitor = candidates_named("adaptive-conex", problem.spec)[0];
    for_good.push_back(race(problem, competitor, {20000, 60}, static_cast<std::uint64_t>(instance)).for_good);
  }
  EXPECT_LT(median_of(for_good), 6000);
}

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
