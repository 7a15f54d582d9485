// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/solvers/adaptive_conex/basis.hpp"

namespace zeroth::adaptive {

// One evaluation that the solver asks for: at its point, or along a direction from a centre.
struct Ask {
  Vector x;
  Index direction = -1;  // -1: at the point itself
  double radius = 0;     // signed
  std::uint64_t key = 0;
};

// Coordinates along the directions, w = Q'(x - origin) / scale, and the points of X that evaluations go to. The
// directions are dense (see Basis), or the variables' own. A flat X (a simplex) has fewer of them than variables, and
// the origin in X.
class Frame {
 public:
  Frame(const Spec& spec, const Vector& start, std::uint64_t seed);

  Vector to_x(const Vector& w) const;
  Vector to_w(const Vector& x) const;
  // Where keys are honoured evaluations stay close by, and a long reach is worth nothing; but from a corner of a box
  // every dense direction leads out of it both ways, while along a variable one way is always open.
  void evaluate_along_variables();
  Index dimension() const { return dense() ? q_.cols() : scale_.size(); }
  bool dense() const { return q_.size() > 0; }
  const Matrix& directions() const { return q_; }
  void project(Vector& w) const;
  // X as walls, wall_low <= wall_values(w) <= wall_high, where it is no more than bounds and rows (`walled`): the
  // bounds of all variables, in half-widths, then the rows.
  bool walled() const { return wall_low_.size() > 0; }
  Vector wall_values(const Vector& w) const;
  Vector wall_normal(Index k) const;
  const Vector& wall_low() const { return wall_low_; }
  const Vector& wall_high() const { return wall_high_; }
  std::uint64_t fresh_key();

  double largest_radius() const { return largest_; }  // fits X from its middle
  Ask here(const Vector& x) { return {x, -1, 0, fresh_key()}; }
  // x + radius u_j; X must have room for it (see room), or x is slid inward and the evaluation is a little off.
  Ask along(const Vector& x, Index j, double radius, std::uint64_t key) const;
  // x + radius times any unit vector in w, shortened to stay in X; the radius that was possible comes back in the ask.
  Ask toward(const Vector& x, const Vector& unit, double radius, std::uint64_t key) const;
  // The longest of `radius` and shorter ones that stays in X on the side of its sign; 0 if none does.
  double room(const Vector& x, Index j, double radius) const;
  // x slid inward so that there is room for `radius` along every direction, both ways.
  Vector centre(const Vector& x, double radius) const;

 private:
  Vector direction(Index j) const;  // in x

  void keep_to_flat(const Matrix& normals);
  void build_walls();
  bool inside(const Vector& x) const;

  Domain domain_;
  Vector scale_, origin_;
  Matrix q_;          // empty: the variables' own directions
  Matrix wall_rows_;  // of (x - origin) / scale, one per row of X
  Vector wall_low_, wall_high_;
  double entry_, largest_;
  std::uint64_t seed_, keys_ = 0;
};

std::vector<Query> queries(const std::vector<Ask>& asks);

}  // namespace zeroth::adaptive
