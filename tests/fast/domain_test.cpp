// SPDX-License-Identifier: MIT
#include "zeroth/core/domain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

// The laws that every domain obeys; a new one is added to this list and to nothing else.
std::vector<Domain> all_domains() {
  Vector normal(4);
  normal << 1, -2, 0.5, 0;
  Vector lower(4), upper(4);
  lower << -1, 0, 2, -3;
  upper << 1, 0.5, 7, -3;  // one coordinate is fixed
  Matrix corners(4, 6);
  corners << 1, -1, 0, 0, 0.5, 0.1, 0, 2, -1, 0, 0.3, 0.2, 0, 0, 3, -2, 0.1, 0, 1, 1, 0, 0, -2, 0.1;
  return {Domain::whole_space(4),
          Domain::box(4, -2, 3),
          Domain::box(lower, upper),
          Domain::ball(Vector::Constant(4, 0.5), 1.5),
          Domain::simplex(4),
          Domain::simplex(4, 3),
          Domain::l1_ball(Vector::Constant(4, -1), 2),
          Domain::halfspace(normal, 0.7),
          Domain::nuclear_ball(2, 2, 1.5),
          Domain::polytope(corners),
          Domain::polytope(Matrix::Identity(4, 3)),  // flat: a triangle in four dimensions
          Domain::product({Domain::box(1, 0, 1), Domain::simplex(3, 2)}),
          Domain::product({Domain::ball(Vector::Zero(2), 1), Domain::l1_ball(Vector::Zero(2), 1)})};
}

class DomainLaws : public testing::TestWithParam<Domain> {
 protected:
  const Domain& X = GetParam();
  Rng rng{123};
  Vector gaussian(double scale) {
    Vector v(X.dimension());
    for (double& e : v) e = scale * rng.normal();
    return v;
  }
};

TEST_P(DomainLaws, SamplesAndCenterLieInX) {
  EXPECT_TRUE(X.contains(X.center()));
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(X.contains(X.sample(rng)));
}

TEST_P(DomainLaws, ProjectionLandsInXIsIdempotentAndNearest) {
  for (int i = 0; i < 100; ++i) {
    const Vector p = X.center() + gaussian(5);
    Vector q = p;
    X.project(q);
    EXPECT_TRUE(X.contains(q));
    Vector again = q;
    X.project(again);
    EXPECT_LE((again - q).norm(), 1e-12);
    for (int j = 0; j < 20; ++j) {
      const Vector z = X.sample(rng);
      EXPECT_LE((p - q).dot(z - q), 1e-9);  // variational inequality of the projection
    }
  }
}

// x+ = argmin <v, x> + eta W(x, from) iff <v, z - x+> + eta (W(z, from) - W(z, x+) - W(x+, from)) >= 0 for all z in X
// (the three-point inequality, which is the variational inequality written without gradients of omega).
TEST_P(DomainLaws, ProxLandsInXAndSatisfiesItsVariationalInequality) {
  for (int i = 0; i < 100; ++i) {
    const Vector from = X.sample(rng), v = gaussian(2);
    const double eta = std::exp(2 * rng.normal());
    Vector x;
    X.prox(v, from, eta, x);
    ASSERT_TRUE(X.contains(x));
    for (int j = 0; j < 20; ++j) {
      const Vector z = X.sample(rng);
      const double slack = v.dot(z - x) + eta * (X.distance(z, from) - X.distance(z, x) - X.distance(x, from));
      EXPECT_GE(slack, -1e-8 * (1 + eta) * (1 + v.norm()));
    }
  }
}

TEST_P(DomainLaws, ProxOfZeroStaysAndWorksInPlace) {
  Vector x = X.sample(rng);
  const Vector start = x, v = gaussian(1);
  Vector out;
  X.prox(Vector::Zero(X.dimension()), x, 2, out);
  EXPECT_LE((out - x).norm(), 1e-12);
  X.prox(v, x, 2, out);
  X.prox(v, x, 2, x);
  EXPECT_EQ(out, x);
}

TEST_P(DomainLaws, LinearMinimisationBeatsEveryPointOfABoundedX) {
  Vector best;
  for (int i = 0; i < 100; ++i) {
    const Vector v = gaussian(2);
    if (std::isinf(X.diameter())) {
      EXPECT_THROW(X.minimize_linear(v, best), Error);
      continue;
    }
    X.minimize_linear(v, best);
    ASSERT_TRUE(X.contains(best));
    for (int j = 0; j < 20; ++j) EXPECT_LE(v.dot(best), v.dot(X.sample(rng)) + 1e-9 * (1 + v.norm()));
    // The projection of a point far against v is the minimiser, up to 1/distance.
    Vector far = X.center() - 1e8 * v / v.norm();
    X.project(far);
    EXPECT_NEAR(v.dot(best), v.dot(far), 1e-4 * (1 + v.norm()));
  }
}

TEST_P(DomainLaws, DistanceIsOneStronglyConvex) {
  for (int i = 0; i < 100; ++i) {
    const Vector x = X.sample(rng), y = X.sample(rng);
    EXPECT_GE(X.distance(x, y), 0.5 * (x - y).squaredNorm() - 1e-12);
    EXPECT_NEAR(X.distance(x, x), 0, 1e-12);
  }
}

TEST_P(DomainLaws, DiameterAndRadiusBoundWhatTheySay) {
  for (int i = 0; i < 200; ++i) {
    const Vector x = X.sample(rng);
    EXPECT_LE(x.norm(), X.radius() + 1e-9);
    EXPECT_LE(std::sqrt(X.distance(x, X.center())), X.diameter() + 1e-9);
  }
}

TEST_P(DomainLaws, RoomIsMadeInsideXAndNothingMovesWhereThereIsRoom) {
  for (const bool both : {false, true}) {
    for (const double length : {0.01, 0.3, 50.0}) {
      for (int i = 0; i < 50; ++i) {
        Vector x = X.sample(rng), step = gaussian(length);
        if (i % 2) {  // from the boundary
          x += gaussian(10);
          X.project(x);
        }
        Vector room_x = x, room_step = step;
        X.make_room(room_x, room_step, both);
        EXPECT_TRUE(X.contains(room_x, 1e-9));
        EXPECT_TRUE(X.contains(room_x + room_step, 1e-9));
        if (both) {
          EXPECT_TRUE(X.contains(room_x - room_step, 1e-9));
        }
        if (X.contains(x + step, 0) && (!both || X.contains(x - step, 0))) {
          EXPECT_LE((room_x - x).norm(), 1e-12);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DomainLaws, testing::ValuesIn(all_domains()), [](const auto& info) {
  std::string name = info.param.name() + "_" + std::to_string(info.index);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

TEST(Domain, ExactSizes) {
  EXPECT_DOUBLE_EQ(Domain::box(2, -1, 1).diameter(), 2);  // sqrt(1/2 * 8)
  EXPECT_DOUBLE_EQ(Domain::box(2, -1, 1).radius(), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(Domain::ball(Vector::Zero(3), 2).diameter(), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(Domain::simplex(8).diameter(), std::sqrt(std::log(8.0)));
  EXPECT_DOUBLE_EQ(Domain::l1_ball(Vector::Zero(3), 2).radius(), 2);
  EXPECT_TRUE(std::isinf(Domain::whole_space(1).diameter()));
  EXPECT_TRUE(std::isinf(Domain::halfspace(Vector::Ones(2), 1).radius()));
}

TEST(Domain, RefusesNonsenseByName) {
  const auto message = [](auto make) -> std::string {
    try {
      make();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_NE(message([] { Domain::box(2, 3, 1); }).find("lower bound 3 is above upper bound 1"), std::string::npos);
  EXPECT_NE(message([] { Domain::box(2, std::nan(""), 1); }).find("NaN"), std::string::npos);
  EXPECT_NE(message([] { Domain::ball(Vector::Zero(2), -1); }).find("-1"), std::string::npos);
  EXPECT_NE(message([] { Domain::simplex(2, 0); }).find("total"), std::string::npos);
  EXPECT_NE(message([] { Domain::halfspace(Vector::Zero(2), 0); }).find("normal"), std::string::npos);
}

}  // namespace
}  // namespace zeroth
