// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto/auto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "zeroth/core/quadratic_program.hpp"
#include "zeroth/solvers/auto/log_scale.hpp"
#include "zeroth/solvers/exact_local/exact_local.hpp"
#include "zeroth/solvers/exact_local/interpolation_models.hpp"

namespace zeroth {
namespace {

using Function = std::function<bool(std::span<const double> x, Rng& noise, std::span<double> values)>;

// Drives a search for `budget` evaluations; every question must lie in X.
Incumbent driven(const Spec& spec, Search search, const Function& function, std::int64_t budget) {
  std::vector<Answer> answers;
  for (std::int64_t done = 0; !search.done();) {
    const auto batch = search.ask();
    done += static_cast<std::int64_t>(batch.size());
    if (done > budget) break;
    answers.assign(batch.size(), {});
    for (std::size_t k = 0; k < batch.size(); ++k) {
      EXPECT_TRUE(spec.domain.contains(as_vector(batch[k].x)));
      Rng noise(batch[k].noise);
      answers[k].values.resize(static_cast<std::size_t>(spec.functions()));
      if (!function(batch[k].x, noise, answers[k].values)) answers[k] = Answer::failed_because("no");
    }
    search.tell(answers);
  }
  return search.recommend();
}

Spec box_spec(Index n, double lower, double upper, Index constraints, std::int64_t budget) {
  Spec spec;
  spec.domain = Domain::box(n, lower, upper);
  spec.constraints = constraints;
  spec.budget = budget;
  return spec;
}

TEST(InterpolationModels, AreTheQuadraticsThemselvesOnceThereAreEnoughPoints) {
  Rng rng(3);
  const Index n = 2;
  Matrix h(n, n);
  h << 3, 1, 1, 2;
  const Vector g{{-1, 0.5}};
  const auto f = [&](const Vector& x) { return Vector{{x.dot(h * x) / 2 + g.dot(x) + 7, 2 - g.dot(x)}}; };
  InterpolationModels models(n, 2);
  for (Index k = 0; k < models.most(); ++k) {
    const Vector x{{rng.uniform(), rng.uniform()}};
    models.add(x, f(x));
  }
  // Five points leave one of six coefficients open, which a sixth in the place of one of them settles by the update.
  for (int more = 0; more < 8; ++more) {
    ASSERT_TRUE(models.update(models.point(0), 0.5));
    const Vector x{{rng.uniform(), rng.uniform()}};
    models.replace(1 + more % 4, x, f(x));
  }
  ASSERT_TRUE(models.update(models.point(0), 0.5));
  const Vector at{{0.3, 0.9}};
  EXPECT_NEAR(models.value(0, at), f(at)[0], 1e-3);
  EXPECT_NEAR(models.value(1, at), f(at)[1], 1e-9);
  EXPECT_TRUE(models.lagrange(models.point(2)).isApprox(Vector::Unit(models.size(), 2), 1e-8));
}

// Rosen and Suzuki's problem, f* = -44.
bool rosen_suzuki(std::span<const double> x, double unit, std::span<double> y) {
  const double a = x[0] / unit, b = x[1] / unit, c = x[2] / unit, d = x[3] / unit;
  y[0] = a * a + b * b + 2 * c * c + d * d - 5 * a - 5 * b - 21 * c + 7 * d;
  y[1] = a * a + b * b + c * c + d * d + a - b + c - d - 8;
  y[2] = a * a + 2 * b * b + c * c + 2 * d * d - a - d - 10;
  y[3] = 2 * a * a + b * b + c * c + 2 * a - b - d - 5;
  return true;
}

TEST(ExactLocal, SolvesToRoundingInAHundredEvaluations) {
  for (const double start : {0.0, -2.0, 3.0}) {
    Spec spec = box_spec(4, -5, 5, 3, 150);
    spec.start = Vector::Constant(4, start);
    const Incumbent found = driven(
        spec, exact_local_search(spec), [](auto x, Rng&, auto y) { return rosen_suzuki(x, 1, y); }, 150);
    std::vector<double> y(4);
    rosen_suzuki(as_span(found.x), 1, y);
    EXPECT_NEAR(y[0], -44, 1e-3) << start;
    EXPECT_LE(*std::max_element(y.begin() + 1, y.end()), 0) << start;
    EXPECT_NEAR(found.multipliers[0], 1, 0.05) << start;
    EXPECT_NEAR(found.multipliers[2], 2, 0.05) << start;
  }
}

TEST(ExactLocal, IsTheSameRunBitForBitUnderPowersOfTwo) {
  const auto run = [](double unit, double f, double g) {
    Spec spec = box_spec(4, -4 * unit, 4 * unit, 3, 100);
    spec.start = Vector::Constant(4, unit);
    Vector x = driven(
                   spec, exact_local_search(spec),
                   [=](auto x, Rng&, auto y) {
                     rosen_suzuki(x, unit, y);
                     y[0] *= f;
                     for (std::size_t i = 1; i < y.size(); ++i) y[i] *= g;
                     return true;
                   },
                   60)
                   .x;
    return Vector(x / unit);
  };
  const Vector plain = run(1, 1, 1);
  EXPECT_EQ(plain, run(1, 1024, 1));
  EXPECT_EQ(plain, run(1, 1, 1.0 / 4096));
  EXPECT_EQ(plain, run(64, 1, 1));
}

// Two of three valleys are traps, the deepest is forbidden: without noise local searches begin again elsewhere.
TEST(Auto, FindsTheBestOfSeveralValleysWithAndWithoutNoise) {
  for (const double sd : {0.0, 0.05}) {
    const auto valleys = [sd](auto x, Rng& noise, auto y) {
      const auto hole = [&](double a, double b, double depth) {
        return depth * std::exp(-30 * (std::pow(x[0] - a, 2) + std::pow(x[1] - b, 2)));
      };
      y[0] = -hole(0.25, 0.8, 3) - hole(0.75, 0.3, 2) - hole(0.35, 0.2, 1.3) + sd * noise.normal();
      y[1] = 0.3 - std::hypot(x[0] - 0.25, x[1] - 0.8) + sd * noise.normal();
      return true;
    };
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Spec spec = box_spec(2, 0, 1, 1, 300);
      spec.start = Vector{{0.35, 0.25}};
      const Vector x = driven(spec, auto_solver(spec, {}, seed), valleys, 300).x;
      found += (x - Vector{{0.75, 0.3}}).norm() < 0.15;
    }
    EXPECT_GE(found, 4) << sd;
  }
}

// Half of the box fails: nothing there is recommended.
TEST(Auto, RecommendsNothingWhereEvaluationsFail) {
  const auto half = [](auto x, Rng& noise, auto y) {
    y[0] = -x[0] - x[1] + 0.05 * noise.normal();
    return x[0] + x[1] <= 1;
  };
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    Spec spec = box_spec(2, 0, 1, 0, 250);
    spec.start = Vector::Constant(2, 0.2);
    const Vector x = driven(spec, auto_solver(spec, {}, seed), half, 250).x;
    EXPECT_LE(x.sum(), 1) << seed;
    EXPECT_GT(x.sum(), 0.8) << seed;
  }
}

// Jumps under every seed: slopes there are those of stairs. More evaluations must not lead away.
TEST(Auto, IsNotMisledBySlopesThatJumpUnderOneSeed) {
  const auto stairs = [](auto x, Rng& noise, auto y) {
    const double shift = noise.uniform();
    const auto step = [&](double v) { return std::floor(8 * v + shift) / 8; };
    y[0] =
        std::pow(step(x[0]) - 0.7, 2) + std::pow(step(x[1]) - 0.3, 2) - 0.05 * std::abs(std::sin(40 * (x[0] + shift)));
    return true;
  };
  for (const std::int64_t budget : {200, 800}) {
    std::vector<double> gaps;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Spec spec = box_spec(2, 0, 1, 0, budget);
      spec.common_noise = true;
      spec.start = Vector{{0.05, 0.95}};
      const Vector x = driven(spec, auto_solver(spec, {}, seed), stairs, budget).x;
      gaps.push_back(std::pow(x[0] - 0.65, 2) + std::pow(x[1] - 0.25, 2));
    }
    std::ranges::sort(gaps);
    EXPECT_LT(gaps[2], 0.03) << budget;
  }
}

// Each a mixture of what others stumble over: integer and real variables, counts, a wall.
TEST(Auto, MoreEvaluationsDoNotMakeTheRecommendationWorse) {
  const auto wall = [](auto x, Rng& noise, auto y) {
    y[0] = (x[0] + 1 / x[0] + x[1] + 4 / x[1]) * (1 + 0.02 * noise.normal());
    y[1] = 3 - x[1] + 0.3 * noise.normal();
    return true;
  };
  const auto truth = [](const Vector& x) { return x[0] + 1 / x[0] + x[1] + 4 / x[1] + 20 * std::max(0.0, 3 - x[1]); };
  double before = infinity;
  for (const std::int64_t budget : {60, 240, 960}) {
    std::vector<double> values;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Spec spec = box_spec(2, 0.01, 100, 1, budget);
      spec.start = Vector::Constant(2, 50);
      values.push_back(truth(driven(spec, auto_solver(spec, {}, seed), wall, budget).x));
    }
    std::ranges::sort(values);
    EXPECT_LT(values[2], before + 0.05) << budget;
    before = values[2];
  }
  EXPECT_LT(before, 2 + 3 + 4.0 / 3 + 1);  // optimum 6.33
}

// The point of a polytope of 40 sides that is nearest to a point outside, from a corner of the box: many constraints,
// of which few hold the optimum. A quadratic program knows the truth.
TEST(Auto, SolvesManyConstraintsWithAndWithoutNoise) {
  constexpr Index n = 6, m = 40;
  Rng rng(7);
  QuadraticProgram qp;
  qp.rows.resize(m, n);
  qp.row_lower = Vector::Constant(m, -infinity);
  qp.row_upper.resize(m);
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < n; ++k) qp.rows(i, k) = rng.normal();
    qp.rows.row(i) *= std::pow(10.0, rng.uniform(-2, 2)) / qp.rows.row(i).norm();
    qp.row_upper[i] = 0.8 * qp.rows.row(i).norm();
  }
  const Vector target = Vector::Constant(n, 1.5);
  qp.linear = -target;
  const double best = (solve(qp).x - target).squaredNorm();
  const Vector start = Vector::Zero(n);
  const double range = (start - target).squaredNorm() - best;
  for (const double sd : {0.0, 0.01}) {
    Spec spec = box_spec(n, -2, 2, m, 400);
    spec.start = start;
    const Vector x = driven(
                         spec, auto_solver(spec, {}, 3),
                         [&](auto at, Rng& noise, auto y) {
                           const Vector v = as_vector(at);
                           y[0] = (v - target).squaredNorm() + sd * range * noise.normal();
                           for (Index i = 0; i < m; ++i)
                             y[static_cast<std::size_t>(i + 1)] =
                                 qp.rows.row(i).dot(v) - qp.row_upper[i] + sd * qp.row_upper[i] * noise.normal();
                           return true;
                         },
                         400)
                         .x;
    EXPECT_LT(((x - target).squaredNorm() - best) / range, sd > 0 ? 0.1 : 1e-5) << sd;
    const Vector broken = (qp.rows * x - qp.row_upper).cwiseQuotient(qp.row_upper);
    EXPECT_LT(broken.maxCoeff(), sd > 0 ? 3 * sd : 1e-6) << sd;
  }
}

// Walls at zero on a linear scale: declared or not, and whatever coordinates a door has chosen, variables are searched
// by their logarithms.
// Without noise the second evaluation of a point says nothing. A few are asked all the same: they show that there is
// none.
TEST(Auto, HardlyEverRepeatsAnEvaluationWithoutNoise) {
  std::map<std::vector<double>, int> asked;
  constexpr std::int64_t budget = 300;
  Spec spec = box_spec(3, -1, 1, 2, budget);
  driven(
      spec, auto_solver(spec, {}, 5),
      [&](auto x, Rng&, auto y) {
        ++asked[{x.begin(), x.end()}];
        y[0] = std::sin(5 * x[0]) + x[1] * x[1] + std::abs(x[2] - 0.3);
        y[1] = x[0] + x[1] - 0.5;
        y[2] = x[2] * x[2] - 0.5;
        return true;
      },
      budget);
  int repeated = 0;
  for (const auto& [x, times] : asked) repeated += times - 1;
  EXPECT_LE(repeated, budget / 30);
}

TEST(Auto, SearchesByLogarithmsWhereBoundsAreFarApart) {
  constexpr Index n = 5;
  Spec spec = box_spec(n, 0.01, 100, 0, 600);
  spec.start = Vector::Constant(n, 30);
  std::vector<double> values;
  std::string note;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Incumbent found = driven(
        spec, auto_solver(spec, {}, seed),
        [](auto x, Rng& noise, auto y) {
          y[0] = 0.5 * noise.normal();
          for (const double v : x) y[0] += v + 1 / v;
          return true;
        },
        600);
    values.push_back((found.x.array() + found.x.array().inverse()).sum());
    note += found.note;
  }
  std::ranges::sort(values);
  EXPECT_LT(values[1], 2 * n + 1.5);  // the start: 150
  EXPECT_NE(note.find("on a logarithmic scale"), std::string::npos) << note;
}

TEST(LogScale, IsAWayThereAndBack) {
  Spec spec;
  spec.domain = Domain::box(Vector{{0.01, -3, 2}}, Vector{{100, 5, 3}});
  const LogScale scale(spec);
  EXPECT_TRUE(LogScale::possible(spec));
  Rng rng(5);
  for (int k = 0; k < 20; ++k) {
    const Vector x = spec.domain.sample(rng), z = scale.from_problem(x);
    EXPECT_TRUE(scale.to_problem(as_span(z)).isApprox(x, 1e-12));
    EXPECT_TRUE(scale.spec().domain.contains(z));
  }
  EXPECT_NEAR(scale.from_problem(Vector{{1, 1, 2.5}})[0], 0.5, 1e-12);  // halfway between 0.01 and 100
  EXPECT_EQ(scale.from_problem(Vector{{1, 1, 2.5}})[1], 0.5);
  spec.integer = {true, false, false};
  EXPECT_FALSE(LogScale::possible(spec));
  Spec units;  // as problem files are read: coordinates from 0 to 1
  units.domain = Domain::box(2, 0, 1);
  units.log_offset = Vector{{log_offset(0.01, 100), log_offset(0, 100)}};
  EXPECT_TRUE(LogScale::possible(units));
  EXPECT_NEAR(LogScale(units).to_problem(std::vector{0.5, 0.25})[0], 0.99 / 99.99, 1e-12);
  EXPECT_EQ(LogScale(units).to_problem(std::vector{0.5, 0.25})[1], 0.25);  // from zero on there is no scale
  units.log_offset[0] = 0;
  EXPECT_FALSE(LogScale::possible(units));
}

// Yes or no, and at the start always yes: replicates that agree do not prove that there is no noise.
TEST(Auto, TakesRareEventsForNoise) {
  constexpr double allowed = 0.08;
  const Spec spec = [] {
    Spec s = box_spec(2, 0, 6, 1, 400);
    s.start = Vector::Constant(2, 4);
    return s;
  }();
  std::vector<double> sums;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Vector x = driven(
                         spec, auto_solver(spec, {}, seed),
                         [](auto at, Rng& noise, auto y) {
                           y[0] = at[0] + at[1];
                           y[1] = (noise.uniform() < std::exp(-at[0] - at[1]) ? 1 : 0) - allowed;
                           return true;
                         },
                         400)
                         .x;
    EXPECT_LT(std::exp(-x.sum()), 3 * allowed) << seed;  // by luck alone it would go to 0.7
    EXPECT_LE(x.sum(), 8) << seed;                       // the start has that
    sums.push_back(x.sum());
  }
  std::ranges::sort(sums);
  EXPECT_LT(sums[2], 6);  // the best feasible point has 2.53
}

TEST(Auto, WorksAloneBySlopesWhereAModelWouldCostTooMuch) {
  Spec spec = box_spec(2000, -1, 1, 30, 1000);
  Search search = auto_solver(spec, {}, 1);
  EXPECT_FALSE(search.ask().empty());
  std::vector<Answer> answers(search.ask().size(), Answer{std::vector<double>(31, -1.0), {}});
  search.tell(answers);
  EXPECT_NE(search.recommend().note.find("cost too much"), std::string::npos);
}

}  // namespace
}  // namespace zeroth
