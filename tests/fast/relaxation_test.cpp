// SPDX-License-Identifier: MIT
//
// Where nothing is feasible the answer is the least relaxation: its point, the limits it breaks, and by how much.
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

// The objective draws away from where the limits are broken least: 0.2 + |x - c|^2 <= 0 fails by 0.2 at c; a second
// limit, 0.1 - x_0 <= 0, holds there.
Problem impossible(double noise) {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 1);
  p.spec.constraints = 2;
  p.spec.start = Vector{{0.9, 0.9}};
  p.oracle = [noise](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = -x[0] - x[1] + noise * r.normal();
    v[1] = 0.2 + std::pow(x[0] - 0.3, 2) + std::pow(x[1] - 0.4, 2) + noise * r.normal();
    v[2] = 0.1 - x[0] + noise * r.normal();
  };
  return p;
}

TEST(Relaxation, IsTheLeastAndItsIntervalHolds) {
  constexpr std::size_t seeds = 10;
  for (const std::string solver : {"auto", "trust-bo", "adaptive-conex"}) {
    std::vector<Result> results(seeds);
    parallel_for(0, seeds, [&](std::size_t k) {
      MinimizeOptions o;
      o.solver = solver;
      o.budget = 300;
      o.seed = k + 1;
      results[k] = minimize(impossible(0.03), o);
    });
    int infeasible = 0, covered = 0;
    double worst = 0;
    for (const Result& r : results) {
      if (r.feasibility != Feasibility::infeasible) continue;
      ++infeasible;
      ASSERT_EQ(r.relaxation.size(), 1u) << solver;
      EXPECT_EQ(r.relaxation[0].name, "c1");
      const double truth = 0.2 + std::pow(r.x[0] - 0.3, 2) + std::pow(r.x[1] - 0.4, 2);
      covered += r.relaxation[0].interval.low <= truth && truth <= r.relaxation[0].interval.high;
      worst = std::max(worst, truth);
    }
    EXPECT_GE(infeasible, 8) << solver;
    EXPECT_GE(covered, infeasible - 1) << solver;
    EXPECT_LE(worst, 0.2 + 0.03) << solver;  // the least there is, but for the noise of an evaluation
  }
}

// A feasible region that the objective hides: the search for the least relaxation finds it, and the run goes on.
TEST(Relaxation, EndsWhereAFeasiblePointTurnsUp) {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 1);
  p.spec.constraints = 1;
  p.spec.start = Vector{{0.95, 0.95}};
  p.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = -x[0] - x[1] + 0.01 * r.normal();
    v[1] = std::hypot(x[0] - 0.1, x[1] - 0.12) - 0.04 + 0.003 * r.normal();
  };
  MinimizeOptions o;
  o.solver = "adaptive-conex";
  o.budget = 400;
  int feasible = 0;
  for (o.seed = 1; o.seed <= 10; ++o.seed) {
    const Result r = minimize(p, o);
    feasible += std::hypot(r.x[0] - 0.1, r.x[1] - 0.12) <= 0.04;
  }
  EXPECT_GE(feasible, 9);
}

}  // namespace
}  // namespace zeroth
