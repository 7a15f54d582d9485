// SPDX-License-Identifier: MIT
#include "zeroth/run/evaluated_points.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/equality_share.hpp"
#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {
namespace {

constexpr std::size_t most_numbers = std::size_t{1} << 22;  // kept in all: 32 MB
constexpr std::size_t few_values = 32;
constexpr double huge = 1e100;  // beyond this squares leave the range of a double

std::uint64_t hash_of_point(std::span<const double> x) {
  std::uint64_t h = x.size();
  for (const double v : x) h = (h ^ std::bit_cast<std::uint64_t>(v + 0.0)) * 0x9e3779b97f4a7c15u + (h >> 29);
  return h;
}

}  // namespace

EvaluatedPoints::EvaluatedPoints(const Spec& spec)
    : constraints_(spec.constraints),
      functions_(spec.functions()),
      most_points_(
          std::max<std::size_t>(4, most_numbers / static_cast<std::size_t>(spec.dimension() + 2 * functions_))),
      distinct_(static_cast<std::size_t>(functions_)),
      agreed_(static_cast<std::size_t>(functions_), 0),
      differed_(static_cast<std::size_t>(functions_), false),
      feasible_once_(spec.constraints == 0 || spec.equalities > 0),
      low_(Vector::Constant(functions_, infinity)),
      high_(Vector::Constant(functions_, -infinity)),
      largest_(Vector::Zero(functions_)),
      squares_(Vector::Zero(functions_)) {}

EvaluatedPoint* EvaluatedPoints::place(std::span<const double> x) {
  const auto [known, is_new] = by_hash_.try_emplace(hash_of_point(x), points_.size());
  if (!is_new) return &points_[known->second];
  if (points_.size() == most_points_) {
    by_hash_.erase(known);
    return nullptr;
  }
  points_.push_back({as_vector(x), 0, 0, Vector::Zero(functions_), Vector::Zero(functions_), 0});
  return &points_.back();
}

void EvaluatedPoints::add_failed(std::span<const double> x) {
  if (EvaluatedPoint* p = place(x)) ++p->failed;
}

void EvaluatedPoints::add_values(std::span<const double> values) {
  for (Index i = 0; i < functions_; ++i) {
    const double v = std::clamp(values[static_cast<std::size_t>(i)], -huge, huge);
    low_[i] = std::min(low_[i], v);
    high_[i] = std::max(high_[i], v);
    largest_[i] = std::max(largest_[i], std::abs(v));
    auto& distinct = distinct_[static_cast<std::size_t>(i)];
    if (distinct.size() <= few_values) distinct.insert(v);
  }
  if (feasible_once_) return;
  feasible_once_ = true;
  for (Index i = 1; i <= constraints_; ++i)
    feasible_once_ = feasible_once_ && values[static_cast<std::size_t>(i)] <= rounding(i);
}

void EvaluatedPoints::add(std::span<const double> x, std::uint64_t noise_key, std::span<const double> values) {
  add_values(values);
  EvaluatedPoint* p = place(x);
  if (!p || (p->answered > 0 && p->last_key == noise_key)) return;
  p->last_key = noise_key;
  ++p->answered;
  const auto n = static_cast<double>(p->answered);
  if (p->answered > 1) ++degrees_;
  for (Index i = 0; i < functions_; ++i) {
    const double v = std::clamp(values[static_cast<std::size_t>(i)], -huge, huge);
    if (p->answered == 1) {
      p->mean[i] = v;
      continue;
    }
    if (v == p->mean[i] && p->squares[i] == 0) ++agreed_[static_cast<std::size_t>(i)];
    else differed_[static_cast<std::size_t>(i)] = true;
    const double square = take_in(v, n, p->mean[i]);
    p->squares[i] += square;
    squares_[i] += square;
  }
}

const EvaluatedPoint* EvaluatedPoints::find(const Vector& x) const {
  const auto known = by_hash_.find(hash_of_point(as_span(x)));
  return known == by_hash_.end() ? nullptr : &points_[known->second];
}

bool EvaluatedPoints::exact(Index i) const {
  const auto k = static_cast<std::size_t>(i);
  constexpr std::int64_t enough = 2;
  return !differed_[k] && agreed_[k] >= enough && quantum(i) == 0;
}

std::optional<std::pair<double, double>> EvaluatedPoints::two_values(Index i) const {
  const auto& values = distinct_[static_cast<std::size_t>(i)];
  if (values.size() != 2 || quantum(i) == 0) return {};
  return std::pair{*values.begin(), *values.rbegin()};
}

double EvaluatedPoints::quantum(Index i) const {
  const auto& values = distinct_[static_cast<std::size_t>(i)];
  // A function without noise takes as many values as there are points.
  if (values.size() > few_values || 3 * values.size() > 2 * points_.size()) return 0;
  double step = range(i);
  for (auto it = values.begin(); it != values.end() && std::next(it) != values.end(); ++it)
    step = std::min(step, *std::next(it) - *it);
  return step;
}

void EvaluatedPoints::know(std::span<const double> x, std::span<const double> values, std::span<const double> se,
                           std::int64_t count) {
  if (std::ranges::any_of(values, [](double v) { return std::isnan(v); })) return;
  add_values(values);
  EvaluatedPoint* p = place(x);
  if (!p) return;
  const auto before = static_cast<double>(p->answered), more = static_cast<double>(count);
  p->answered += count;
  for (Index i = 0; i < functions_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double v = std::clamp(values[k], -huge, huge), delta = v - p->mean[i];
    // Of a mean, the squares that its standard error stands for.
    const double error = se.empty() || std::isnan(se[k]) ? 0 : se[k];
    double squares = count > 1 ? error * error * more * (more - 1) : 0;
    if (before > 0) squares += delta * delta * before * more / (before + more);
    if (squares > 0) differed_[k] = true;
    p->mean[i] = before > 0 ? p->mean[i] + delta * more / (before + more) : v;
    p->squares[i] += squares;
    squares_[i] += squares;
  }
  degrees_ += before > 0 ? more : more - 1;
}

EvaluatedPoints::Ranked EvaluatedPoints::rank(std::size_t index) const {
  // What one evaluation is off by, from all replicates; the ranking is modest about points seen once.
  const EvaluatedPoint& p = points_[index];
  if (p.answered == 0) return {infinity, infinity, index};
  double violation = 0;
  const auto error = [&](Index i) { return std::sqrt(noise_variance(i) / static_cast<double>(p.answered)); };
  for (Index i = 1; i < functions_; ++i) {
    if (!(largest_[i] > 0)) continue;
    const double beyond = i <= constraints_ ? p.mean[i] + error(i) - rounding(i)
                                            : std::abs(p.mean[i]) - error(i) - equality_share * largest_[i];
    violation = std::max(violation, std::max(0.0, beyond) / largest_[i]);
  }
  return {violation, p.mean[0] + error(0), index};
}

namespace {

// Less violated first, then the lower objective.
constexpr auto better_ranked = [](const auto& a, const auto& b) {
  return a.violation < b.violation || (a.violation == b.violation && a.objective < b.objective);
};

}  // namespace

std::vector<Vector> EvaluatedPoints::best(std::size_t count) const {
  std::vector<Ranked> ranked;
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (points_[k].answered > 0) ranked.push_back(rank(k));
  const auto kept = std::min(count, ranked.size());
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept), better_ranked);
  std::vector<Vector> out;
  for (std::size_t k = 0; k < kept; ++k) out.push_back(points_[ranked[k].index].x);
  return out;
}

std::vector<Vector> EvaluatedPoints::best_of(const std::vector<Vector>& among) const {
  std::vector<Ranked> ranked;
  std::vector<Vector> out, unknown;
  for (const Vector& x : among) {
    if (const EvaluatedPoint* p = find(x); p && p->answered > 0)
      ranked.push_back(rank(static_cast<std::size_t>(p - points_.data())));
    else unknown.push_back(x);
  }
  std::ranges::stable_sort(ranked, better_ranked);
  for (const Ranked& r : ranked) out.push_back(points_[r.index].x);
  out.insert(out.end(), unknown.begin(), unknown.end());
  return out;
}

bool EvaluatedPoints::confirmed_at(const EvaluatedPoint& p, double confidence) const {
  constexpr std::int64_t enough = 4;
  bool sure = true;  // without noise one evaluation says it all
  for (Index i = 1; i < functions_; ++i) sure = sure && exact(i) && p.mean[i] <= rounding(i);
  if (sure && p.answered > 0) return true;
  if (p.answered < enough) return false;
  const auto n = static_cast<double>(p.answered);
  const double each = 1 - (1 - confidence) / static_cast<double>(functions_ - 1);
  const double errors = boost::math::quantile(boost::math::students_t(n - 1), each);
  for (Index i = 1; i < functions_; ++i) {
    if (exact(i)) {
      if (p.mean[i] > rounding(i)) return false;
      continue;
    }
    // Replicates that happen to agree are no sureness: see CheckedPoint::deviation.
    const double rare = std::sqrt(n + 1) / (n + 2);
    const double own = std::sqrt(p.squares[i] / (n - 1)), step = quantum(i) * rare;
    const double same = p.squares[i] == 0 ? std::sqrt(noise_variance(i)) * rare : 0;
    if (p.mean[i] + errors * std::max({own, step, same}) / std::sqrt(n) > 0) return false;
  }
  return true;
}

std::vector<Vector> EvaluatedPoints::confirmed(double confidence, std::size_t count) const {
  std::vector<Vector> out;
  if (constraints_ == 0 || functions_ > 1 + constraints_) return out;
  std::vector<Ranked> ranked;
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (confirmed_at(points_[k], confidence)) ranked.push_back({0, rank(k).objective, k});
  const auto kept = std::min(count, ranked.size());
  std::ranges::partial_sort(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept), better_ranked);
  for (std::size_t k = 0; k < kept; ++k) out.push_back(points_[ranked[k].index].x);
  return out;
}

}  // namespace zeroth
