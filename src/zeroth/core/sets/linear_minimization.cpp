// SPDX-License-Identifier: MIT
//
// Domain::minimize_linear, set by set.
#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/core/sets/iterative_projections.hpp"

namespace zeroth {
namespace {

using Segment = Eigen::Ref<Vector>;
using ConstSegment = Eigen::Ref<const Vector>;

[[noreturn]] void refuse(const char* set) {
  throw Error(
      fmt::format("a {} has no smallest value of a linear function; conditional-gradient steps need a bounded "
                  "set (box, ball, simplex, l1_ball, nuclear_ball, polytope)",
                  set));
}

void minimize_on(const WholeSpace&, ConstSegment, Segment) { refuse("whole space"); }
void minimize_on(const Halfspace&, ConstSegment, Segment) { refuse("half-space"); }

void minimize_on(const Box& s, ConstSegment v, Segment out) {
  for (Index i = 0; i < v.size(); ++i) {
    out[i] = v[i] > 0 ? s.lower[i] : s.upper[i];
    if (std::isinf(out[i])) refuse("box without end");
  }
}

void minimize_on(const Ball& s, ConstSegment v, Segment out) {
  const double length = v.norm();
  out = s.center;
  if (length > 0) out -= (s.radius / length) * v;
}

void minimize_on(const Simplex& s, ConstSegment v, Segment out) {
  Index least = 0;
  v.minCoeff(&least);
  out.setZero();
  out[least] = s.total;
}

void minimize_on(const L1Ball& s, ConstSegment v, Segment out) {
  Index largest = 0;
  v.cwiseAbs().maxCoeff(&largest);
  out = s.center;
  out[largest] -= v[largest] > 0 ? s.radius : -s.radius;
}

void minimize_on(const NuclearBall& s, ConstSegment v, Segment out) {
  Vector left, right;
  leading_pair(s.rows, s.columns, v, left, right);
  Eigen::Map<Matrix>(out.data(), s.rows, s.columns) = -s.radius * left * right.transpose();
}

void minimize_on(const Polytope& s, ConstSegment v, Segment out) {
  Index least = 0;
  (s.vertices.transpose() * v).minCoeff(&least);
  out = s.vertices.col(least);
}

void minimize_on(const std::shared_ptr<const Intersection>& s, ConstSegment v, Segment out) {
  if (std::isinf(s->squared_diameter())) refuse("set without bounds");
  s->minimize_linear(v, out);
}

}  // namespace

void Domain::minimize_linear(const Vector& v, Vector& out) const {
  assert(v.size() == dimension_);
  if (out.size() != dimension_) out.resize(dimension_);
  for (std::size_t k = 0; k < factors().size(); ++k) {
    const Index begin = factors()[k].offset;
    const Index size = (k + 1 < factors().size() ? factors()[k + 1].offset : dimension_) - begin;
    std::visit([&](const auto& s) { minimize_on(s, v.segment(begin, size), out.segment(begin, size)); },
               factors()[k].shape);
  }
}

}  // namespace zeroth
