// SPDX-License-Identifier: MIT
//
// Variables without bounds: what lies a hundred spreads away is found, and what does not matter stays near.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "zeroth/adapters/growing_box.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/run/loop.hpp"
#include "zeroth/run/minimize.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {
namespace {

struct Far {
  std::string name;
  Index dimension;
  std::function<double(const Vector&)> objective;  // of x in spreads from the start
  std::function<double(const Vector&)> limit;      // <= 0; empty: none
  double best = 0;                                 // its least value
};

double squares(const Vector& x) { return (x.array() - 100).square().sum() / 1e4; }

std::vector<Far> functions() {
  std::vector<Far> all;
  for (const Index n : {2, 3, 5}) {
    all.push_back({"sphere", n, squares, {}});
    all.push_back({"both ways",
                   n,
                   [](const Vector& x) {
                     double sum = 0;
                     for (Index i = 0; i < x.size(); ++i) sum += std::pow(x[i] - (i % 2 == 0 ? 100 : -60), 2) / 1e4;
                     return sum;
                   },
                   {}});
    all.push_back({"cone", n, [](const Vector& x) { return std::sqrt(1 + (x.array() - 100).square().sum()) - 1; }, {}});
    all.push_back({"ellipsoid",
                   n,
                   [](const Vector& x) {
                     double sum = 0;
                     for (Index i = 0; i < x.size(); ++i)
                       sum += std::pow(10, 2.0 * static_cast<double>(i) / static_cast<double>(x.size())) *
                              std::pow(x[i] - 100 + 0.5 * (i > 0 ? x[i - 1] - 100 : 0), 2) / 1e4;
                     return sum;
                   },
                   {}});
    // The limit lies far away, too: nothing feasible is near.
    all.push_back({"limited", n, [](const Vector& x) { return x.sum() / 100; },
                   [](const Vector& x) { return (x.array() - 100).square().sum() / 1e4 - 0.25; },
                   static_cast<double>(n) - std::sqrt(0.25 * static_cast<double>(n))});
  }
  all.push_back({"logarithm", 2, [](const Vector& x) { return std::log1p((x.array() - 100).square().sum()); }, {}});
  all.push_back({"valley",
                 2,
                 [](const Vector& x) {
                   const double u = x[0] / 50, v = x[1] / 100;
                   return std::pow(1 - u, 2) + 10 * std::pow(v - u * u, 2);
                 },
                 {}});
  return all;
}

ResolvedProblem unbounded(Index n, bool limited, const std::string& solver, std::int64_t budget,
                          const std::string& more = "") {
  std::string text = "[problem]\ncommand = [\"true\"]\n";
  if (limited) text += "constraints = 1\n";
  for (Index i = 0; i < n; ++i) text += fmt::format("[[variable]]\nname = \"x{}\"\nstart = 3.0\nspread = 2.0\n", i);
  text += fmt::format("[solver]\nname = \"{}\"\nbudget = {}\nseed = 5\n{}", solver, budget, more);
  return resolve(ProblemSource{"p.toml", text, {}, 0}, false);
}

Vector in_spreads(const ResolvedProblem& p, std::span<const double> x) {
  return (p.space.to_user(as_vector(x)).array() - 3) / 2;
}

Vector solved(const Far& far, const ResolvedProblem& p, double noise_sd) {
  RunRequest request;
  request.budget = p.run.budget;
  request.seed = 5;
  RunState state(p.spec, start_solver(p), request);
  while (!state.done()) {
    for (const std::int64_t number : state.pending()) {
      const Query& q = state.question(number);
      const Vector x = in_spreads(p, q.x);
      Rng rng(q.noise);
      Answer a{{far.objective(x) + noise_sd * rng.normal()}, {}};
      if (far.limit) a.values.push_back(far.limit(x) + noise_sd * rng.normal());
      state.receive(number, a);
    }
    state.advance();
  }
  return in_spreads(p, as_span(state.result().x));
}

// Within 200 evaluations all but a hundredth of the way down.
TEST(Unbounded, FindsWhatIsAHundredSpreadsAway) {
  for (const Far& far : functions()) {
    const auto p = unbounded(far.dimension, static_cast<bool>(far.limit), "auto", 200);
    const Vector x = solved(far, p, 0);
    const double start = far.objective(Vector::Zero(far.dimension)), gap = std::abs(start - far.best);
    EXPECT_LT(far.objective(x) - far.best, 0.01 * gap) << far.name << " n = " << far.dimension << ": " << x.transpose();
    if (far.limit) {
      EXPECT_LT(far.limit(x), 1e-3) << far.name << " n = " << far.dimension << ": " << x.transpose();
    }
  }
}

// But for functions that rise ever more slowly: they say least about where they are lowest, and noise hides it.
TEST(Unbounded, FindsItUnderNoise) {
  for (const Far& far : functions()) {
    if (far.limit || far.name == "cone" || far.name == "logarithm") continue;
    const auto p = unbounded(far.dimension, false, "auto", 200);
    const double start = far.objective(Vector::Zero(far.dimension));
    const Vector x = solved(far, p, 0.01 * start);
    EXPECT_LT(far.objective(x), 0.1 * start) << far.name << " n = " << far.dimension << ": " << x.transpose();
  }
}

TEST(Unbounded, WhatDoesNotMatterStaysNear) {
  const Far far{"flat", 3, [](const Vector& x) { return std::pow(x[0] - 100, 2) / 1e4; }, {}};
  const Vector x = solved(far, unbounded(3, false, "auto", 200), 0.01);
  EXPECT_NEAR(x[0], 100, 20);
  EXPECT_LT(std::abs(x[1]), 1000);
  EXPECT_LT(std::abs(x[2]), 1000);
}

// Every solver that goes where evaluations lead it.
TEST(Unbounded, OtherSolversLeaveTheirFirstBoxToo) {
  const Far far{"sphere", 2, squares, {}};
  for (const char* solver : {"trust-bo", "adaptive-conex", "albo"}) {
    const Vector x = solved(far, unbounded(2, false, solver, 150), 0);
    EXPECT_LT(far.objective(x), 0.1 * far.objective(Vector::Zero(2))) << solver << ": " << x.transpose();
  }
}

// Evaluations never go further than the box has grown, and it grows by steps.
TEST(Unbounded, NobodyLooksHundredsOfMillionsOfSpreadsAway) {
  const auto p = unbounded(2, false, "auto", 100);
  Search search = start_solver(p);
  double furthest = 0;
  for (int done = 0; done < 90;) {
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) {
      const Vector x = in_spreads(p, q.x);
      furthest = std::max(furthest, x.cwiseAbs().maxCoeff());
      Rng rng(q.noise);
      answers.push_back({{(x.array() - 1).square().sum() + 0.1 * rng.normal()}, {}});
      ++done;
    }
    search.tell(answers);
  }
  EXPECT_LE(furthest, 28.001);  // once grown at most
}

TEST(Unbounded, InCppBoundsMayBeInfinite) {
  Problem p;
  p.spec.domain = Domain::box(Vector(Eigen::Vector3d(-infinity, 0, 0)), Vector(Eigen::Vector3d(infinity, infinity, 1)));
  p.spec.start = Vector(Eigen::Vector3d(10, 1, 0.5));
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    EXPECT_GE(x[1], 0);
    EXPECT_TRUE(x[2] >= 0 && x[2] <= 1);
    values[0] = std::pow((x[0] + 40) / 50, 2) + std::pow((x[1] - 30) / 30, 2) + x[2] + 0.01 * noise.normal();
  };
  MinimizeOptions options;
  options.budget = 200;
  options.spread = Vector(Eigen::Vector3d(2, 0, 0));
  const Result result = minimize(p, options);
  EXPECT_NEAR(result.x[0], -40, 10);
  EXPECT_NEAR(result.x[1], 30, 8);
  EXPECT_LT(result.x[2], 0.2);
}

// With questions open the box grows when they are answered.
TEST(Unbounded, GrowsWithALagAsWell) {
  const Far far{"sphere", 2, squares, {}};
  const auto p = unbounded(2, false, "trust-bo", 150, "lag = 6\nwidth = 2\n");
  EXPECT_LT(far.objective(solved(far, p, 0)), 0.1 * far.objective(Vector::Zero(2)));
}

}  // namespace
}  // namespace zeroth
