// SPDX-License-Identifier: MIT
#include "zeroth/core/intersection.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "zeroth/core/sets/iterative_projections.hpp"

namespace zeroth {
namespace {

constexpr double margin = 1e-12;  // a projection aims this far inside, so that rounding does not take it out

Vector part_of(const Eigen::Ref<const Vector>& x, const std::vector<Index>& members) {
  Vector out(static_cast<Index>(members.size()));
  for (std::size_t k = 0; k < members.size(); ++k) out[static_cast<Index>(k)] = x[members[k]];
  return out;
}

Index lifted_by(const Intersection::Piece& piece) {
  if (const auto* hull = std::get_if<Polytope>(&piece.shape)) return hull->vertices.cols();
  if (std::holds_alternative<L1Ball>(piece.shape)) return 2 * static_cast<Index>(piece.members.size());
  return 0;
}

double largest_finite(const Vector& v) {
  double most = 0;
  for (const double e : v)
    if (std::isfinite(e)) most = std::max(most, std::abs(e));
  return most;
}

}  // namespace

Intersection::Intersection(Parts parts) : parts_(std::move(parts)) {
  row_length_ = parts_.rows.rowwise().norm();
  lower_ = parts_.lower;
  upper_ = parts_.upper;
  row_lower_ = parts_.row_lower;
  row_upper_ = parts_.row_upper;
  find_center();
  find_normals();
  whole_ = narrowed(0);
  row_at_center_ = parts_.rows * center_;
}

Index Intersection::lifted() const {
  Index count = 0;
  for (const Piece& piece : parts_.pieces) count += lifted_by(piece);
  return count;
}

Intersection::Narrowed Intersection::narrowed(double share) const {
  const Index n = size(), m = parts_.rows.rows(), aux = lifted();
  Index extra = 0;
  for (const Piece& piece : parts_.pieces)
    if (lifted_by(piece) > 0) extra += static_cast<Index>(piece.members.size()) + 1;
  Narrowed set;
  set.share = share;
  QuadraticProgram& p = set.program;
  p.linear = Vector::Zero(n + aux);
  p.rows = Matrix::Zero(m + extra, n + aux);
  p.row_lower = Vector::Zero(m + extra);
  p.row_upper = Vector::Zero(m + extra);
  p.rows.topLeftCorner(m, n) = parts_.rows;
  p.lower = Vector::Zero(n + aux);
  p.upper = Vector::Constant(n + aux, infinity);
  p.lower.head(n) = lower_;
  p.upper.head(n) = upper_;
  const double largest = std::max(largest_finite(lower_), largest_finite(upper_));
  for (Index i = 0; i < n && share > 0; ++i) {
    const double width = upper_[i] - lower_[i];
    if (width == 0) continue;
    const double in = share * (std::isfinite(width) ? 0.5 * width : 1);
    p.lower[i] += in;
    p.upper[i] -= in;
  }
  for (Index i = 0; i < m; ++i) {
    double low = row_lower_[i], high = row_upper_[i];
    if (low < high) {
      const double across = high - low;
      double width = across;
      if (std::isinf(width)) width = parts_.rows.row(i).cwiseAbs().dot(upper_ - lower_);
      if (!std::isfinite(width)) width = 2 * row_length_[i];
      double in = share * 0.5 * width;
      if (share == 0) {
        const double end = std::max(std::isfinite(low) ? std::abs(low) : 0, std::isfinite(high) ? std::abs(high) : 0);
        in = std::min(margin * (end + row_length_[i] * (1 + largest)), 0.25 * across);
      }
      low += in;
      high -= in;
    }
    p.row_lower[i] = low;
    p.row_upper[i] = high;
  }
  Index row = m, column = n;
  for (const Piece& piece : parts_.pieces) {
    const auto count = static_cast<Index>(piece.members.size());
    const Index own = lifted_by(piece);
    if (own == 0) continue;
    for (Index k = 0; k < count; ++k) p.rows(row + k, piece.members[static_cast<std::size_t>(k)]) = 1;
    if (const auto* hull = std::get_if<Polytope>(&piece.shape)) {
      // x = (1 - share) V w + share * centre
      p.rows.block(row, column, count, own) = -(1 - share) * hull->vertices;
      p.row_lower.segment(row, count) = p.row_upper.segment(row, count) = share * hull->center;
      p.rows.block(row + count, column, 1, own).setOnes();
      p.row_lower[row + count] = p.row_upper[row + count] = 1;
    } else {
      const auto& ball = std::get<L1Ball>(piece.shape);
      p.rows.block(row, column, count, count) = -Matrix::Identity(count, count);
      p.rows.block(row, column + count, count, count) = Matrix::Identity(count, count);
      p.row_lower.segment(row, count) = p.row_upper.segment(row, count) = ball.center;
      p.rows.block(row + count, column, 1, own).setOnes();
      p.row_lower[row + count] = -infinity;
      p.row_upper[row + count] = (1 - share) * ball.radius * (1 - margin);
    }
    row += count + 1;
    column += own;
  }
  return set;
}

// argmin of sum_i weights_i x_i^2 / 2 + linear'x over the program's polyhedron and the balls from `piece` on. A ball
// that is left comes in by its multiplier: |x - c| falls as it grows, and 1/|x - c| is almost a line in it, so that
// secants find where it is 1/r.
Intersection::Found Intersection::nearest_from_ball(const Narrowed& set, Vector weights, Vector linear,
                                                    std::size_t piece, WorkingSet& guess) const {
  while (piece < parts_.pieces.size() && !std::holds_alternative<Ball>(parts_.pieces[piece].shape)) ++piece;
  if (piece == parts_.pieces.size()) {
    QuadraticProgram p = set.program;
    p.linear = std::move(linear);
    if ((weights.array() != 1).any()) p.hessian = weights;
    QuadraticSolution solution = solve(p, guess);
    guess = solution.working_set;
    const bool found = solution.status == QuadraticSolution::Status::solved;
    return {found, std::move(solution.x), std::move(solution.conflict)};
  }
  const auto& members = parts_.pieces[piece].members;
  const auto& ball = std::get<Ball>(parts_.pieces[piece].shape);
  const double radius = ball.radius * (1 - set.share) * (1 - margin);
  const auto distance = [&](const Vector& x) { return (part_of(x.head(size()), members) - ball.center).norm(); };
  const auto at = [&](double multiplier) {
    Vector w = weights, l = linear;
    for (std::size_t k = 0; k < members.size(); ++k) {
      w[members[k]] += multiplier;
      l[members[k]] -= multiplier * ball.center[static_cast<Index>(k)];
    }
    return nearest_from_ball(set, std::move(w), std::move(l), piece + 1, guess);
  };
  Found outer = at(0);
  if (!outer.found) return outer;
  double d_low = distance(outer.x);
  if (d_low <= radius) return outer;
  double low = 0, high = infinity, d_high = 0;
  double next = (d_low / radius - 1) * weights.head(size()).maxCoeff();
  Found inner;
  for (int iteration = 0; iteration < 200; ++iteration) {
    Found candidate = at(next);
    if (!candidate.found) return candidate;
    const double d = distance(candidate.x);
    if (d <= radius) {
      high = next;
      d_high = d;
      inner = std::move(candidate);
      if (d >= radius * (1 - 2 * margin) || high - low <= 1e-15 * high) break;
    } else {
      low = next;
      d_low = d;
      if (low > 1e15) break;
    }
    if (std::isinf(high)) {
      next = std::max(2 * next, 1.5 * next * d / radius);
      continue;
    }
    const double goal = 1 / (radius * (1 - margin)), from = 1 / d_low, to = 1 / std::max(d_high, 1e-300);
    next = low + (high - low) * (goal - from) / (to - from);
    // Secants may creep from one side: every third step halves the bracket instead.
    if (iteration % 3 == 2 || !(next > low) || !(next < high)) next = 0.5 * (low + high);
  }
  return inner;  // not found if even the nearest point to the centre is outside
}

Intersection::Found Intersection::nearest(const Narrowed& set, const Vector& point, const WorkingSet& guess) const {
  const Index n = size(), aux = lifted();
  Vector weights = Vector::Zero(n + aux), linear = Vector::Zero(n + aux);
  weights.head(n).setOnes();
  linear.head(n) = -point;
  WorkingSet working = guess;
  Found found = nearest_from_ball(set, std::move(weights), std::move(linear), 0, working);
  if (found.x.size() > n) found.x.conservativeResize(n);
  return found;
}

void Intersection::refuse_empty(const QuadraticSolution::Conflict& conflict) const {
  std::vector<Index> rows, variables;
  for (const Index row : conflict.rows)
    if (row < parts_.rows.rows()) rows.push_back(row);
  for (const Index variable : conflict.variables)
    if (variable < size()) variables.push_back(variable);
  std::ranges::sort(rows);
  std::ranges::sort(variables);
  std::string text;
  for (const Index row : rows) text += fmt::format("{}row {}", text.empty() ? "" : ", ", row);
  for (const Index variable : variables)
    text += fmt::format("{}the bounds of coordinate {}", text.empty() ? "" : ", ", variable);
  throw EmptySet(text.empty() ? "the sets have no point in common" : "no point satisfies all of: " + text,
                 std::move(rows), std::move(variables));
}

// Halving the share until the narrowed set has a point. Where no share works, the conflict at a tiny one names limits
// that no point can stay away from: equalities in fact.
void Intersection::find_center() {
  Vector middle(size());
  for (Index i = 0; i < size(); ++i) {
    const double l = lower_[i], u = upper_[i];
    middle[i] = std::isfinite(l) && std::isfinite(u) ? l + 0.5 * (u - l) : std::clamp(0.0, l, u);
  }
  constexpr double tiny = 1e-7;
  for (Index round = 0; round <= size() + parts_.rows.rows(); ++round) {
    Found found;
    for (double share = 0.5; share > tiny && !found.found; share *= 0.25) found = nearest(narrowed(share), middle, {});
    if (found.found) {
      center_ = std::move(found.x);
      return;
    }
    bool changed = false;
    const auto pin = [&](double& low, double& high, double weight) {
      if (low == high || !std::isfinite(weight > 0 ? high : low)) return;
      (weight > 0 ? low : high) = weight > 0 ? high : low;
      changed = true;
    };
    const QuadraticSolution::Conflict& c = found.conflict;
    Found exact = nearest(narrowed(0), middle, {});
    if (!exact.found && round == 0) refuse_empty(exact.conflict);
    if (exact.found) center_ = std::move(exact.x);
    for (std::size_t k = 0; k < c.rows.size(); ++k)
      if (c.rows[k] < parts_.rows.rows()) pin(row_lower_[c.rows[k]], row_upper_[c.rows[k]], c.row_weights[k]);
    for (std::size_t k = 0; k < c.variables.size(); ++k)
      if (c.variables[k] < size()) pin(lower_[c.variables[k]], upper_[c.variables[k]], c.variable_weights[k]);
    if (!changed) return;
  }
}

void Intersection::find_normals() {
  std::vector<Vector> found;
  for (Index i = 0; i < size(); ++i)
    if (lower_[i] == upper_[i]) found.emplace_back(Vector::Unit(size(), i));
  for (Index i = 0; i < parts_.rows.rows(); ++i)
    if (row_lower_[i] == row_upper_[i] && row_length_[i] > 0)
      found.emplace_back(parts_.rows.row(i).transpose() / row_length_[i]);
  for (const Piece& piece : parts_.pieces) {
    const auto* hull = std::get_if<Polytope>(&piece.shape);
    if (!hull || hull->directions.cols() == hull->directions.rows()) continue;
    const Index own = hull->directions.rows(), flat = own - hull->directions.cols();
    const Matrix all = Eigen::HouseholderQR<Matrix>(hull->directions).householderQ() * Matrix::Identity(own, own);
    for (Index j = 0; j < flat; ++j) {
      Vector normal = Vector::Zero(size());
      for (Index k = 0; k < own; ++k) normal[piece.members[static_cast<std::size_t>(k)]] = all(k, own - flat + j);
      found.push_back(normal);
    }
  }
  Matrix columns(size(), static_cast<Index>(found.size()));
  for (std::size_t k = 0; k < found.size(); ++k) columns.col(static_cast<Index>(k)) = found[k];
  normals_ = found.empty() ? columns : directions_of(columns);
}

bool Intersection::in_pieces(const Vector& x, double tolerance) const {
  return std::ranges::all_of(parts_.pieces, [&](const Piece& piece) {
    const Vector own = part_of(x, piece.members);
    if (const auto* ball = std::get_if<Ball>(&piece.shape))
      return (own - ball->center).norm() <= ball->radius + tolerance;
    if (const auto* l1 = std::get_if<L1Ball>(&piece.shape))
      return (own - l1->center).lpNorm<1>() <= l1->radius + tolerance;
    Vector near = own;
    project_onto_hull(std::get<Polytope>(piece.shape).vertices, near);
    return (own - near).norm() <= std::max(tolerance, 1e-11 * (1 + own.norm()));
  });
}

bool Intersection::contains(const Eigen::Ref<const Vector>& x, double tolerance) const {
  if (!((x - parts_.lower).array() >= -tolerance).all() || !((parts_.upper - x).array() >= -tolerance).all())
    return false;
  const Vector values = parts_.rows * x;
  for (Index i = 0; i < values.size(); ++i) {
    const double low = parts_.row_lower[i], high = parts_.row_upper[i];
    // An equality is met to rounding; an inequality is met.
    const bool equality = row_lower_[i] == row_upper_[i];
    const double t = (equality ? std::max(tolerance, 1e-11 * (1 + std::abs(row_upper_[i]))) : tolerance) *
                     std::max(1.0, row_length_[i]);
    if (!(values[i] >= low - t && values[i] <= high + t)) return false;
  }
  return parts_.pieces.empty() || in_pieces(x, tolerance);
}

// What rounding left outside is moved toward the centre, by as little as it takes.
void Intersection::move_inside(Eigen::Ref<Vector> x) const {
  if (contains(x, 0)) return;
  constexpr int doublings = 17;  // from 1e-15 to about 1e-5
  for (int k = 0; k < doublings; ++k) {
    const double weight = std::ldexp(1e-15, 2 * k);
    const Vector inner = x + weight * (center_ - x);
    if (!contains(inner, 0)) continue;
    x = inner;
    return;
  }
}

void Intersection::project(Eigen::Ref<Vector> x) const { project_from(x, x); }

void Intersection::project_from(const Eigen::Ref<const Vector>& from, Eigen::Ref<Vector> x) const {
  if (contains(x, 0)) return;
  WorkingSet guess;
  const QuadraticProgram& p = whole_.program;
  if (lifted() == 0 && p.rows.rows() > 0) {
    const Vector values = p.rows * from;
    bool any_held = false;
    WorkingSet held(static_cast<std::size_t>(p.rows.rows() + size()), 0);
    const auto side = [](double value, double low, double high, double length) -> std::int8_t {
      const double near = 1e-9 * (1 + std::abs(value)) * length;
      return static_cast<std::int8_t>(std::abs(value - high) <= near ? 1 : std::abs(value - low) <= near ? -1 : 0);
    };
    for (Index i = 0; i < p.rows.rows(); ++i)
      any_held |= (held[static_cast<std::size_t>(i)] =
                       side(values[i], p.row_lower[i], p.row_upper[i], std::max(1.0, row_length_[i]))) != 0;
    for (Index i = 0; i < size(); ++i)
      held[static_cast<std::size_t>(p.rows.rows() + i)] = side(from[i], p.lower[i], p.upper[i], 1);
    if (any_held) guess = std::move(held);
  }
  Found found = nearest(whole_, x, guess);
  if (!found.found && !guess.empty()) found = nearest(whole_, x, {});
  x = found.found ? found.x : center_;
  move_inside(x);
}

// Steps of a proximal-point method on a linear function: long ones, so that few are needed.
void Intersection::minimize_linear(const Eigen::Ref<const Vector>& v, Eigen::Ref<Vector> out) const {
  const double across = std::sqrt(2 * squared_diameter()), length = v.norm();
  Vector x = center_;
  if (length > 0 && across > 0) {
    for (int step = 0; step < 50; ++step) {
      const Vector before = x;
      x -= (1e4 * across / length) * v;
      project_from(before, x);
      if ((x - before).norm() <= 1e-13 * across) break;
    }
  }
  out = x;
}

Box Intersection::bounds() const {
  Box box{parts_.lower, parts_.upper};
  for (const Piece& piece : parts_.pieces)
    for (std::size_t k = 0; k < piece.members.size(); ++k) {
      const Index i = piece.members[k], own = static_cast<Index>(k);
      double low = 0, high = 0;
      if (const auto* hull = std::get_if<Polytope>(&piece.shape)) {
        low = hull->vertices.row(own).minCoeff();
        high = hull->vertices.row(own).maxCoeff();
      } else {
        const auto reach = [&](const auto& ball) {
          low = ball.center[own] - ball.radius;
          high = ball.center[own] + ball.radius;
        };
        if (const auto* ball = std::get_if<Ball>(&piece.shape)) reach(*ball);
        else reach(std::get<L1Ball>(piece.shape));
      }
      box.lower[i] = std::max(box.lower[i], low);
      box.upper[i] = std::min(box.upper[i], high);
    }
  return box;
}

double Intersection::squared_diameter() const {
  const Box box = bounds();
  return std::min(parts_.squared_diameter, 0.5 * (box.upper - box.lower).squaredNorm());
}

double Intersection::squared_radius() const {
  const Box box = bounds();
  return std::min(parts_.squared_radius, box.lower.cwiseAbs().cwiseMax(box.upper.cwiseAbs()).squaredNorm());
}

std::string Intersection::name() const {
  std::string text = fmt::format("bounds and {} linear row{}", parts_.rows.rows(), parts_.rows.rows() == 1 ? "" : "s");
  for (const Piece& piece : parts_.pieces)
    text += std::holds_alternative<Ball>(piece.shape)     ? " and a ball"
            : std::holds_alternative<L1Ball>(piece.shape) ? " and an l1 ball"
                                                          : " and a polytope";
  return text;
}

}  // namespace zeroth
