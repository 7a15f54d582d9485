// SPDX-License-Identifier: MIT
//
// safe = 0.95: of all evaluations of a run, the check's included, at most one in twenty is at an infeasible point.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdio>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

struct SafeCase {
  const char* name;
  Vector lower, upper, start;
  double noise;
  std::function<void(std::span<const double> x, std::span<double> v)> truth;  // objective, constraints
  Index constraints;
  double best;
};

std::vector<SafeCase> safe_cases() {
  return {
      // A parabola whose optimum is beyond a straight limit.
      {"line", Vector::Zero(1), Vector::Ones(1), Vector::Constant(1, 0.8), 0.05,
       [](auto x, auto v) { v[0] = std::pow(x[0] - 0.3, 2), v[1] = 0.5 - x[0]; }, 1, 0.04},
      // A disc, entered from its middle; the optimum is on its edge.
      {"disc", Vector::Constant(2, -1), Vector::Ones(2), Vector{{0, 0}}, 0.05,
       [](auto x, auto v) { v[0] = x[0] + x[1], v[1] = x[0] * x[0] + x[1] * x[1] - 0.5; }, 1, -1},
      // Two limits, one of them curved.
      {"wedge", Vector::Zero(2), Vector::Ones(2), Vector{{0.8, 0.9}}, 0.03,
       [](auto x, auto v) { v[0] = x[0] + 2 * x[1], v[1] = 0.3 - x[0] * x[1], v[2] = 0.4 - x[0]; }, 2, 1.549},
      // Without noise.
      {"exact", Vector::Zero(2), Vector::Ones(2), Vector{{0.2, 0.2}}, 0,
       [](auto x, auto v) { v[0] = -x[0] - x[1], v[1] = x[0] + x[1] * x[1] - 1; }, 1, -1.25},
  };
}

struct SafeRun {
  std::int64_t evaluations = 0, broken = 0;
  SafePromise said;
  double gained = 0;  // from the start (0) to the optimum (1)
  bool feasible = false;
};

SafeRun safe_run(const SafeCase& c, const std::string& solver, std::uint64_t seed, double safe) {
  const auto evaluations = std::make_shared<std::atomic<std::int64_t>>(0),
             broken = std::make_shared<std::atomic<std::int64_t>>(0);
  Problem p;
  p.spec.domain = Domain::box(c.lower, c.upper);
  p.spec.start = c.start;
  p.spec.constraints = c.constraints;
  p.oracle = [=](std::span<const double> x, Rng& r, std::span<double> v) {
    c.truth(x, v);
    ++*evaluations;
    *broken += std::any_of(v.begin() + 1, v.end(), [](double g) { return g > 0; });
    for (double& value : v) value += c.noise * r.normal();
  };
  MinimizeOptions o;
  o.solver = solver;
  o.budget = 150;
  o.seed = seed;
  if (safe > 0) o.settings.emplace("safe", Setting{safe, "here"});
  const Result r = minimize(p, o);
  std::vector<double> v(static_cast<std::size_t>(1 + c.constraints)), at_start = v;
  c.truth(as_span(r.x), v);
  c.truth(as_span(c.start), at_start);
  const bool feasible = std::all_of(v.begin() + 1, v.end(), [](double g) { return g <= 1e-9; });
  return {*evaluations, *broken, r.safe.value_or(SafePromise{}), (at_start[0] - v[0]) / (at_start[0] - c.best),
          feasible};
}

TEST(Safe, KeepsItsPromiseAndStillGains) {
  constexpr std::size_t seeds = 10;
  for (const std::string solver : {"trust-bo", "auto"})
    for (const SafeCase& c : safe_cases()) {
      std::vector<SafeRun> runs(seeds), plain(seeds);
      parallel_for(0, seeds, [&](std::size_t k) {
        runs[k] = safe_run(c, solver, k + 1, 0.95);
        plain[k] = safe_run(c, solver, k + 1, 0);
      });
      double all = 0, broken = 0, said = 0, unsafe = 0, gained = 0, feasible = 0;
      for (std::size_t k = 0; k < seeds; ++k) {
        all += static_cast<double>(runs[k].evaluations);
        broken += static_cast<double>(runs[k].broken);
        said += static_cast<double>(runs[k].said.broken);
        unsafe += static_cast<double>(plain[k].broken) / static_cast<double>(plain[k].evaluations) / seeds;
        gained += runs[k].gained / seeds;
        feasible += runs[k].feasible;
        EXPECT_EQ(runs[k].said.evaluations, runs[k].evaluations) << c.name;
        EXPECT_EQ(runs[k].said.asked, 0.95);
      }
      std::printf("%-9s %-6s broken %.2f %% (said %.2f %%; without %.0f %%), gained %.2f, feasible %g of %zu\n",
                  solver.c_str(), c.name, 100 * broken / all, 100 * said / all, 100 * unsafe, gained, feasible, seeds);
      EXPECT_LE(broken / all, 0.05) << c.name;
      EXPECT_GE(gained, 0.5) << c.name;
      EXPECT_GE(feasible, 9) << c.name;
    }
}

TEST(Safe, IsRefusedWhereItCannotBeKept) {
  Problem p;
  p.spec.domain = Domain::box(1, 0, 1);
  p.oracle = [](std::span<const double> x, Rng&, std::span<double> v) {
    v[0] = x[0];
    for (std::size_t i = 1; i < v.size(); ++i) v[i] = 1 + x[0];
  };
  MinimizeOptions o;
  o.settings.emplace("safe", Setting{0.9, "here"});
  EXPECT_THROW((void)minimize(p, o), Error) << "no constraints";
  p.spec.constraints = 1;
  EXPECT_THROW((void)minimize(p, o), Error) << "an infeasible start";
  p.spec.equalities = 1;
  EXPECT_THROW((void)minimize(p, o), Error) << "an equality";
  p.spec.equalities = 0;
  o.solver = "random";
  EXPECT_THROW((void)minimize(p, o), Error) << "a solver without a model";
  o.solver = "auto";
  o.settings.at("safe").value = 1.0;
  EXPECT_THROW((void)minimize(p, o), Error) << "certainty";
}

}  // namespace
}  // namespace zeroth
