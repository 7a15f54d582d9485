// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>

#include "zeroth/core/intersection.hpp"
#include "zeroth/core/sets/iterative_projections.hpp"
#include "zeroth/core/shapes.hpp"

// What Domain does with each of its shapes where more than one of its files needs it.
namespace zeroth::shapes {

using Segment = Eigen::Ref<Vector>;
using ConstSegment = Eigen::Ref<const Vector>;
using Cut = std::shared_ptr<const Intersection>;

inline Index size_of(const WholeSpace& s) { return s.size; }
inline Index size_of(const Box& s) { return s.lower.size(); }
inline Index size_of(const Ball& s) { return s.center.size(); }
inline Index size_of(const Simplex& s) { return s.size; }
inline Index size_of(const L1Ball& s) { return s.center.size(); }
inline Index size_of(const Halfspace& s) { return s.normal.size(); }
inline Index size_of(const NuclearBall& s) { return s.rows * s.columns; }
inline Index size_of(const Polytope& s) { return s.vertices.rows(); }
inline Index size_of(const Cut& s) { return s->size(); }

// Euclidean projections.
void project_onto(const WholeSpace& s, Segment x);
void project_onto(const Box& s, Segment x);
void project_onto(const Ball& s, Segment x);
void project_onto(const Simplex& s, Segment x);
void project_onto(const L1Ball& s, Segment x);
void project_onto(const Halfspace& s, Segment x);
void project_onto(const NuclearBall& s, Segment x);
void project_onto(const Polytope& s, Segment x);
void project_onto(const Cut& s, Segment x);

// A point well inside.
Vector center_of(const WholeSpace& s);
Vector center_of(const Box& s);
Vector center_of(const Ball& s);
Vector center_of(const Simplex& s);
Vector center_of(const L1Ball& s);
Vector center_of(const Halfspace& s);
Vector center_of(const NuclearBall& s);
Vector center_of(const Polytope& s);
Vector center_of(const Cut& s);

// Membership. On expressions, so that asking about a point that is nowhere stored needs no memory.
template <class X>
bool inside(const WholeSpace&, const X& x, double) {
  return x.allFinite();
}
template <class X>
bool inside(const Box& s, const X& x, double t) {
  return ((x - s.lower).array() >= -t).all() && ((s.upper - x).array() >= -t).all();
}
template <class X>
bool inside(const Ball& s, const X& x, double t) {
  return (x - s.center).norm() <= s.radius + t;
}
template <class X>
bool inside(const Simplex& s, const X& x, double t) {
  return (x.array() >= -t).all() && std::abs(x.sum() - s.total) <= t * std::max(1.0, s.total);
}
template <class X>
bool inside(const L1Ball& s, const X& x, double t) {
  return (x - s.center).template lpNorm<1>() <= s.radius + t;
}
template <class X>
bool inside(const Halfspace& s, const X& x, double t) {
  return s.normal.dot(x) - s.offset <= t * std::max(1.0, s.normal.norm());
}

template <class X>
bool inside(const NuclearBall& s, const X& x, double t) {
  return nuclear_norm(s.rows, s.columns, x) <= s.radius + t;
}
template <class X>
bool inside(const Polytope& s, const X& x, double t) {  // a projection is exact to rounding only
  const Vector point = x;
  Vector nearest = point;
  project_onto_hull(s.vertices, nearest);
  return (point - nearest).norm() <= std::max(t, 1e-12 * (1 + point.norm()));
}

template <class X>
bool inside(const Cut& s, const X& x, double t) {
  return s->contains(Vector(x), t);
}

}  // namespace zeroth::shapes
