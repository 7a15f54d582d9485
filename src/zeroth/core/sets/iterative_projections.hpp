// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// The two sets whose projections are algorithms of their own: matrices of bounded nuclear norm, and convex hulls of
// given points.

double nuclear_norm(Index rows, Index columns, const Vector& x);

// The singular values are projected onto the l1 ball; `threshold(values, total)` is the shift that makes them sum to
// `total`.
void project_onto_nuclear_ball(Index rows, Index columns, double radius, Eigen::Ref<Vector> x,
                               const std::function<double(const Vector&, double)>& threshold);

// The largest singular value's pair (u, v) of a matrix by columns, by power iteration: u v' is what the matrix
// correlates with most.
void leading_pair(Index rows, Index columns, const Eigen::Ref<const Vector>& matrix, Vector& u, Vector& v);

// The nearest point of the convex hull of the columns: P. Wolfe, Finding the nearest point in a polytope, Mathematical
// Programming 11, 1976. Finite; exact to rounding.
void project_onto_hull(const Matrix& vertices, Eigen::Ref<Vector> x);

// An orthonormal basis of what the columns span.
Matrix directions_of(const Matrix& columns);

}  // namespace zeroth
