// SPDX-License-Identifier: MIT
#include "zeroth/core/domain.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

// The laws that every domain obeys; a new one is added to this list and to nothing else.
Matrix rows_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix m(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index i = 0;
  for (const auto& row : rows) {
    Index j = 0;
    for (const double e : row) m(i, j++) = e;
    ++i;
  }
  return m;
}
Vector vector_of(std::initializer_list<double> entries) { return rows_of({entries}).row(0); }

std::vector<Domain> cut_domains() {
  const Vector low = Vector::Zero(4), high = Vector::Ones(4), free = Vector::Constant(4, infinity);
  const Domain triangle = Domain::polytope(Matrix::Identity(4, 3));
  Matrix corners(4, 6);
  corners << 1, -1, 0, 0, 0.5, 0.1, 0, 2, -1, 0, 0.3, 0.2, 0, 0, 3, -2, 0.1, 0, 1, 1, 0, 0, -2, 0.1;
  return {Domain::polyhedron(low, high, rows_of({{1, 1, 1, 0}, {1, -2, 0, 0}}), vector_of({-infinity, -infinity}),
                             vector_of({1.5, 0})),
          // an equality, a band and an inequality
          Domain::polyhedron(low, 3 * high, rows_of({{1, 1, 1, 1}, {1, 0, 0, -1}, {0, 2, 1, 0}}),
                             vector_of({2, -0.2, -infinity}), vector_of({2, 0.2, 1.5})),
          Domain::polyhedron(-free, free, rows_of({{1, 2, 0, 0}, {0, 0, 1, -1}}), vector_of({-infinity, -1}),
                             vector_of({1, 1})),
          // x1 + x2 >= 2 leaves one corner of two bounds: equalities in fact
          Domain::polyhedron(low, high, rows_of({{1, 1, 0, 0}, {0, 0, 1, 1}}), vector_of({2, -infinity}),
                             vector_of({infinity, 1.2})),
          Domain::intersection(4, {Domain::ball(Vector::Constant(4, 0.5), 0.8), Domain::box(4, 0, 1),
                                   Domain::halfspace(Vector::Ones(4), 2.2)}),
          Domain::intersection(4, {Domain::simplex(4, 2), Domain::box(4, 0.1, 0.9)}),
          Domain::intersection(4, {Domain::simplex(2), Domain::box(4, 0, 1), Domain::halfspace(Vector::Ones(3), 1.4)},
                               {{0, 1}, {0, 1, 2, 3}, {1, 2, 3}}),
          Domain::intersection(4, {Domain::ball(Vector::Zero(4), 1), Domain::ball(Vector::Constant(4, 0.5), 0.9)}),
          Domain::intersection(4, {Domain::l1_ball(Vector::Zero(4), 1), Domain::box(4, -0.3, 0.6)}),
          Domain::intersection(4, {Domain::polytope(corners), Domain::box(4, -0.5, 0.5)}),
          Domain::intersection(4, {triangle, Domain::ball(Vector::Unit(4, 0), 1)}),
          Domain::product(
              {Domain::box(1, 0, 1), Domain::polyhedron(vector_of({0, 0, 2}), vector_of({1, 1, 2}),
                                                        rows_of({{1, 1, 1}}), vector_of({2.5}), vector_of({3.25}))})};
}

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

std::string name_of(const testing::TestParamInfo<Domain>& info) {
  std::string name = info.param.name() + "_" + std::to_string(info.index);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
// Inequalities without any tolerance: an evaluator that asserts its own limits is never surprised.
TEST_P(DomainLaws, WhatACutReturnsIsInsideToTheLastBit) {
  if (!X.cut()) return;
  for (int i = 0; i < 100; ++i) {
    Vector x = X.center() + gaussian(3), step = gaussian(0.3), out;
    X.project(x);
    EXPECT_TRUE(X.contains(x, 0));
    X.prox(gaussian(2), x, 0.7, out);
    EXPECT_TRUE(X.contains(out, 0));
    X.make_room(x, step, i % 2 == 0);
    EXPECT_TRUE(X.contains(x, 0));
    EXPECT_TRUE(X.contains(x + step, 0));
    if (i % 2 == 0) {
      EXPECT_TRUE(X.contains(x - step, 0));
    }
    EXPECT_TRUE(X.contains(X.sample(rng), 0));
  }
  EXPECT_TRUE(X.contains(X.center(), 0));
}

TEST_P(DomainLaws, BoundsHoldEveryPoint) {
  const Box box = X.bounds();
  for (int i = 0; i < 50; ++i) {
    const Vector x = X.sample(rng);
    EXPECT_TRUE((x.array() >= box.lower.array() - 1e-12).all() && (x.array() <= box.upper.array() + 1e-12).all());
  }
}

INSTANTIATE_TEST_SUITE_P(All, DomainLaws, testing::ValuesIn(all_domains()), name_of);
INSTANTIATE_TEST_SUITE_P(Cut, DomainLaws, testing::ValuesIn(cut_domains()), name_of);

TEST(Domain, ExactSizes) {
  EXPECT_DOUBLE_EQ(Domain::box(2, -1, 1).diameter(), 2);  // sqrt(1/2 * 8)
  EXPECT_DOUBLE_EQ(Domain::box(2, -1, 1).radius(), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(Domain::ball(Vector::Zero(3), 2).diameter(), std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(Domain::simplex(8).diameter(), std::sqrt(std::log(8.0)));
  EXPECT_DOUBLE_EQ(Domain::l1_ball(Vector::Zero(3), 2).radius(), 2);
  EXPECT_TRUE(std::isinf(Domain::whole_space(1).diameter()));
  EXPECT_TRUE(std::isinf(Domain::halfspace(Vector::Ones(2), 1).radius()));
}

// Hit-and-run against plain rejection: the mean of every coordinate and of its square, to five standard errors.
TEST(Domain, SamplesOfAPolyhedronAreUniform) {
  const Matrix rows = rows_of({{1, 1, 1}, {1, -2, 0}});
  const Domain cut = Domain::polyhedron(Vector::Zero(3), Vector::Ones(3), rows, vector_of({-infinity, -infinity}),
                                        vector_of({1.2, 0.3}));
  Rng rng(9);
  constexpr int count = 4000;
  Matrix ours(3, count), theirs(3, count);
  for (int k = 0; k < count; ++k) {
    ours.col(k) = cut.sample(rng);
    do {
      for (Index i = 0; i < 3; ++i) theirs(i, k) = rng.uniform();
    } while (!cut.contains(theirs.col(k), 0));
  }
  const auto compare = [&](const Matrix& a, const Matrix& b) {
    for (Index i = 0; i < 3; ++i) {
      const double spread = std::sqrt((b.row(i).array() - b.row(i).mean()).square().mean());
      EXPECT_NEAR(a.row(i).mean(), b.row(i).mean(), 5 * spread * std::sqrt(2.0 / count));
    }
  };
  compare(ours, theirs);
  compare(ours.array().square(), theirs.array().square());
}

TEST(Domain, AnEmptySetNamesTheRowsThatContradict) {
  const Matrix rows = rows_of({{1, 1, 0}, {0, 0, 1}, {1, 1, 1}});
  try {
    Domain::polyhedron(Vector::Zero(3), Vector::Ones(3), rows, vector_of({-infinity, -5, 2.5}),
                       vector_of({1.4, 5, infinity}));
    FAIL() << "accepted";
  } catch (const EmptySet& e) {
    EXPECT_EQ(e.rows, (std::vector<Index>{0, 2}));
    EXPECT_EQ(e.variables, (std::vector<Index>{2}));
  }
  EXPECT_THROW(Domain::intersection(2, {Domain::ball(Vector::Zero(2), 1), Domain::box(2, 0.8, 2)}), EmptySet);
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
