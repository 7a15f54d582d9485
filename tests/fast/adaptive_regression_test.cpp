// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/core/random.hpp"
#include "zeroth/solvers/adaptive_conex/orders.hpp"

namespace zeroth::adaptive {
namespace {

// 3 + sum_j ((j + 1) w_j + w_j^2 - 2 w_j^3 + w_j^4) + 5 w_0 w_1 w_2^2, its slopes and Hessian by hand.
double quartic(const Vector& w) {
  double sum = 3 + 5 * w[0] * w[1] * w[2] * w[2];
  for (Index j = 0; j < w.size(); ++j) sum += w[j] * (static_cast<double>(j + 1) + w[j] * (1 + w[j] * (w[j] - 2)));
  return sum;
}

Vector quartic_slopes(const Vector& w) {
  Vector g(w.size());
  for (Index j = 0; j < w.size(); ++j) g[j] = static_cast<double>(j + 1) + w[j] * (2 + w[j] * (4 * w[j] - 6));
  g[0] += 5 * w[1] * w[2] * w[2];
  g[1] += 5 * w[0] * w[2] * w[2];
  g[2] += 10 * w[0] * w[1] * w[2];
  return g;
}

// Evaluations all over the box at a function of fourth order tell its slopes and curvature anywhere, also where none
// was.
TEST(AdaptiveRegression, SeesFourthOrderAsItIs) {
  const Index n = 3;
  Regression regression(n, 1, 4, 1000, 0);
  regression.set_prior(0, 1, 10);
  Rng rng(5);
  const Vector tiny = Vector::Constant(1, 1e-12), none = Vector::Zero(1);
  for (int k = 0; k < 200; ++k) {
    Vector w(n);
    for (Index j = 0; j < n; ++j) w[j] = rng.uniform(-1, 1);
    regression.add(w, {}, Vector::Constant(1, quartic(w)), tiny, 0);
  }
  const Vector at = (Vector(n) << 0.3, -0.2, 0.6).finished();
  for (int repeat = 0; repeat < 5; ++repeat) ASSERT_TRUE(regression.fit(at, none, none));  // its priors settle
  EXPECT_NEAR(regression.level[0], quartic(at), 1e-4);
  EXPECT_LT((regression.slope.col(0) - quartic_slopes(at)).norm(), 1e-3);
  EXPECT_NEAR(regression.hessian[0](0, 0), 2 - 12 * at[0] + 12 * at[0] * at[0], 1e-2);
  EXPECT_NEAR(regression.hessian[0](0, 1), 5 * at[2] * at[2], 1e-2);
}

// Which order knows the slopes best is seen from how far new evaluations are from what was expected: the fourth where
// the function is of that order, the second where it has nothing to gain.
TEST(AdaptiveOrders, TakeTheOrderThatTheFunctionHas) {
  const Index n = 3;
  const Vector at = Vector::Constant(n, 0.3), noise = Vector::Constant(1, 1e-2), none = Vector::Zero(1);
  for (const bool bent : {true, false}) {
    Orders orders({{n, 1, 2, 1000, 0}, {n, 1, 4, 1000, 0}});
    orders.set_prior(0, 1, 10);
    Rng rng(5);
    for (int k = 1; k <= 600; ++k) {
      Vector w(n);
      for (Index j = 0; j < n; ++j) w[j] = at[j] + rng.uniform(-0.7, 0.7);
      const double value = (bent ? quartic(w) : w.squaredNorm()) + 0.1 * rng.normal();
      orders.add(w, {}, Vector::Constant(1, value), noise, 0);
      if (k % 30 == 0) ASSERT_TRUE(orders.fit(at, none, none, Vector::Ones(1), 1.5));
    }
    EXPECT_EQ(orders.best().order(), bent ? 4 : 2);
  }
}

}  // namespace
}  // namespace zeroth::adaptive
