// SPDX-License-Identifier: MIT
//
// Room for a step inside an intersection, and points spread over it.
#include <algorithm>
#include <cmath>

#include "zeroth/core/intersection.hpp"

namespace zeroth {

// Tangent first, then short enough to fit at the centre, then x slides toward the centre by the smallest weight that
// gives room. Limits are met at `nearly` of their room, so that rounding does not spoil it.
void Intersection::make_room(Eigen::Ref<Vector> x, Eigen::Ref<Vector> step, bool both_sides) const {
  if (normals_.cols() > 0) step -= normals_ * (normals_.transpose() * step);
  for (Index i = 0; i < size(); ++i)
    if (lower_[i] == upper_[i]) step[i] = 0;
  const auto fits = [&](const Vector& at) { return contains(at + step, 0) && (!both_sides || contains(at - step, 0)); };
  if (contains(x, 0) && fits(x)) return;
  constexpr double nearly = 1 - 1e-9;
  const Vector along = parts_.rows * step;
  const auto outward = [&](double rate) { return both_sides ? std::abs(rate) : std::max(0.0, rate); };
  // One limit: value <= high, where the value changes by `rate` along the step.
  const auto each_limit = [&](const auto& visit) {
    for (Index i = 0; i < size(); ++i) {
      if (lower_[i] == upper_[i]) continue;
      visit(x[i], center_[i], outward(step[i]), upper_[i]);
      visit(-x[i], -center_[i], outward(-step[i]), -lower_[i]);
    }
    const Vector at = parts_.rows * x;
    for (Index i = 0; i < along.size(); ++i) {
      if (row_lower_[i] == row_upper_[i]) continue;
      visit(at[i], row_at_center_[i], outward(along[i]), row_upper_[i]);
      visit(-at[i], -row_at_center_[i], outward(-along[i]), -row_lower_[i]);
    }
  };
  double share = 1;
  each_limit([&](double, double center, double out, double high) {
    if (out > nearly * (high - center)) share = std::min(share, nearly * std::max(0.0, high - center) / out);
  });
  const auto halve = [](double low, double high, const auto& good_at_high) {  // keeps `high` good
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = 0.5 * (low + high);
      (good_at_high(middle) ? high : low) = middle;
    }
    return high;
  };
  const auto pieces_fit = [&](const Vector& at, double part) {
    return in_pieces(at + part * step, 0) && (!both_sides || in_pieces(at - part * step, 0));
  };
  if (!parts_.pieces.empty() && !pieces_fit(center_, share))
    share *= 1 - halve(0, 1, [&](double cut) { return pieces_fit(center_, share * (1 - cut)); });
  step *= share;
  double weight = 0;
  each_limit([&](double value, double center, double out, double high) {
    const double o = share * out;
    if (value + o > high && value > center) weight = std::max(weight, (value + o - high) / (value - center));
  });
  weight = std::min(1.0, weight * (1 + 1e-12));
  const auto moved = [&](double w) { return Vector((1 - w) * x + w * center_); };
  if (!parts_.pieces.empty() && !pieces_fit(moved(weight), 1))
    weight = halve(weight, 1, [&](double w) { return pieces_fit(moved(w), 1); });
  Vector y = moved(weight);
  for (double more = 1e-15; !fits(y) && more < 1e-6; more *= 4) y = moved(std::min(1.0, weight + more));
  if (!fits(y)) {  // nothing but the centre will do, and a little less of the step
    y = center_;
    for (int cut = 0; cut < 60 && !fits(y); ++cut) step *= 0.5;
    if (!fits(y)) step.setZero();
  }
  x = y;
}

Intersection::Chord Intersection::chord(const Vector& x, const Vector& d) const {
  Chord c{-infinity, infinity};
  const auto limit = [&](double value, double rate, double low, double high) {
    if (std::abs(rate) < 1e-300) return;
    const double a = (low - value) / rate, b = (high - value) / rate;
    c.low = std::max(c.low, std::min(a, b));
    c.high = std::min(c.high, std::max(a, b));
  };
  for (Index i = 0; i < size(); ++i)
    if (lower_[i] < upper_[i]) limit(x[i], d[i], lower_[i], upper_[i]);
  const Vector at = parts_.rows * x, along = parts_.rows * d;
  for (Index i = 0; i < at.size(); ++i)
    if (row_lower_[i] < row_upper_[i]) limit(at[i], along[i], row_lower_[i], row_upper_[i]);
  c.low = std::min(c.low, 0.0);
  c.high = std::max(c.high, 0.0);
  if (parts_.pieces.empty()) return c;
  const double reach = 2 * std::sqrt(2 * squared_diameter()) / std::max(d.norm(), 1e-300);
  const auto cut = [&](double end) {
    end = std::clamp(end, -reach, reach);
    if (in_pieces(x + end * d, 0)) return end;
    double in = 0, out = end;
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = 0.5 * (in + out);
      (in_pieces(x + middle * d, 0) ? in : out) = middle;
    }
    return in;
  };
  return {cut(c.low), cut(c.high)};
}

bool Intersection::has_hull() const {
  return std::ranges::any_of(parts_.pieces,
                             [](const Piece& piece) { return std::holds_alternative<Polytope>(piece.shape); });
}

// Whether a point lies in a hull is a problem of its own, too dear to be asked along every chord: random weights of the
// vertices instead, as on a hull that nothing cuts, again until the point is in the other sets too.
void Intersection::sample_by_weights(Rng& rng, const Box& box, Eigen::Ref<Vector> x) const {
  for (int attempt = 0; attempt < 30; ++attempt) {
    for (Index i = 0; i < size(); ++i) x[i] = rng.uniform(box.lower[i], box.upper[i]);
    for (const Piece& piece : parts_.pieces) {
      const auto* hull = std::get_if<Polytope>(&piece.shape);
      if (!hull) continue;
      Vector weights(hull->vertices.cols());
      for (double& w : weights) w = rng.gamma(1);
      const Vector own = hull->vertices * (weights / weights.sum());
      for (std::size_t k = 0; k < piece.members.size(); ++k) x[piece.members[k]] = own[static_cast<Index>(k)];
    }
    if (contains(x, 0)) return;
  }
  project(x);
}

// Hit-and-run from the centre: R. L. Smith, Efficient Monte Carlo procedures for generating points uniformly
// distributed over bounded regions, Operations Research 32, 1984. Every point is a chain of its own.
void Intersection::sample(Rng& rng, Eigen::Ref<Vector> x) const {
  const Index n = size();
  const Box box = bounds();
  const Vector width = box.upper - box.lower;
  Vector at = center_;
  if (!width.allFinite()) {
    for (Index i = 0; i < n; ++i) at[i] += rng.normal();
    project(at);
    x = at;
    return;
  }
  if (has_hull()) {
    sample_by_weights(rng, box, x);
    return;
  }
  // So many that the centre is forgotten in tens of dimensions; in more, what two matrix products per step allow.
  const Index work = std::max<Index>(1, parts_.rows.rows()) * n;
  const Index steps = std::clamp<Index>(20'000'000 / work, 30, 20 + 10 * n);
  Vector d(n);
  for (Index step = 0; step < steps; ++step) {
    for (Index i = 0; i < n; ++i) d[i] = lower_[i] == upper_[i] ? 0 : width[i] * rng.normal();
    if (normals_.cols() > 0) d -= normals_ * (normals_.transpose() * d);
    const Chord c = chord(at, d);
    const Vector next = at + rng.uniform(c.low, c.high) * d;
    if (contains(next, 0)) at = next;
  }
  x = at;
}

}  // namespace zeroth
