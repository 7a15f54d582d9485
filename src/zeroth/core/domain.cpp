// SPDX-License-Identifier: MIT
#include "zeroth/core/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/core/iterative_projections.hpp"

namespace zeroth {
namespace {

using Segment = Eigen::Ref<Vector>;
using ConstSegment = Eigen::Ref<const Vector>;
Index size_of(const WholeSpace& s) { return s.size; }
Index size_of(const Box& s) { return s.lower.size(); }
Index size_of(const Ball& s) { return s.center.size(); }
Index size_of(const Simplex& s) { return s.size; }
Index size_of(const L1Ball& s) { return s.center.size(); }
Index size_of(const Halfspace& s) { return s.normal.size(); }
Index size_of(const NuclearBall& s) { return s.rows * s.columns; }
Index size_of(const Polytope& s) { return s.vertices.rows(); }
using Cut = std::shared_ptr<const Intersection>;
Index size_of(const Cut& s) { return s->size(); }

// --- Euclidean projections ------------------------------------------------------------------------------------------

void project_onto(const WholeSpace&, Segment) {}

void project_onto(const Box& s, Segment x) { x = x.cwiseMax(s.lower).cwiseMin(s.upper); }

void project_onto(const Ball& s, Segment x) {
  const double distance = (x - s.center).norm();
  if (distance > s.radius) x = s.center + (s.radius / distance) * (x - s.center);
}

// Threshold theta with sum max(a_i - theta, 0) = total, by Michelot's iteration: exact, finite and without memory.
template <class Entries>
double threshold(const Entries& a, double total) {
  double theta = -infinity;
  for (;;) {
    double sum = 0;
    Index active = 0;
    for (Index i = 0; i < a.size(); ++i) {
      if (a[i] > theta) {
        sum += a[i];
        ++active;
      }
    }
    const double next = (sum - total) / static_cast<double>(active);
    if (!(next > theta)) return theta;
    theta = next;
  }
}

void project_onto(const Simplex& s, Segment x) {
  const double theta = threshold(x, s.total);
  x = (x.array() - theta).max(0.0);
}

void project_onto(const L1Ball& s, Segment x) {
  x -= s.center;
  if (x.lpNorm<1>() > s.radius) {
    const double theta = threshold(x.cwiseAbs(), s.radius);
    x = x.array().sign() * (x.array().abs() - theta).max(0.0);
  }
  x += s.center;
}

void project_onto(const Halfspace& s, Segment x) {
  const double excess = s.normal.dot(x) - s.offset;
  if (excess > 0) x -= (excess / s.normal.squaredNorm()) * s.normal;
}

void project_onto(const NuclearBall& s, Segment x) {
  project_onto_nuclear_ball(s.rows, s.columns, s.radius, x,
                            [](const Vector& values, double total) { return threshold(values, total); });
}

void project_onto(const Polytope& s, Segment x) { project_onto_hull(s.vertices, x); }
void project_onto(const Cut& s, Segment x) { s->project(x); }

// --- prox: argmin <v, x> + eta W(x, from) ---------------------------------------------------------------------------

template <class Shape>
void prox_on(const Shape& s, ConstSegment v, ConstSegment from, double eta, Segment out) {
  out = from - v / eta;
  project_onto(s, out);
}

void prox_on(const Box& s, ConstSegment v, ConstSegment from, double eta, Segment out) {  // in one pass
  out = (from - v / eta).cwiseMax(s.lower).cwiseMin(s.upper);
}

// Where `from` lies tells what will probably hold the result.
void prox_on(const Cut& s, ConstSegment v, ConstSegment from, double eta, Segment out) {
  const Vector before = from;
  out = before - v / eta;
  s->project_from(before, out);
}

// x_i proportional to from_i exp(-v_i / (eta total)), in logarithms so that nothing overflows. No entry falls below a
// tiny floor: an exact zero would be infinitely far from everything else and could never grow again.
void prox_on(const Simplex& s, ConstSegment v, ConstSegment from, double eta, Segment out) {
  constexpr double floor = 1e-280;
  const double scale = 1 / (eta * s.total);
  double largest = -infinity;
  for (Index i = 0; i < s.size; ++i) {
    out[i] = std::log(std::max(from[i], floor)) - v[i] * scale;
    largest = std::max(largest, out[i]);
  }
  double sum = 0;
  for (Index i = 0; i < s.size; ++i) {
    out[i] = std::exp(out[i] - largest);
    sum += out[i];
  }
  for (Index i = 0; i < s.size; ++i) out[i] = std::max(s.total * (out[i] / sum), floor);
}

// --- W, membership, sizes -------------------------------------------------------------------------------------------

template <class Shape>
double distance_on(const Shape&, ConstSegment x, ConstSegment y) {
  return 0.5 * (x - y).squaredNorm();
}

double distance_on(const Simplex& s, ConstSegment x, ConstSegment y) {
  double sum = 0;
  for (Index i = 0; i < x.size(); ++i)
    if (x[i] > 0) sum += x[i] * std::log(x[i] / y[i]) - x[i] + y[i];
    else sum += y[i];
  return s.total * sum;
}

// On expressions, so that asking about a point that is nowhere stored needs no memory.
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

double squared_diameter(const WholeSpace&) { return infinity; }
double squared_diameter(const Box& s) { return 0.5 * (s.upper - s.lower).squaredNorm(); }
double squared_diameter(const Ball& s) { return 2 * s.radius * s.radius; }
double squared_diameter(const Simplex& s) { return s.total * s.total * std::log(static_cast<double>(s.size)); }
double squared_diameter(const L1Ball& s) { return 2 * s.radius * s.radius; }
double squared_diameter(const Halfspace&) { return infinity; }
double squared_diameter(const NuclearBall& s) { return 2 * s.radius * s.radius; }
double squared_diameter(const Polytope& s) {
  double farthest = 0;
  for (Index j = 0; j < s.vertices.cols(); ++j)
    farthest = std::max(farthest, (s.vertices.colwise() - s.vertices.col(j)).colwise().squaredNorm().maxCoeff());
  return 0.5 * farthest;
}

double squared_diameter(const Cut& s) { return s->squared_diameter(); }

double squared_radius(const WholeSpace&) { return infinity; }
double squared_radius(const Box& s) { return s.lower.cwiseAbs().cwiseMax(s.upper.cwiseAbs()).squaredNorm(); }
double squared_radius(const Ball& s) { return std::pow(s.center.norm() + s.radius, 2); }
double squared_radius(const Simplex& s) { return s.total * s.total; }
// The farthest point of an l1 ball is a vertex: center +- radius e_i with the largest |center_i|.
double squared_radius(const L1Ball& s) {
  return s.center.squaredNorm() + 2 * s.radius * s.center.lpNorm<Eigen::Infinity>() + s.radius * s.radius;
}
double squared_radius(const Halfspace&) { return infinity; }
double squared_radius(const NuclearBall& s) { return s.radius * s.radius; }
double squared_radius(const Polytope& s) { return s.vertices.colwise().squaredNorm().maxCoeff(); }

double squared_radius(const Cut& s) { return s->squared_radius(); }

Vector center_of(const WholeSpace& s) { return Vector::Zero(s.size); }
Vector center_of(const Box& s) {
  Vector c(s.lower.size());
  for (Index i = 0; i < c.size(); ++i) {
    const double l = s.lower[i], u = s.upper[i];
    if (std::isfinite(l) && std::isfinite(u)) c[i] = l + 0.5 * (u - l);
    else c[i] = std::clamp(0.0, l, u);
  }
  return c;
}
Vector center_of(const Ball& s) { return s.center; }
Vector center_of(const Simplex& s) { return Vector::Constant(s.size, s.total / static_cast<double>(s.size)); }
Vector center_of(const L1Ball& s) { return s.center; }
Vector center_of(const Halfspace& s) {
  Vector c = Vector::Zero(s.normal.size());
  project_onto(s, c);
  return c;
}

Vector center_of(const NuclearBall& s) { return Vector::Zero(s.rows * s.columns); }
Vector center_of(const Polytope& s) { return s.center; }
Vector center_of(const Cut& s) { return s->center(); }

Box bounds_of(const WholeSpace& s) { return {Vector::Constant(s.size, -infinity), Vector::Constant(s.size, infinity)}; }
Box bounds_of(const Box& s) { return s; }
Box bounds_of(const Ball& s) { return {s.center.array() - s.radius, s.center.array() + s.radius}; }
Box bounds_of(const Simplex& s) { return {Vector::Zero(s.size), Vector::Constant(s.size, s.total)}; }
Box bounds_of(const L1Ball& s) { return {s.center.array() - s.radius, s.center.array() + s.radius}; }
Box bounds_of(const Halfspace& s) { return bounds_of(WholeSpace{s.normal.size()}); }
Box bounds_of(const NuclearBall& s) {
  return {Vector::Constant(size_of(s), -s.radius), Vector::Constant(size_of(s), s.radius)};
}
Box bounds_of(const Polytope& s) { return {s.vertices.rowwise().minCoeff(), s.vertices.rowwise().maxCoeff()}; }
// As tight as linear programs make it, where there are not too many of them.
Box bounds_of(const Cut& s) {
  Box box = s->bounds();
  constexpr Index few = 60;
  if (s->size() > few || !std::isfinite(s->squared_diameter())) return box;
  Vector end(s->size());
  for (Index i = 0; i < s->size(); ++i) {
    if (box.lower[i] == box.upper[i]) continue;
    // A little wider than found: what is found is inside to rounding.
    const double slack = 1e-9 * (box.upper[i] - box.lower[i]);
    s->minimize_linear(Vector::Unit(s->size(), i), end);
    const double low = std::max(box.lower[i], end[i] - slack);
    s->minimize_linear(-Vector::Unit(s->size(), i), end);
    box.upper[i] = std::min(box.upper[i], end[i] + slack);
    box.lower[i] = low;
  }
  return box;
}

std::string name_of(const WholeSpace&) { return "whole space"; }
std::string name_of(const Box&) { return "box"; }
std::string name_of(const Ball&) { return "ball"; }
std::string name_of(const Simplex&) { return "simplex"; }
std::string name_of(const L1Ball&) { return "l1 ball"; }
std::string name_of(const Halfspace&) { return "half-space"; }
std::string name_of(const NuclearBall&) { return "nuclear-norm ball"; }
std::string name_of(const Polytope&) { return "polytope"; }
std::string name_of(const Cut& s) { return s->name(); }

// --- room for a step ------------------------------------------------------------------------------------------------

void room_in(const WholeSpace&, Segment, Segment, bool) {}

// Coordinate by coordinate: a step longer than the interval allows is cut, then x slides inward by the overshoot.
void room_in(const Box& s, Segment x, Segment step, bool both_sides) {
  for (Index i = 0; i < x.size(); ++i) {
    const double most = (s.upper[i] - s.lower[i]) * (both_sides ? 0.5 : 1.0);
    step[i] = std::clamp(step[i], -most, most);
    const double down = both_sides ? std::abs(step[i]) : std::max(0.0, -step[i]);
    const double up = both_sides ? std::abs(step[i]) : std::max(0.0, step[i]);
    const double low = s.lower[i] + down, high = s.upper[i] - up;
    x[i] = low <= high ? std::clamp(x[i], low, high) : 0.5 * (low + high);
  }
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

Domain::Domain(Shape shape) {
  dimension_ = std::visit([](const auto& s) { return size_of(s); }, shape);
  if (dimension_ <= 0) throw Error("a set needs at least one variable");
  factors_.push_back({0, std::move(shape)});
}

std::string Domain::name() const {
  std::string text;
  for (const auto& f : factors_) {
    if (!text.empty()) text += " x ";
    text += std::visit([](const auto& s) { return fmt::format("{} ({})", name_of(s), size_of(s)); }, f.shape);
  }
  return text;
}

void Domain::prox(const Vector& v, const Vector& from, double eta, Vector& out) const {
  assert(v.size() == dimension_ && from.size() == dimension_ && eta > 0);
  if (out.size() != dimension_) out.resize(dimension_);
  for (const auto& f : factors_)
    std::visit(
        [&](const auto& s) {
          const Index n = size_of(s);
          prox_on(s, v.segment(f.offset, n), from.segment(f.offset, n), eta, out.segment(f.offset, n));
        },
        f.shape);
}

bool Domain::separable() const {
  return factors_.size() == 1 &&
         (std::holds_alternative<Box>(factors_[0].shape) || std::holds_alternative<WholeSpace>(factors_[0].shape));
}

Matrix Domain::flat_normals() const {
  Matrix normals(dimension_, 0);
  for (const Factor& f : factors_) {
    if (const auto* cut = std::get_if<Cut>(&f.shape)) {
      const Matrix& own = (*cut)->normals();
      normals.conservativeResize(Eigen::NoChange, normals.cols() + own.cols());
      normals.rightCols(own.cols()).setZero();
      normals.rightCols(own.cols()).middleRows(f.offset, own.rows()) = own;
    }
    const auto* simplex = std::get_if<Simplex>(&f.shape);
    if (!simplex) continue;
    normals.conservativeResize(Eigen::NoChange, normals.cols() + 1);
    normals.rightCols(1).setZero();
    normals.rightCols(1).middleRows(f.offset, simplex->size).setOnes();
  }
  return normals;
}

void Domain::prox_part(const Eigen::Ref<const Vector>& v, const Vector& from, double eta, Index begin,
                       Eigen::Ref<Vector> out) const {
  assert(separable() && out.size() == v.size());
  const Index size = v.size();
  const auto moved = from.segment(begin, size) - v / eta;
  if (const auto* box = std::get_if<Box>(&factors_[0].shape))
    out = moved.cwiseMax(box->lower.segment(begin, size)).cwiseMin(box->upper.segment(begin, size));
  else out = moved;
}

double Domain::distance(const Vector& x, const Vector& y) const {
  double sum = 0;
  for (const auto& f : factors_)
    sum += std::visit(
        [&](const auto& s) { return distance_on(s, x.segment(f.offset, size_of(s)), y.segment(f.offset, size_of(s))); },
        f.shape);
  return sum;
}

void Domain::project(Vector& x) const {
  for (const auto& f : factors_)
    std::visit([&](const auto& s) { project_onto(s, x.segment(f.offset, size_of(s))); }, f.shape);
}

bool Domain::contains(const Vector& x, double tolerance) const {
  if (x.size() != dimension_) return false;
  return std::all_of(factors_.begin(), factors_.end(), [&](const Factor& f) {
    return std::visit([&](const auto& s) { return inside(s, x.segment(f.offset, size_of(s)), tolerance); }, f.shape);
  });
}

double Domain::diameter() const {
  double sum = 0;
  for (const auto& f : factors_) sum += std::visit([](const auto& s) { return squared_diameter(s); }, f.shape);
  return std::sqrt(sum);
}

bool Domain::cut() const {
  return std::ranges::any_of(factors_, [](const Factor& f) { return std::holds_alternative<Cut>(f.shape); });
}

Box Domain::bounds() const {
  Box box{Vector(dimension_), Vector(dimension_)};
  for (const Factor& f : factors_) {
    const Box own = std::visit([](const auto& s) { return bounds_of(s); }, f.shape);
    box.lower.segment(f.offset, own.lower.size()) = own.lower;
    box.upper.segment(f.offset, own.upper.size()) = own.upper;
  }
  return box;
}

double Domain::radius() const {
  double sum = 0;
  for (const auto& f : factors_) sum += std::visit([](const auto& s) { return squared_radius(s); }, f.shape);
  return std::sqrt(sum);
}

Vector Domain::center() const {
  Vector c(dimension_);
  for (const auto& f : factors_)
    std::visit([&](const auto& s) { c.segment(f.offset, size_of(s)) = center_of(s); }, f.shape);
  return c;
}

Vector Domain::sample(Rng& rng) const {
  Vector x(dimension_);
  for (const auto& f : factors_)
    std::visit([&](const auto& s) { sample_in(s, rng, x.segment(f.offset, size_of(s))); }, f.shape);
  return x;
}

void Domain::make_room(Vector& x, Vector& step, bool both_sides) const {
  for (const auto& f : factors_)
    std::visit(
        [&](const auto& s) {
          const Index n = size_of(s);
          room_in(s, x.segment(f.offset, n), step.segment(f.offset, n), both_sides);
        },
        f.shape);
}

}  // namespace zeroth
