// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "zeroth/core/random.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

// The known set X with its prox-function W (Definition 2.1 of the paper). W is half the squared Euclidean distance
// everywhere but on the simplex, where it is the entropy distance, so that omega is 1-strongly convex in the norm used.

struct WholeSpace {
  Index size;
};

struct Box {  // lower <= x <= upper; infinite ends are allowed
  Vector lower, upper;
};

struct Ball {  // |x - center|_2 <= radius
  Vector center;
  double radius;
};

struct Simplex {  // x >= 0, sum x = total; W(x, y) = total * sum x log(x/y)
  Index size;
  double total;
};

struct L1Ball {  // |x - center|_1 <= radius
  Vector center;
  double radius;
};

struct Halfspace {  // <normal, x> <= offset
  Vector normal;
  double offset;
};

struct NuclearBall {  // a matrix by columns whose singular values sum to at most radius
  Index rows, columns;
  double radius;
};

struct Polytope {  // the convex hull of the columns
  Matrix vertices;
  Matrix directions;  // orthonormal, of the affine space that the hull lies in
  Vector center;
};

class Domain {
 public:
  static Domain whole_space(Index size);
  static Domain box(Vector lower, Vector upper);
  static Domain box(Index size, double lower, double upper);
  static Domain ball(Vector center, double radius);
  static Domain simplex(Index size, double total = 1);
  static Domain l1_ball(Vector center, double radius);
  static Domain halfspace(Vector normal, double offset);
  static Domain nuclear_ball(Index rows, Index columns, double radius);
  static Domain polytope(Matrix vertices);  // given by its vertices, one per column
  static Domain product(std::vector<Domain> factors);

  Index dimension() const { return dimension_; }
  std::string name() const;

  // argmin over X of <v, x> + eta W(x, from); `out` may be `from` itself. Allocates nothing (but on a
  // nuclear-norm ball and a polytope, whose projections are algorithms of their own).
  void prox(const Vector& v, const Vector& from, double eta, Vector& out) const;
  // The same for the variables begin .. begin + v.size() alone; only on a set whose variables are separate (box,
  // space).
  bool separable() const;
  Matrix flat_normals() const;  // directions, as columns, along which X has no width: one per simplex
  void prox_part(const Eigen::Ref<const Vector>& v, const Vector& from, double eta, Index begin,
                 Eigen::Ref<Vector> out) const;
  // argmin over X of <v, x>: what a conditional-gradient step goes toward. X must be bounded (finite diameter). Cheap
  // where a projection is not: one singular pair on a nuclear-norm ball, one product with the vertices on a polytope.
  void minimize_linear(const Vector& v, Vector& out) const;
  double distance(const Vector& x, const Vector& y) const;  // W(x, y)
  void project(Vector& x) const;                            // the nearest point of X in the Euclidean norm
  bool contains(const Vector& x, double tolerance = 1e-9) const;

  // D_X = sup sqrt(W(x, y)); on the simplex, where that is infinite, from its centre: sqrt(total^2 log n).
  double diameter() const;
  double radius() const;  // M_X = sup |x|_2
  Vector center() const;  // a point well inside, used as default start

  // Uniform on a bounded set (spread over all of it on a nuclear-norm ball and a polytope); on an unbounded one, a
  // standard normal step from the centre, projected.
  Vector sample(Rng& rng) const;

  // Moves x by as little as needed, and shortens `step` where X is too narrow, so that x and x + step (and x - step if
  // `both_sides`) lie in X. A point with room enough is not moved, so estimates there keep their law. On a simplex the
  // step is first made tangent (its mean removed), and likewise on a polytope that is flat. Allocates as prox does.
  void make_room(Vector& x, Vector& step, bool both_sides) const;

 private:
  using Shape = std::variant<WholeSpace, Box, Ball, Simplex, L1Ball, Halfspace, NuclearBall, Polytope>;
  struct Factor {
    Index offset;
    Shape shape;
  };
  explicit Domain(Shape shape);

  std::vector<Factor> factors_;  // a plain set is a product of one
  Index dimension_ = 0;
};

}  // namespace zeroth
