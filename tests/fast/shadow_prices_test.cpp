// SPDX-License-Identifier: MIT
//
// Shadow prices of every kind of limit against the derivative of the true optimal value, in the limit's own units.
#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdio>

#include "zeroth/lab/parallel.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

// A problem whose limit is a number in its text, and what the limited quantity truly is at x on the way t to the
// optimum: the smallest t that keeps the limit is optimal.
struct Priced {
  const char* name;
  Problem problem;
  std::string before, after;  // of the number
  double limit;
  std::function<double(double t)> quantity;
  bool at_most;                           // the limit is an upper one
  std::function<double(double t)> value;  // the objective
  double least, most;                     // t is in between, and holds at `most`

  std::string text(double at) const { return before + std::to_string(at) + after; }
  double best_value(double at) const {
    double fails = least, holds = most;
    for (int k = 0; k < 100; ++k) {
      const double middle = 0.5 * (fails + holds);
      ((at_most ? quantity(middle) <= at : quantity(middle) >= at) ? holds : fails) = middle;
    }
    return value(holds);
  }
  // What one unit of relaxing is worth.
  double true_price() const {
    const double h = 1e-4 * limit, slope = (best_value(limit + h) - best_value(limit - h)) / (2 * h);
    return at_most ? -slope : slope;
  }
};

// A wait with mean 3 / rate and a deviation of 30 %; the rate costs one per unit.
Problem queue() {
  Problem p;
  p.spec.domain = Domain::box(Vector::Constant(1, 1), Vector::Constant(1, 5));
  p.spec.constraints = 1;
  p.constraint_names = {"wait"};
  p.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = x[0] + 0.05 * r.normal();
    v[1] = (1 + 0.3 * r.normal()) * 3 / x[0];
  };
  return p;
}

// A load x_0 + x_1 with normal noise that must be large enough; the cost is quadratic, least at the origin.
Problem load() {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 3);
  p.spec.constraints = 1;
  p.constraint_names = {"load"};
  p.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = x[0] * x[0] + 2 * x[1] * x[1] + 0.05 * r.normal();
    v[1] = x[0] + x[1] + 0.3 * r.normal();
  };
  return p;
}

std::vector<Priced> cases() {
  const auto rate = [](double t) { return t; };
  // With x_0 + x_1 = t the least cost is 2/3 t^2, at (2/3, 1/3) t.
  const auto cost = [](double t) { return 2.0 / 3 * t * t; };
  const boost::math::normal noise(0, 0.3), standard;
  const double tenth = boost::math::quantile(noise, 0.1), most = boost::math::quantile(standard, 0.9);
  const double tail = boost::math::pdf(standard, most) / 0.1;  // the mean of the largest tenth
  const auto wait = [](double errors) { return [errors](double t) { return (1 + 0.3 * errors) * 3 / t; }; };
  return {
      {"mean", queue(), "mean(wait) <= ", "", 1.2, wait(0), true, rate, 1, 5},
      {"probability", queue(), "probability(wait <= 1.5) >= ", "", 0.9,
       [noise](double t) { return boost::math::cdf(noise, t / 2 - 1); }, false, rate, 1, 5},
      {"quantile", queue(), "quantile(wait, 0.9) <= ", "", 1.5, wait(most), true, rate, 1, 5},
      {"cvar", queue(), "cvar(wait, 0.9) <= ", "", 2, wait(tail), true, rate, 1, 5},
      {"mean of two", load(), "mean(load) >= ", "", 1.5, [](double t) { return t; }, false, cost, 0, 6},
      {"probability of two", load(), "probability(load >= 1.5) >= ", "", 0.9,
       [noise](double t) { return boost::math::cdf(noise, t - 1.5); }, false, cost, 0, 6},
      {"quantile of two", load(), "quantile(load, 0.1) >= ", "", 1.5, [tenth](double t) { return t + tenth; }, false,
       cost, 0, 6},
  };
}

TEST(ShadowPrices, AreTheDerivativesOfTheTrueOptimalValue) {
  constexpr std::size_t seeds = 16;
  for (const Priced& c : cases()) {
    const double truth = c.true_price();
    std::vector<ConstraintResult> found(seeds);
    parallel_for(0, seeds, [&](std::size_t k) {
      MinimizeOptions o;
      o.solver = "trust-bo";
      o.budget = 600;
      o.seed = k + 1;
      o.constraints = {c.text(c.limit)};
      found[k] = minimize(c.problem, o).constraints[0];
    });
    int known = 0, covered = 0;
    std::vector<double> prices;
    for (const ConstraintResult& f : found) {
      if (std::isnan(f.multiplier.mean)) continue;
      ++known;
      covered += f.multiplier_interval.low <= truth && truth <= f.multiplier_interval.high;
      prices.push_back(f.multiplier.mean);
    }
    std::ranges::sort(prices);
    const double median = prices.empty() ? std::nan("") : prices[prices.size() / 2];
    std::printf("%-20s true %.3f, median %.3f, known %d, covered %d of %zu\n", c.name, truth, median, known, covered,
                seeds);
    EXPECT_GE(known, 12) << c.name;
    // 95 % but for two standard errors of so few.
    EXPECT_GE(covered, known - 3) << c.name;
    EXPECT_NEAR(median, truth, 0.35 * truth) << c.name;
  }
}

// Where the optimum is inside, limits are worth nothing, and at a corner slopes do not tell: nothing is made up.
TEST(ShadowPrices, AreZeroOrWithheldWhereThereIsNone) {
  Problem inside = load();
  inside.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.05 * r.normal();
    v[1] = x[0] + x[1] - 5 + 0.05 * r.normal();
  };
  MinimizeOptions o;
  o.solver = "trust-bo";
  o.budget = 200;
  EXPECT_EQ(minimize(inside, o).constraints[0].multiplier.mean, 0);

  // Nothing that is varied changes the limit.
  Problem flat = load();
  flat.oracle = [](std::span<const double> x, Rng& r, std::span<double> v) {
    v[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.05 * r.normal();
    v[1] = 0.001 + 0.05 * r.normal();
  };
  for (const char* solver : {"trust-bo", "adaptive-conex", "auto"}) {
    o.solver = solver;
    for (o.seed = 1; o.seed <= 3; ++o.seed) {
      const Estimate price = minimize(flat, o).constraints[0].multiplier;
      // Either not known or honest about how little is: never the end of some solver's range.
      EXPECT_TRUE(std::isnan(price.mean) || price.mean < 1e3) << solver << " " << price.mean;
    }
  }
}

}  // namespace
}  // namespace zeroth
