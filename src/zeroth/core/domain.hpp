// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "zeroth/core/intersection.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/shapes.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

// The known set X with its prox-function W (Definition 2.1 of the paper). W is half the squared Euclidean distance
// everywhere but on the simplex (one that nothing cuts), where it is the entropy distance, so that omega is 1-strongly
// convex in the norm used.

class Domain {  // The set X: one of the shapes above or a product of them, with what solvers need of it.
 public:
  static Domain whole_space(Index size);                                 // R^size
  static Domain box(Vector lower, Vector upper);                         // bounds for each variable
  static Domain box(Index size, double lower, double upper);             // the same bounds for all
  static Domain ball(Vector center, double radius);                      // Euclidean
  static Domain simplex(Index size, double total = 1);                   // shares of a total
  static Domain l1_ball(Vector center, double radius);                   // sum of absolute deviations limited
  static Domain halfspace(Vector normal, double offset);                 // one linear inequality
  static Domain nuclear_ball(Index rows, Index columns, double radius);  // matrices of low rank, relaxed
  static Domain polytope(Matrix vertices);                               // given by its vertices, one per column
  static Domain product(std::vector<Domain> factors);                    // their variables one after the other
  // lower <= x <= upper and row_lower <= rows x <= row_upper; ends may be infinite or equal. Throws EmptySet, with the
  // rows and variables that contradict each other, if no point is in it.
  static Domain polyhedron(Vector lower, Vector upper, Matrix rows, Vector row_lower, Vector row_upper);
  // What lies in every one of the sets. Set k is about the variables members[k], in that order; without `members`,
  // every set is about all of them. A nuclear-norm ball cannot be cut.
  static Domain intersection(Index size, const std::vector<Domain>& sets,
                             const std::vector<std::vector<Index>>& members = {});

  Index dimension() const { return dimension_; }  // number of variables
  std::string name() const;                       // for messages

  // argmin over X of <v, x> + eta W(x, from); `out` may be `from` itself. Allocates nothing (but on a
  // nuclear-norm ball and a polytope, whose projections are algorithms of their own).
  void prox(const Vector& v, const Vector& from, double eta, Vector& out) const;
  bool separable() const;       // variables are separate: box, space
  Matrix flat_normals() const;  // directions, as columns, along which X has no width: one per simplex or equality
  bool cut() const;             // some factor is an intersection: its prox solves a quadratic program
  // The bounds, rows and round or cornered pieces whose intersection X is; none where a nuclear-norm ball is in it. A
  // set without pieces is a polyhedron that can be written down.
  std::optional<Intersection::Parts> parts() const;
  // The same for the variables begin .. begin + v.size() alone, with the part of `from`, `x` and `step` that is about
  // these; only on a set whose variables are separate.
  void prox_part(const Eigen::Ref<const Vector>& v, const Eigen::Ref<const Vector>& from, double eta, Index begin,
                 Eigen::Ref<Vector> out) const;
  void project_part(Index begin, Eigen::Ref<Vector> x) const;
  void make_room_part(Index begin, Eigen::Ref<Vector> x, Eigen::Ref<Vector> step, bool both_sides) const;
  bool has_room_part(Index begin, const Eigen::Ref<const Vector>& x, double length) const;  // on both sides of each
  // argmin over X of <v, x>: what a conditional-gradient step goes toward. X must be bounded (finite diameter). Cheap
  // where a projection is not: one singular pair on a nuclear-norm ball, one product with the vertices on a polytope.
  void minimize_linear(const Vector& v, Vector& out) const;
  double distance(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y) const;  // W(x, y)
  void project(Vector& x) const;                                  // the nearest point of X in the Euclidean norm
  bool contains(const Vector& x, double tolerance = 1e-9) const;  // up to rounding

  // D_X = sup sqrt(W(x, y)); on the simplex, where that is infinite, from its centre: sqrt(total^2 log n).
  double diameter() const;
  double radius() const;  // M_X = sup |x|_2
  Box bounds() const;     // every x of X lies between these; as close as can be told cheaply
  Vector center() const;  // a point well inside, used as default start

  // Uniform on a bounded set (spread over all of it on a nuclear-norm ball and a polytope, and by hit-and-run on an
  // intersection); on an unbounded one, a standard normal step from the centre, projected.
  Vector sample(Rng& rng) const;

  // Moves x by as little as needed, and shortens `step` where X is too narrow, so that x and x + step (and x - step if
  // `both_sides`) lie in X. A point with space enough is not moved, so estimates there keep their distribution. On a
  // simplex the step is first made tangent (its mean removed), and likewise on a polytope that is flat. Allocates as
  // prox does.
  void make_room(Vector& x, Vector& step, bool both_sides) const;

 private:
  using Cut = std::shared_ptr<const Intersection>;
  using Shape = std::variant<WholeSpace, Box, Ball, Simplex, L1Ball, Halfspace, NuclearBall, Polytope, Cut>;
  struct Factor {
    Index offset;
    Shape shape;
  };
  explicit Domain(Shape shape);

  const std::vector<Factor>& factors() const { return *factors_; }

  // A plain set is a product of one. Copies of a set share its numbers: with a million variables they are what costs.
  std::shared_ptr<const std::vector<Factor>> factors_;
  Index dimension_ = 0;
};

}  // namespace zeroth
