// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/frame.hpp"

#include <Eigen/QR>
#include <cmath>

namespace zeroth::adaptive {
namespace {
struct AdaptiveEvaluationsLabel {
  enum : std::uint64_t { basis, noise };
};
constexpr double rounding = 1e-12;  // in half-widths of X
}  // namespace

Frame::Frame(const Spec& spec, const Vector& start, std::uint64_t seed)
    : domain_(spec.domain), scale_(scales(spec.domain, start)), seed_(seed) {
  const Basis basis(start.size(), derive_key(seed, AdaptiveEvaluationsLabel::basis));
  q_ = basis.matrix();
  entry_ = basis.largest_entry();
  largest_ = 0.9 / entry_;
  origin_ = Vector::Zero(start.size());
  if (const Matrix normals = domain_.flat_normals(); normals.cols() > 0 && normals.cols() < start.size())
    keep_to_flat(normals);
  build_walls();
}

void Frame::build_walls() {
  const auto parts = domain_.parts();
  if (!parts || !parts->pieces.empty()) return;
  const Index n = scale_.size(), rows = parts->rows.rows();
  wall_low_.resize(n + rows);
  wall_high_.resize(n + rows);
  wall_low_.head(n) = (parts->lower - origin_).cwiseQuotient(scale_);
  wall_high_.head(n) = (parts->upper - origin_).cwiseQuotient(scale_);
  const Vector at_origin = parts->rows * origin_;
  wall_rows_ = parts->rows * scale_.asDiagonal();
  for (Index i = 0; i < rows; ++i) {
    const double length = wall_rows_.row(i).norm();
    if (!(length > 0)) continue;
    wall_rows_.row(i) /= length;
    wall_low_[n + i] = (parts->row_lower[i] - at_origin[i]) / length;
    wall_high_[n + i] = (parts->row_upper[i] - at_origin[i]) / length;
  }
  constexpr double parallel = 1e-9;  // to the plane that a flat X lies in
  for (Index k = 0; k < n + rows; ++k) {
    if (wall_normal(k).norm() > parallel) continue;
    wall_low_[k] = -infinity;
    wall_high_[k] = infinity;
  }
}

Vector Frame::wall_values(const Vector& w) const {
  const Index n = scale_.size();
  Vector values(wall_low_.size());
  if (dense()) values.head(n).noalias() = q_ * w;
  else values.head(n) = w;
  if (values.size() > n) values.tail(values.size() - n).noalias() = wall_rows_ * values.head(n);
  return values;
}

Vector Frame::wall_normal(Index k) const {
  const Index n = scale_.size();
  const Vector normal = k < n ? Vector(Vector::Unit(n, k)) : Vector(wall_rows_.row(k - n).transpose());
  if (k < n && dense()) return q_.row(k).transpose();
  return dense() ? Vector(q_.transpose() * normal) : normal;
}

bool Frame::inside(const Vector& x) const {
  if (!walled()) return domain_.contains(x, rounding * scale_.maxCoeff());
  const Index n = scale_.size();
  const auto between = [](const auto& v, const auto& low, const auto& high) {
    return (v - low).minCoeff() >= -rounding && (high - v).minCoeff() >= -rounding;
  };
  const Vector v = (x - origin_).cwiseQuotient(scale_);
  if (!between(v, wall_low_.head(n), wall_high_.head(n))) return false;
  const Index rows = wall_rows_.rows();
  return rows == 0 || between(wall_rows_ * v, wall_low_.tail(rows), wall_high_.tail(rows));
}

// The directions, less what they have of the normals.
void Frame::keep_to_flat(const Matrix& normals) {
  const Index n = q_.rows(), flat = normals.cols();
  Matrix all(n, n);
  all.leftCols(flat) = scale_.asDiagonal() * normals;
  all.rightCols(n - flat) = q_.leftCols(n - flat);
  const Matrix orthogonal = Eigen::HouseholderQR<Matrix>(all).householderQ() * Matrix::Identity(n, n);
  q_ = orthogonal.rightCols(n - flat);
  origin_ = domain_.center();
  entry_ = q_.cwiseAbs().maxCoeff();
  largest_ = 0.9 / entry_;
  for (Index j = 0; j < q_.cols(); ++j)
    for (const double side : {1.0, -1.0}) largest_ = std::min(largest_, std::abs(room(origin_, j, side * largest_)));
}

Vector Frame::to_x(const Vector& w) const {
  if (!dense()) return scale_.cwiseProduct(w);
  return origin_ + scale_.cwiseProduct(q_ * w);
}

Vector Frame::to_w(const Vector& x) const {
  if (!dense()) return x.cwiseQuotient(scale_);
  return q_.transpose() * (x - origin_).cwiseQuotient(scale_);
}

void Frame::evaluate_along_variables() {
  q_.resize(0, 0);
  entry_ = 1;
  largest_ = 0.9;
}

Vector Frame::direction(Index j) const {
  if (dense()) return scale_.cwiseProduct(q_.col(j));
  Vector step = Vector::Zero(scale_.size());
  step[j] = scale_[j];
  return step;
}

void Frame::project(Vector& w) const {
  Vector x = to_x(w);
  domain_.project(x);
  w = to_w(x);
}

std::uint64_t Frame::fresh_key() { return noise_key(seed_, AdaptiveEvaluationsLabel::noise, keys_++); }

Ask Frame::along(const Vector& x, Index j, double radius, std::uint64_t key) const {
  Ask ask{x, j, radius, key};
  Vector step = radius * direction(j);
  domain_.make_room(ask.x, step, false);
  ask.x += step;
  domain_.project(ask.x);  // rounding
  return ask;
}

Ask Frame::toward(const Vector& x, const Vector& unit, double radius, std::uint64_t key) const {
  const Vector step = dense() ? Vector(scale_.cwiseProduct(q_ * unit)) : Vector(scale_.cwiseProduct(unit));
  Ask ask{x, -1, 0, key};
  for (int shrink = 0; shrink < 24; ++shrink, radius *= 0.8) {
    ask.x = x + radius * step;
    if (inside(ask.x)) break;
  }
  ask.radius = radius;
  domain_.project(ask.x);
  return ask;
}

double Frame::room(const Vector& x, Index j, double radius) const {
  const Vector step = direction(j);
  Vector point;
  double r = radius;
  for (int shrink = 0; shrink < 24; ++shrink, r *= 0.8) {
    point = x + r * step;
    if (inside(point)) return r;
  }
  return 0;
}

Vector Frame::centre(const Vector& x, double radius) const {
  Vector c = x, step = radius * entry_ * scale_;
  domain_.make_room(c, step, true);
  return c;
}

std::vector<Query> queries(const std::vector<Ask>& asks) {
  std::vector<Query> batch(asks.size());
  for (std::size_t k = 0; k < asks.size(); ++k) {
    batch[k].x = as_span(asks[k].x);
    batch[k].noise = asks[k].key;
  }
  return batch;
}

}  // namespace zeroth::adaptive
