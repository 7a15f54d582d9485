// SPDX-License-Identifier: MIT
//
// Confidence sequences hold at all sample sizes at once, for noise of several kinds, and are at most about twice as
// wide as an interval for one fixed size.
#include <gtest/gtest.h>

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>

#include "zeroth/core/random.hpp"
#include "zeroth/run/checked_point.hpp"

namespace zeroth {
namespace {

struct Noise {
  const char* name;
  std::function<double(Rng&)> draw;
  double mean;
};

double student5(Rng& r) {
  double squares = 0;
  for (int k = 0; k < 5; ++k) squares += std::pow(r.normal(), 2);
  return r.normal() / std::sqrt(squares / 5);
}

double count_of_nine(Rng& r, double p) {
  int hits = 0;
  for (int k = 0; k < 9; ++k) hits += r.uniform() < p;
  return hits / 9.0;
}

const std::vector<Noise>& noises() {
  static const std::vector<Noise> all{
      {"normal", [](Rng& r) { return r.normal(); }, 0},
      {"t5", student5, 0},
      {"counts of 9", [](Rng& r) { return count_of_nine(r, 0.9); }, 0.9},
      {"rare counts of 9", [](Rng& r) { return count_of_nine(r, 0.03); }, 0.03},
      {"exponential", [](Rng& r) { return -std::log(1 - r.uniform()); }, 1},
      {"multiplicative", [](Rng& r) { return 3 * (1 + 0.3 * r.normal()); }, 3},
  };
  return all;
}

TEST(Intervals, CoverWheneverOneStops) {
  constexpr int runs = 1000, most = 200;
  for (const Noise& noise : noises()) {
    int covered = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      Rng rng(derive_key(seed, 17));
      Spec spec;
      EvaluatedPoints run(spec);
      // The run has seen other points before, so that counts are known for what they are.
      for (std::uint64_t k = 0; k < 30; ++k)
        run.add(std::vector<double>{static_cast<double>(k)}, k, std::vector<double>{noise.draw(rng)});
      CheckedPoint point(1, nullptr, &run, MeanSequence::planned_for(most));
      bool always = true;
      for (int n = 1; n <= most; ++n) {
        const std::vector<double> value{noise.draw(rng)};
        run.add(std::vector<double>{-1.0}, 1000 + static_cast<std::uint64_t>(n), value);
        point.add(value);
        const Interval i = point.interval(0);
        always = always && i.low <= noise.mean && noise.mean <= i.high;
      }
      covered += always;
      if (seed > 20) continue;
      const boost::math::students_t t(most - 1);
      EXPECT_LE(point.interval(0).half_width(), 2.1 * boost::math::quantile(t, 0.975) * point.estimate(0).se)
          << noise.name;
    }
    EXPECT_GE(covered, runs * 0.95 - 2 * std::sqrt(runs * 0.95 * 0.05)) << noise.name;
  }
}

TEST(Intervals, OfYesOrNoAndOfQuantilesCover) {
  constexpr int runs = 1000, most = 200;
  for (const double p : {0.02, 0.3, 0.95}) {
    int share = 0, quantile = 0;
    for (std::uint64_t seed = 1; seed <= runs; ++seed) {
      Rng rng(derive_key(seed, 18));
      std::int64_t seen = 0;
      std::vector<double> values;
      bool share_always = true, quantile_always = true;
      for (int n = 1; n <= most; ++n) {
        seen += rng.uniform() < p;
        values.push_back(rng.uniform());
        const Interval s = share_interval(seen, n);
        share_always = share_always && s.low <= p && p <= s.high;
        if (n % 20 != 0) continue;
        const Interval q = quantile_sequence(values, p);
        quantile_always = quantile_always && q.low <= p && p <= q.high;
      }
      share += share_always;
      quantile += quantile_always;
    }
    EXPECT_GE(share, runs * 0.95 - 2 * std::sqrt(runs * 0.95 * 0.05)) << p;
    EXPECT_GE(quantile, runs * 0.95 - 2 * std::sqrt(runs * 0.95 * 0.05)) << p;
  }
}

// Three equal evaluations do not mean that there is no noise: a function that counts, or one that has noise elsewhere,
// may yet give another value.
TEST(Intervals, EqualEvaluationsOfACountAreNotExact) {
  Spec spec;
  EvaluatedPoints counts(spec), smooth(spec);
  for (std::uint64_t k = 0; k < 30; ++k) {
    counts.add(std::vector<double>{static_cast<double>(k)}, k, std::vector<double>{static_cast<double>(k % 3)});
    smooth.add(std::vector<double>{static_cast<double>(k)}, k, std::vector<double>{std::sqrt(static_cast<double>(k))});
  }
  for (EvaluatedPoints* run : {&counts, &smooth}) {
    CheckedPoint point(1, nullptr, run, MeanSequence::planned_for(10));
    for (std::uint64_t k = 0; k < 5; ++k) {
      run->add(std::vector<double>{-1.0}, 100 + k, std::vector<double>{1.0});
      point.add(std::vector<double>{1.0});
    }
    EXPECT_EQ(point.exact(0), run == &smooth);
    EXPECT_EQ(point.interval(0).half_width() == 0, run == &smooth);
  }
}

// Without noise a violation within rounding is none, whatever the units.
TEST(Intervals, RoundingIsNoViolation) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    Spec spec;
    spec.constraints = 1;
    EvaluatedPoints run(spec);
    for (std::uint64_t k = 1; k <= 10; ++k)
      run.add(std::vector<double>{static_cast<double>(k)}, k,
              std::vector<double>{1, unit * std::sqrt(static_cast<double>(k))});
    for (const double violation : {1e-16, 1e-11, 1e-3}) {
      CheckedPoint point(2, nullptr, &run);
      for (std::uint64_t k = 0; k < 3; ++k) {
        const std::vector<double> values{2, unit * violation};
        run.add(std::vector<double>{-violation}, 100 + k, values);
        point.add(values);
      }
      EXPECT_EQ(point.probability_feasible(1), violation < 1e-9 ? 1 : 0);
    }
  }
}

}  // namespace
}  // namespace zeroth
