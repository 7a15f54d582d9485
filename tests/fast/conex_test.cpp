// SPDX-License-Identifier: MIT
#include "zeroth/solvers/conex/conex.hpp"

#include <gtest/gtest.h>

#include "zeroth/engine/engine.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/solvers/conex/proximal_conex.hpp"

namespace zeroth {
namespace {

Result solve(const Problem& problem, Search search, std::int64_t budget, double check_share = 0) {
  const auto engine = serial_engine(problem);
  RunRequest request;
  request.budget = budget;
  request.check_share = check_share;
  return run(problem.spec, std::move(search), *engine, request);
}

// Algorithm 1 written a second time, as naively as the paper states it: every quantity recomputed from its definition,
// with the (xi, u) of the solver (the key of sample t, its directions u_i and its noise).
Vector algorithm_1(const Problem& problem, const ConexOptions& o, std::uint64_t seed, int T) {
  const Index n = problem.spec.dimension(), m = problem.spec.constraints;
  const double nu = o.nu[0];
  struct Sample {
    std::vector<Vector> u;
    std::uint64_t noise;
  };
  // Of the constraints' sample the direction number 0 belongs to function 1, so `first` is the first function.
  const auto sample = [&](std::uint64_t label, std::uint64_t t, Index first) {
    const std::uint64_t key = derive_key(seed, label, t);
    Sample s{std::vector<Vector>(static_cast<std::size_t>(m + 1), Vector::Zero(n)), noise_key(key, 1, 0)};
    for (Index i = first; i <= m; ++i)
      fill_normal(derive_key(key, 0, static_cast<std::uint64_t>(i - first)),
                  {s.u[static_cast<std::size_t>(i)].data(), static_cast<std::size_t>(n)});
    return s;
  };
  const auto F = [&](Index i, const Vector& x, std::uint64_t noise) {
    return evaluate_once(problem, {as_span(x), noise, {}}).values[static_cast<std::size_t>(i)];
  };
  const auto G = [&](Index i, const Vector& x, const Sample& s) -> Vector {
    const Vector& u = s.u[static_cast<std::size_t>(i)];
    return (F(i, x + nu * u, s.noise) - F(i, x, s.noise)) / nu * u;
  };
  const auto F_nu = [&](Index i, const Vector& x, const Sample& s) {
    return F(i, x + nu * s.u[static_cast<std::size_t>(i)], s.noise);
  };

  std::vector<Vector> x{problem.spec.start};
  Vector y = Vector::Zero(m + 1), sum = Vector::Zero(n);
  const auto l_F = [&](Index i, int t) {  // at x^(t); for t = 0 and t = -1 F_nu(x^(0)) itself
    if (t <= 0) return F_nu(i, x[0], sample(1, 0, 1));
    const Vector& before = x[static_cast<std::size_t>(t - 1)];
    const Sample bar = sample(1, static_cast<std::uint64_t>(t - 1), 1);
    return F_nu(i, before, bar) + G(i, before, bar).dot(x[static_cast<std::size_t>(t)] - before);
  };
  double weight = 0;
  for (int t = 0; t < T; ++t) {
    const Vector& now = x[static_cast<std::size_t>(t)];
    const Sample s = sample(0, static_cast<std::uint64_t>(t), 0);
    Vector g = G(0, now, s);
    for (Index i = 1; i <= m; ++i) {
      y[i] = std::max(0.0, y[i] + ((1 + o.theta(t)) * l_F(i, t) - o.theta(t) * l_F(i, t - 1)) / o.tau(t));
      g += y[i] * G(i, now, s);
    }
    Vector next;
    problem.spec.domain.prox(g, now, o.eta(t), next);
    sum += o.gamma(t) * next;
    weight += o.gamma(t);
    x.push_back(next);
  }
  return sum / weight;
}

TEST(Conex, IsAlgorithm1) {
  const Problem problem = qcqp({.n = 4, .m = 2});
  ConexOptions options;
  options.eta = {20, 0.5};
  options.tau = {15, 0.25};
  options.theta = {0.9, 0};
  options.gamma = {1, 0.3};
  options.iterations = 25;
  const Result result = solve(problem, conex(problem.spec, options, 99), 100000);
  const Vector expected = algorithm_1(problem, options, 99, 25);
  EXPECT_LE((result.x - expected).norm(), 1e-12 * (1 + expected.norm()));
}

// 2(m+1) + 2m = 4m + 2 calls of single functions per iteration; m + 2 + m + 1 joint evaluations, or 4 with shared
// directions.
TEST(Conex, CountsItsOracleCalls) {
  for (const std::int64_t m : {0, 1, 3}) {
    const Problem problem = qcqp({.n = 3, .m = m});
    ConexOptions options;
    options.iterations = 10;
    const Result result = solve(problem, conex(problem.spec, options, 1), 100000);
    std::int64_t calls = 0;
    for (const auto c : result.function_calls) calls += c;
    EXPECT_EQ(calls, 10 * (4 * m + 2));
    EXPECT_EQ(result.function_calls[0], 20);
    EXPECT_EQ(result.evaluations, 10 * (m > 0 ? 2 * m + 3 : 2));
    options.estimator.shared_directions = true;
    EXPECT_EQ(solve(problem, conex(problem.spec, options, 1), 100000).evaluations, 10 * (m > 0 ? 4 : 2));
  }
}

TEST(Conex, PlansItsIterationsFromTheBudget) {
  Problem problem = qcqp({.n = 3, .m = 1});
  problem.spec.budget = 503;
  EXPECT_EQ(solve(problem, conex(problem.spec, {}, 1), 503).evaluations, 500);
}

TEST(Conex, SolvesAConstrainedQuadratic) {
  Problem problem = qcqp({.n = 10, .m = 1});
  problem.spec.budget = 100000;
  ConexOptions options;
  options.eta = options.tau = {200, 0};
  options.nu = {0.02};
  const Result result = solve(problem, conex(problem.spec, options, 1), 110000, 0.1);
  std::vector<double> f(2);
  problem.truth->expected(as_span(result.x), f);
  EXPECT_NEAR(f[0], problem.truth->best_value, 0.05 * std::abs(problem.truth->best_value));
  EXPECT_LE(f[1], 0.05 * std::abs(problem.truth->best_value));
  EXPECT_NEAR(result.constraints[0].multiplier.mean, problem.truth->multipliers[0], 0.1);
}

TEST(Conex, AnEqualityHasAMultiplierOfEitherSign) {
  Problem problem;  // min (x - 1)^2 + (y - 1)^2 s.t. x + y = 1 and with the opposite sign: multipliers +1 and -1
  for (const double sign : {1.0, -1.0}) {
    problem.spec.domain = Domain::box(2, -3, 3);
    problem.spec.equalities = 1;
    problem.spec.common_noise = problem.spec.defined_everywhere = true;
    problem.spec.budget = 40000;
    problem.oracle = [sign](std::span<const double> x, Rng& noise, std::span<double> values) {
      values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.1 * noise.normal();
      values[1] = sign * (x[0] + x[1] - 1) + 0.1 * noise.normal();
    };
    ConexOptions options;
    options.eta = options.tau = {30, 0};
    options.nu = {0.01};
    const auto engine = serial_engine(problem);
    RunRequest request;
    request.budget = 40000;
    request.check_share = 0;
    const Result result = run(problem.spec, conex(problem.spec, options, 3), *engine, request);
    EXPECT_NEAR(result.x[0], 0.5, 0.05);
    EXPECT_NEAR(result.x[1], 0.5, 0.05);
  }
}

TEST(Conex, TheoremScheduleNeedsConstants) {
  Problem problem = qcqp({.n = 3, .m = 1, .set = "space"});
  ConexOptions options;
  options.schedule = "theorem";
  Search search = conex(problem.spec, options, 1);
  EXPECT_THROW((void)search.ask(), Error);
}

// With mu -> 0 the subproblems are the problem itself; with K = 1 Algorithm 2 is Algorithm 1.
TEST(ProximalConex, WithOneOuterIterationAndTinyMuIsConex) {
  Problem problem = qcqp({.n = 5, .m = 1});
  problem.spec.budget = 4000;
  ProximalConexOptions options;
  options.K = 1;
  options.mu = {1e-300};
  options.pick = "last";
  const Result outer = solve(problem, proximal_conex(problem.spec, options, 7), 4000);
  const Result inner = solve(problem, conex(problem.spec, options.inner, derive_key(7, 0, 1)), 4000);
  EXPECT_EQ(outer.x, inner.x);
}

// The KKT residual (projected gradient of the Lagrangian) at the point found is an order of magnitude below that of the
// start, and complementarity and the constraint hold as far. Steps must shrink: at a constant step the iterates' own
// fluctuation lifts the mean of the regularised constraint and keeps the answer short of the boundary.
TEST(ProximalConex, ReachesAStationaryPointOfANonconvexProblem) {
  const QcqpOptions instance{.n = 3, .m = 1, .indefinite = true, .noise_sd = 0.1, .set = "box", .size = 2};
  Problem problem = qcqp(instance);
  problem.spec.budget = 1600000;
  ProximalConexOptions options;
  options.pick = "last";
  options.K = 30;
  options.inner.eta = {80, 0.5};
  options.inner.tau = {10, 0.5};
  options.inner.nu = {0.01};
  const Result result = solve(problem, proximal_conex(problem.spec, options, 1), 1600000);
  const auto f = qcqp_functions(instance);
  const auto residual = [&](const Vector& x, double y) {
    Vector step = x - 0.1 * (f[0].gradient(x) + y * f[1].gradient(x));
    problem.spec.domain.project(step);
    return (step - x).norm() / 0.1;
  };
  const double y = result.constraints[0].multiplier.mean;
  EXPECT_GT(y, 0.1);  // the constraint matters here
  EXPECT_LE(residual(result.x, y), 0.1 * residual(problem.spec.start, 0));
  EXPECT_LE(std::abs(f[1].value(result.x)), 0.1);
}

TEST(ProximalConex, PicksUniformly) {
  Problem problem = qcqp({.n = 2, .m = 1});
  problem.spec.budget = 3 * 50;
  ProximalConexOptions options;
  options.K = 3;
  int last_picked = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::vector<Vector> iterates;
    for (const char* pick : {"random", "last"}) {
      options.pick = pick;
      iterates.push_back(solve(problem, proximal_conex(problem.spec, options, seed), 150).x);
    }
    last_picked += iterates[0] == iterates[1];
  }
  EXPECT_NEAR(last_picked, 100, 4 * std::sqrt(300 * 2.0 / 9));
}

}  // namespace
}  // namespace zeroth
