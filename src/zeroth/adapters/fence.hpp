// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"

namespace zeroth {

// No evaluation leaves X: whatever is proposed is brought to a point that may be evaluated, as rounded whole values and
// known limits have it. Points that are inside are not touched.
class Fence {
 public:
  // Throws an Error if no point can be found that may be evaluated.
  Fence(Spec spec, Space space);

  bool admits(const Vector& x) const;
  // By the first of these that succeeds: projection onto the domain; the nearest whole point that meets the rows; the
  // way back toward a point that is known to be inside; that point itself.
  Vector inside(Vector x) const;
  const Vector& anchor() const { return anchor_; }

 private:
  Vector rounded(Vector x) const;
  Vector pulled_back(const Vector& x) const;
  void find_anchor();

  Spec spec_;
  Space space_;
  Vector anchor_;
};

// The point with integer values nearest to x (in shares of the variables' widths) that meets the planes among the rows,
// by branch and bound over quadratic programs; nothing if `most_nodes` programs did not find one. `proved` is set if
// there is none at all.
std::optional<Vector> nearest_integer_point(const Space& space, const Vector& user_x, int most_nodes,
                                            bool* proved = nullptr);

// The search with every question and every answer of its own brought inside.
Search fenced(Fence fence, Spec spec, StartSolver start, std::uint64_t seed);

// Known limits as further constraints without noise, for solvers that measure slopes: they then see where a limit lies
// instead of only being held back by it.
StartSolver with_known_limits(StartSolver start, const Space& space);

}  // namespace zeroth
