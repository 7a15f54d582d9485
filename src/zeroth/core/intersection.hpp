// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "zeroth/core/error.hpp"
#include "zeroth/core/quadratic_program.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/shapes.hpp"

namespace zeroth {

// No point satisfies these rows and bounds together. What is named is enough for the contradiction.
class EmptySet : public Error {
 public:
  EmptySet(const std::string& message, std::vector<Index> its_rows, std::vector<Index> its_variables)
      : Error(message), rows(std::move(its_rows)), variables(std::move(its_variables)) {}
  std::vector<Index> rows;       // in conflict
  std::vector<Index> variables;  // whose bounds are in conflict
};

// Bounds, linear rows and round or cornered sets, all at once. Its projection is a quadratic program: a hull and an l1
// ball come in by variables of their own (weights of the vertices, positive and negative parts), a ball by its
// multiplier, which is a root in one dimension.
class Intersection {
 public:
  struct Piece {
    std::variant<Ball, L1Ball, Polytope> shape;  // over its members
    std::vector<Index> members;                  // the coordinates that it is about
  };
  struct Parts {                                                    // What is intersected.
    Vector lower;                                                   // bounds
    Vector upper;                                                   // bounds
    Matrix rows;                                                    // linear rows
    Vector row_lower;                                               // their lower ends
    Vector row_upper;                                               // their upper ends
    std::vector<Piece> pieces;                                      // round or cornered sets
    double squared_diameter = infinity, squared_radius = infinity;  // what is known of it beyond the bounds
  };
  explicit Intersection(Parts parts);  // throws EmptySet

  Index size() const { return parts_.lower.size(); }  // number of coordinates
  const Parts& parts() const { return parts_; }       // what is intersected
  const Vector& center() const { return center_; }    // a point well inside
  const Matrix& normals() const { return normals_; }  // orthonormal: directions without width

  void project(Eigen::Ref<Vector> x) const;  // to the nearest point of the set
  // The same, told where the search for the working set may begin: a point of the set.
  void project_from(const Eigen::Ref<const Vector>& from, Eigen::Ref<Vector> x) const;
  bool contains(const Eigen::Ref<const Vector>& x, double tolerance) const;
  void minimize_linear(const Eigen::Ref<const Vector>& v, Eigen::Ref<Vector> out) const;
  void make_room(Eigen::Ref<Vector> x, Eigen::Ref<Vector> step, bool both_sides) const;
  void sample(Rng& rng, Eigen::Ref<Vector> x) const;
  double squared_diameter() const;
  double squared_radius() const;
  Box bounds() const;
  std::string name() const;

 private:
  // Every limit moved inward by a share of its width; 0: the set itself.
  struct Narrowed {
    QuadraticProgram program;  // of bounds, rows, hulls and l1 balls
    double share = 0;
  };
  Narrowed narrowed(double share) const;
  struct Found {
    bool found = false;
    Vector x;
    QuadraticSolution::Conflict conflict;
  };
  Found nearest(const Narrowed& set, const Vector& point, const WorkingSet& guess) const;
  Found nearest_from_ball(const Narrowed& set, Vector weights, Vector linear, std::size_t piece,
                          WorkingSet& guess) const;
  void move_inside(Eigen::Ref<Vector> x) const;
  bool in_pieces(const Vector& x, double tolerance) const;
  Index lifted() const;  // variables that hulls and l1 balls bring along
  void find_center();    // and the rows that are equalities in fact
  void find_normals();
  [[noreturn]] void refuse_empty(const QuadraticSolution::Conflict& conflict) const;
  bool has_hull() const;
  void sample_by_weights(Rng& rng, const Box& box, Eigen::Ref<Vector> x) const;
  struct Chord {
    double low, high;
  };
  Chord chord(const Vector& x, const Vector& direction) const;

  Parts parts_;
  Vector row_length_;
  // As declared, but what turned out to have no width is an equality here.
  Vector lower_, upper_, row_lower_, row_upper_;
  Narrowed whole_;
  Matrix normals_;
  Vector center_, row_at_center_;
};

}  // namespace zeroth
