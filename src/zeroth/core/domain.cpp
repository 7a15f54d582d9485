// SPDX-License-Identifier: MIT
#include "zeroth/core/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/core/sets/iterative_projections.hpp"
#include "zeroth/core/sets/shape_functions.hpp"

namespace zeroth::shapes {
namespace {

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

}  // namespace

// --- Euclidean projections ------------------------------------------------------------------------------------------

void project_onto(const WholeSpace&, Segment) {}

void project_onto(const Box& s, Segment x) { x = x.cwiseMax(s.lower).cwiseMin(s.upper); }

void project_onto(const Ball& s, Segment x) {
  const double distance = (x - s.center).norm();
  if (distance > s.radius) x = s.center + (s.radius / distance) * (x - s.center);
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

// --- centres --------------------------------------------------------------------------------------------------------

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

}  // namespace zeroth::shapes

namespace zeroth {
namespace {

using namespace shapes;

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

// --- W, sizes, names ------------------------------------------------------------------------------------------------

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

}  // namespace

Domain::Domain(Shape shape) {
  dimension_ = std::visit([](const auto& s) { return size_of(s); }, shape);
  if (dimension_ <= 0) throw Error("a set needs at least one variable");
  std::vector<Factor> one;
  one.push_back({0, std::move(shape)});
  factors_ = std::make_shared<const std::vector<Factor>>(std::move(one));
}

std::string Domain::name() const {
  std::string text;
  for (const auto& f : factors()) {
    if (!text.empty()) text += " x ";
    text += std::visit([](const auto& s) { return fmt::format("{} ({})", name_of(s), size_of(s)); }, f.shape);
  }
  return text;
}

void Domain::prox(const Vector& v, const Vector& from, double eta, Vector& out) const {
  assert(v.size() == dimension_ && from.size() == dimension_ && eta > 0);
  if (out.size() != dimension_) out.resize(dimension_);
  for (const auto& f : factors())
    std::visit(
        [&](const auto& s) {
          const Index n = size_of(s);
          prox_on(s, v.segment(f.offset, n), from.segment(f.offset, n), eta, out.segment(f.offset, n));
        },
        f.shape);
}

Matrix Domain::flat_normals() const {
  Matrix normals(dimension_, 0);
  for (const Factor& f : factors()) {
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

double Domain::distance(const Eigen::Ref<const Vector>& x, const Eigen::Ref<const Vector>& y) const {
  double sum = 0;
  for (const auto& f : factors())
    sum += std::visit(
        [&](const auto& s) { return distance_on(s, x.segment(f.offset, size_of(s)), y.segment(f.offset, size_of(s))); },
        f.shape);
  return sum;
}

void Domain::project(Vector& x) const {
  for (const auto& f : factors())
    std::visit([&](const auto& s) { project_onto(s, x.segment(f.offset, size_of(s))); }, f.shape);
}

bool Domain::contains(const Vector& x, double tolerance) const {
  if (x.size() != dimension_) return false;
  return std::all_of(factors().begin(), factors().end(), [&](const Factor& f) {
    return std::visit([&](const auto& s) { return inside(s, x.segment(f.offset, size_of(s)), tolerance); }, f.shape);
  });
}

double Domain::diameter() const {
  double sum = 0;
  for (const auto& f : factors()) sum += std::visit([](const auto& s) { return squared_diameter(s); }, f.shape);
  return std::sqrt(sum);
}

bool Domain::cut() const {
  return std::ranges::any_of(factors(), [](const Factor& f) { return std::holds_alternative<Cut>(f.shape); });
}

Box Domain::bounds() const {
  Box box{Vector(dimension_), Vector(dimension_)};
  for (const Factor& f : factors()) {
    const Box own = std::visit([](const auto& s) { return bounds_of(s); }, f.shape);
    box.lower.segment(f.offset, own.lower.size()) = own.lower;
    box.upper.segment(f.offset, own.upper.size()) = own.upper;
  }
  return box;
}

double Domain::radius() const {
  double sum = 0;
  for (const auto& f : factors()) sum += std::visit([](const auto& s) { return squared_radius(s); }, f.shape);
  return std::sqrt(sum);
}

Vector Domain::center() const {
  Vector c(dimension_);
  for (const auto& f : factors())
    std::visit([&](const auto& s) { c.segment(f.offset, size_of(s)) = center_of(s); }, f.shape);
  return c;
}

}  // namespace zeroth
