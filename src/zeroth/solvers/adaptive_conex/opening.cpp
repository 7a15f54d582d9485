// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/opening.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth::adaptive {
namespace {

// Full gradients cost more than they are worth under strong noise: unless that costs too large a part of a gradient,
// two keys are first compared at the start, in values and in a slope.
constexpr Index compared_slopes = 1;

bool compares_first(Index n, const Tuning& tune) {
  return 2 + 2 * static_cast<double>(compared_slopes) < tune.comparison_share * static_cast<double>(n + 1);
}

}  // namespace

bool Opening::pays(const Spec& spec, const Tuning& tuning) {
  return spec.common_noise && spec.domain.separable() &&
         static_cast<double>(spec.budget) >= tuning.gradients_paid * static_cast<double>(spec.dimension() + 1);
}

Opening::Opening(const Spec& spec, const Frame& frame, const Vector& start, std::uint64_t key, const Tuning& tuning)
    : spec_(spec),
      frame_(frame),
      tune_(tuning),
      n_(frame.dimension()),
      functions_(spec.functions()),
      key_(key),
      other_key_(noise_key(key, 1)),
      wanted_(compares_first(n_, tuning) ? Wanted::noise : Wanted::all),
      variables_(n_, n_),
      x_(start),
      next_(start),
      y_(Vector::Zero(functions_ - 1)),
      penalty_(Vector::Zero(functions_ - 1)),
      slopes_(n_, functions_),
      model_(frame.to_w(start), functions_, n_),
      probed_(spec.width > 1),
      trust_(tuning.first_step) {
  for (Index j = 0; j < n_; ++j) {
    Vector unit = Vector::Zero(n_);
    unit[j] = 1;
    variables_.col(j) = frame.to_x(unit) - frame.to_x(Vector::Zero(n_));
  }
  reach_ = 1e-5 * variables_.rowwise().norm();
}

Vector Opening::beside(const Vector& x, Index variable) const {
  for (const double side : {1.0, -1.0}) {
    Vector moved = x;
    moved[variable] += side * reach_[variable];
    Vector inside = moved;
    spec_.domain.project(inside);
    if (inside == moved) return moved;
  }
  return x;  // a variable with nowhere to go
}

std::vector<Ask> Opening::plan() const {
  std::vector<Ask> asks;
  if (wanted_ == Wanted::noise) return {{x_, -1, 0, key_}, {x_, -1, 0, other_key_}};
  if (wanted_ == Wanted::tilt) {
    for (Index j = 0; j < compared_slopes; ++j)
      for (const std::uint64_t key : {key_, other_key_}) asks.push_back({beside(x_, j), -1, 0, key});
    return asks;
  }
  if (wanted_ != Wanted::slopes) asks.push_back({next_, -1, 0, key_});
  if (wanted_ != Wanted::value)
    for (Index j = early_.cols(); j < n_; ++j) asks.push_back({beside(next_, j), -1, 0, key_});
  return asks;
}

double Opening::merit(const Vector& values) const {
  double sum = values[0];
  for (Index i = 0; i + 1 < functions_; ++i)
    sum += penalty_[i] * (i < spec_.constraints ? std::max(0.0, values[i + 1]) : std::abs(values[i + 1]));
  return sum;
}

void Opening::learn(std::span<const Answer> answers) {
  if (wanted_ == Wanted::noise || wanted_ == Wanted::tilt) return compare_keys(answers);
  if (std::ranges::any_of(answers, [](const Answer& a) { return a.failed(); })) {
    // A step into nothing may be shortened; without a first gradient, or without slopes, there is no way on.
    if (wanted_ != Wanted::value || ++rejected_ > tune_.most_rejected) {
      over_ = true;
      return;
    }
    trust_ = 0.25 * (frame_.to_w(next_) - frame_.to_w(x_)).norm();
    trusted_ = false;
    return propose_next();
  }
  if (wanted_ != Wanted::slopes) {
    const Vector values = as_vector(answers[0].values);
    if (values_.size() == 0) {
      values_ = values;
    } else if (!judge_step(values)) {
      return;
    }
    answers = answers.subspan(1);
  }
  if (wanted_ == Wanted::value) {
    wanted_ = Wanted::slopes;
    return;
  }
  learn_slopes(answers);
  propose_next();
}

void Opening::compare_keys(std::span<const Answer> answers) {
  over_ = std::ranges::any_of(answers, [](const Answer& a) { return a.failed(); });
  if (over_) return;
  if (wanted_ == Wanted::noise) {
    values_ = as_vector(answers[0].values);
    other_values_ = as_vector(answers[1].values);
    over_ = ((values_ - other_values_).array().abs() > tune_.agreement * values_.array().abs()).any();
    wanted_ = Wanted::tilt;
    return;
  }
  early_.resize(functions_, compared_slopes);
  Matrix rises = early_, gaps = early_;
  for (Index j = 0; j < compared_slopes; ++j) {
    const auto k = static_cast<std::size_t>(2 * j);
    early_.col(j) = as_vector(answers[k].values);
    rises.col(j) = early_.col(j) - values_;
    gaps.col(j) = as_vector(answers[k + 1].values) - other_values_ - rises.col(j);
  }
  // (Functions of integers do not change at all under one key until the next level is reached.)
  over_ = rises.isZero(0) || (gaps.rowwise().norm().array() > tune_.agreement * rises.rowwise().norm().array()).any();
  wanted_ = Wanted::slopes;
}

// What the values at the end of the first step say of every function's curvature along it, taken for that in every
// direction. A gradient where these Hessians lead is worth more than one where the first guess has led, and the
// evaluation that tells costs a small part of it.
bool Opening::scale_first_step(const Vector& values) {
  const Vector d = frame_.to_w(next_) - model_.w;
  for (Index i = 0; i < functions_; ++i) {
    const double curvature = 2 * (values[i] - values_[i] - slopes_.col(i).dot(d)) / d.squaredNorm();
    const double least = i == 0 ? tune_.least_curvature * slopes_.col(0).norm() / tune_.first_step : 0;
    model_.hessian[static_cast<std::size_t>(i)] = Matrix::Identity(n_, n_) * std::max(least, curvature);
  }
  const Vector first = next_;
  trust_ = tune_.furthest_first_step;
  propose_next();
  if (over_ || (frame_.to_w(next_) - model_.w - d).norm() > 0.3 * d.norm()) return true;
  next_ = first;
  for (Index i = 0; i < functions_; ++i) promised_[i] = model_.predict(i, slopes_, d);
  return false;
}

bool Opening::judge_step(const Vector& values) {
  if (!probed_) {
    probed_ = true;
    if (scale_first_step(values)) return false;
  }
  const Vector d = frame_.to_w(next_) - model_.w;
  const double promise = merit(promised_) - merit(values_), gain = merit(values) - merit(values_);
  trusted_ = gain <= tune_.kept * promise;
  if (gain > tune_.accepted * promise) {
    // The value tells every function's curvature along the step.
    for (Index i = 0; i < functions_; ++i) {
      const double length2 = d.squaredNorm(), seen = values[i] - promised_[i];
      model_.hessian[static_cast<std::size_t>(i)] += (2 * seen / (length2 * length2)) * d * d.transpose();
    }
    trust_ = tune_.rejected_cut * d.norm();
    if (++rejected_ > tune_.most_rejected) over_ = true;
    else propose_next();
    return false;
  }
  rejected_ = 0;
  if (trusted_ && d.norm() > tune_.long_step * trust_) trust_ *= tune_.proven_rise;
  else if (!trusted_) trust_ = std::max(0.5 * d.norm(), 0.25 * trust_);
  x_ = next_;
  values_ = values;
  last_step_ = d;
  return true;
}

void Opening::learn_slopes(std::span<const Answer> answers) {
  Matrix by_variable = Matrix::Zero(n_, functions_);
  const Vector base = frame_.to_w(x_);
  differences_.emplace_back();
  for (Index j = 0; j < n_; ++j) {
    const Index asked = j - early_.cols();
    const Vector there = beside(x_, j);
    Vector rise = -values_;
    if (asked < 0) rise += early_.col(j);
    else rise += as_vector(answers[static_cast<std::size_t>(asked)].values);
    if (there == x_) continue;
    by_variable.row(j) = rise.transpose() / (there[j] - x_[j]);
    differences_.back().push_back({frame_.to_w(there), base, rise});
  }
  early_.resize(0, 0);
  const Matrix before = slopes_;
  slopes_ = variables_.transpose() * by_variable;
  ++gradients_;
  if (last_step_.size() > 0) {
    correct(last_step_, before);
  } else {
    model_.hessian[0] = Matrix::Identity(n_, n_) * (slopes_.col(0).norm() / tune_.first_step);
  }
}

void Opening::correct(const Vector& step, const Matrix& slopes_before) {
  const double length2 = step.squaredNorm();
  for (Index i = 0; i < functions_; ++i) {
    Matrix& b = model_.hessian[static_cast<std::size_t>(i)];
    const Vector change = slopes_.col(i) - slopes_before.col(i);
    // Before the first correction nothing is known of a Hessian but its size along this step, where slopes change fast:
    // elsewhere it is as large only if slopes change along the step alone.
    if (!scaled_) {
      const double along = std::max(0.0, change.dot(step)), size2 = change.squaredNorm();
      const double alike = size2 > 0 ? along * along / (length2 * size2) : 0;
      b = Matrix::Identity(n_, n_) * (alike * alike * alike * along / length2);
    }
    const Vector missing = change - b * step;
    b += (missing * step.transpose() + step * missing.transpose()) / length2 -
         missing.dot(step) / (length2 * length2) * step * step.transpose();
  }
  scaled_ = true;
}

void Opening::propose_next() {
  model_.w = frame_.to_w(x_);
  model_.level = values_;
  Subproblem sub;
  sub.constraints = spec_.constraints;
  sub.equalities = spec_.equalities;
  sub.margin = Vector::Zero(functions_ - 1);
  double typical = model_.typical_curvature(0);
  for (Index i = 0; i + 1 < functions_; ++i) {
    const double own = slopes_.col(i + 1).norm();
    if (own > 0) penalty_[i] = std::max(penalty_[i], tune_.penalty_exchange * slopes_.col(0).norm() / own);
    typical += std::abs(y_[i]) * model_.typical_curvature(i + 1);
  }
  sub.prox = 1e-6 * typical;
  sub.price = elastic_prices(model_, slopes_, y_, tune_);
  sub.frame = &frame_;
  Proposal p = propose(model_, slopes_, sub, y_, held_);
  for (int shorter = 0; shorter < 12 && p.d.norm() > 1.1 * trust_; ++shorter) {
    sub.prox = std::max(2 * sub.prox, 0.05 * typical);
    p = propose(model_, slopes_, sub, y_, held_);
  }
  if (const double length = p.d.norm(); length > trust_) p.d *= trust_ / length;
  next_ = frame_.to_x(model_.w + p.d);
  spec_.domain.project(next_);
  const Vector d = frame_.to_w(next_) - model_.w;
  y_ = p.multipliers;
  for (Index i = 0; i + 1 < functions_; ++i) penalty_[i] = std::max(penalty_[i], tune_.penalty * std::abs(y_[i]));
  promised_.resize(functions_);
  for (Index i = 0; i < functions_; ++i) promised_[i] = model_.predict(i, slopes_, d);
  const bool short_step = d.norm() < tune_.shortest_step;
  converged_ = trusted_ && short_step;
  over_ = over_ || short_step || !next_.allFinite() || gradients_ >= tune_.most_gradients ||
          merit(promised_) >= merit(values_);
  wanted_ = spec_.width > 1 ? Wanted::all : Wanted::value;
}

}  // namespace zeroth::adaptive
