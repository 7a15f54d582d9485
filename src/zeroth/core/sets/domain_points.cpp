// SPDX-License-Identifier: MIT
//
// Domain::make_room and Domain::sample, set by set.
#include <algorithm>
#include <cmath>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/sets/box_room.hpp"
#include "zeroth/core/sets/shape_functions.hpp"

namespace zeroth {
namespace {

using namespace shapes;

// --- room for a step ------------------------------------------------------------------------------------------------

void room_in(const WholeSpace&, Segment, Segment, bool) {}

void room_in(const Box& s, Segment x, Segment step, bool both_sides) {
  make_room_in_box(s.lower, s.upper, x, step, both_sides);
}

// Elsewhere x slides toward a point deep inside. If y0 and y0 + a step of length `depth` both fit at the centre, then
// by convexity the mixture (1 - w) x + w center has room for w * depth; w is the smallest weight that gives room.
template <class Shape>
void slide_inward(const Shape& s, Segment x, Segment step, bool both_sides, ConstSegment center, double depth) {
  const double length = step.norm();
  if (length > depth) step *= depth / length;
  const auto fits = [&] { return inside(s, x + step, 0) && (!both_sides || inside(s, x - step, 0)); };
  if (fits()) return;
  double low = 0, high = std::min(1.0, step.norm() / depth);
  const double start_weight = high;
  for (int halving = 0; halving < 40; ++halving) {
    const double w = 0.5 * (low + high);
    const bool ok =
        inside(s, (1 - w) * x + w * center + step, 0) && (!both_sides || inside(s, (1 - w) * x + w * center - step, 0));
    (ok ? high : low) = w;
  }
  x = (1 - high) * x + high * center;
  if (!fits() && start_weight < 1) step *= 1 - 1e-12;
}

void room_in(const Ball& s, Segment x, Segment step, bool both_sides) {
  slide_inward(s, x, step, both_sides, s.center, s.radius * (1 - 1e-12));
}
void room_in(const L1Ball& s, Segment x, Segment step, bool both_sides) {
  const double depth = s.radius / std::sqrt(static_cast<double>(s.center.size()));
  slide_inward(s, x, step, both_sides, s.center, depth * (1 - 1e-12));
}
void room_in(const Simplex& s, Segment x, Segment step, bool both_sides) {
  step.array() -= step.mean();
  const double each = s.total / static_cast<double>(s.size);
  const double most = each * (1 - 1e-12);
  const double largest = step.lpNorm<Eigen::Infinity>();
  if (largest > most) step *= most / largest;
  double need = 0;  // weight of the centre that leaves every coordinate at least zero
  for (Index i = 0; i < s.size; ++i) {
    const double down = both_sides ? std::abs(step[i]) : std::max(0.0, -step[i]);
    if (x[i] < down) need = std::max(need, (down - x[i]) / (each - x[i]));
  }
  if (need > 0) x.array() += std::min(1.0, need) * (each - x.array());
}
void room_in(const Halfspace& s, Segment x, Segment step, bool both_sides) {
  const double along = s.normal.dot(step);
  const double outward = both_sides ? std::abs(along) : std::max(0.0, along);
  const double excess = s.normal.dot(x) + outward - s.offset;
  if (excess > 0) x -= (excess / s.normal.squaredNorm()) * s.normal;
}

void room_in(const NuclearBall& s, Segment x, Segment step, bool both_sides) {
  const double depth = s.radius / std::sqrt(static_cast<double>(std::min(s.rows, s.columns)));
  slide_inward(s, x, step, both_sides, center_of(s), depth * (1 - 1e-12));
}
// Tangent first, then short enough to fit at the centre, then as for the others.
void room_in(const Polytope& s, Segment x, Segment step, bool both_sides) {
  step = (s.directions * (s.directions.transpose() * step)).eval();
  const auto fits_at_center = [&](double share) {
    return inside(s, s.center + share * step, 0) && (!both_sides || inside(s, s.center - share * step, 0));
  };
  if (!fits_at_center(1)) {
    double low = 0, high = 1;
    for (int halving = 0; halving < 30; ++halving)
      (fits_at_center(0.5 * (low + high)) ? low : high) = 0.5 * (low + high);
    step *= low;
  }
  slide_inward(s, x, step, both_sides, s.center, std::max(step.norm(), 1e-300));
}

void room_in(const Cut& s, Segment x, Segment step, bool both_sides) { s->make_room(x, step, both_sides); }

// --- uniform points -------------------------------------------------------------------------------------------------

template <class Shape>
void sample_in(const Shape& s, Rng& rng, Segment x) {
  x = center_of(s);
  for (Index i = 0; i < x.size(); ++i) x[i] += rng.normal();
  project_onto(s, x);
}

void sample_in(const Box& s, Rng& rng, Segment x) {
  for (Index i = 0; i < x.size(); ++i) {
    if (std::isfinite(s.lower[i]) && std::isfinite(s.upper[i])) x[i] = rng.uniform(s.lower[i], s.upper[i]);
    else x[i] = std::clamp(center_of(s)[i] + rng.normal(), s.lower[i], s.upper[i]);
  }
}

void sample_in(const Ball& s, Rng& rng, Segment x) {
  for (Index i = 0; i < x.size(); ++i) x[i] = rng.normal();
  x *= s.radius * std::pow(rng.uniform(), 1.0 / static_cast<double>(x.size())) / x.norm();
  x += s.center;
}

void sample_in(const Simplex& s, Rng& rng, Segment x) {
  for (Index i = 0; i < x.size(); ++i) x[i] = rng.gamma(1);
  x *= s.total / x.sum();
}

// Exponential spacings with one to spare give a uniform point under the simplex; random signs spread it over the ball.
void sample_in(const L1Ball& s, Rng& rng, Segment x) {
  double sum = rng.gamma(1);
  for (Index i = 0; i < x.size(); ++i) {
    x[i] = rng.gamma(1);
    sum += x[i];
    if (rng.below(2) == 0) x[i] = -x[i];
  }
  x *= s.radius / sum;
  x += s.center;
}

void sample_in(const NuclearBall& s, Rng& rng, Segment x) {
  for (Index i = 0; i < x.size(); ++i) x[i] = rng.normal();
  x *= s.radius * std::pow(rng.uniform(), 1.0 / static_cast<double>(x.size())) / nuclear_norm(s.rows, s.columns, x);
}

void sample_in(const Polytope& s, Rng& rng, Segment x) {
  Vector weights(s.vertices.cols());
  for (Index i = 0; i < weights.size(); ++i) weights[i] = rng.gamma(1);
  x = s.vertices * (weights / weights.sum());
}

void sample_in(const Cut& s, Rng& rng, Segment x) { s->sample(rng, x); }

}  // namespace

Vector Domain::sample(Rng& rng) const {
  Vector x(dimension_);
  for (const auto& f : factors())
    std::visit([&](const auto& s) { sample_in(s, rng, x.segment(f.offset, size_of(s))); }, f.shape);
  return x;
}

void Domain::make_room(Vector& x, Vector& step, bool both_sides) const {
  for (const auto& f : factors())
    std::visit(
        [&](const auto& s) {
          const Index n = size_of(s);
          room_in(s, x.segment(f.offset, n), step.segment(f.offset, n), both_sides);
        },
        f.shape);
}

}  // namespace zeroth
