// SPDX-License-Identifier: MIT
#include "zeroth/run/evaluated_points.hpp"

#include <algorithm>
#include <bit>
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

std::vector<Vector> EvaluatedPoints::best(std::size_t count) const {
  // What one evaluation is off by, from all replicates; the ranking is modest about points seen once.
  Vector variance(functions_);
  for (Index i = 0; i < functions_; ++i) variance[i] = noise_variance(i);
  struct Ranked {
    double violation, objective;
    std::size_t index;
  };
  std::vector<Ranked> ranked;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const EvaluatedPoint& p = points_[k];
    if (p.answered == 0) continue;
    double violation = 0;
    const auto error = [&](Index i) { return std::sqrt(variance[i] / static_cast<double>(p.answered)); };
    for (Index i = 1; i < functions_; ++i) {
      if (!(largest_[i] > 0)) continue;
      const double beyond = i <= constraints_ ? p.mean[i] + error(i) - rounding(i)
                                              : std::abs(p.mean[i]) - error(i) - equality_share * largest_[i];
      violation = std::max(violation, std::max(0.0, beyond) / largest_[i]);
    }
    ranked.push_back({violation, p.mean[0] + error(0), k});
  }
  const auto kept = std::min(count, ranked.size());
  std::ranges::partial_sort(
      ranked, ranked.begin() + static_cast<std::ptrdiff_t>(kept), [](const Ranked& a, const Ranked& b) {
        return a.violation < b.violation || (a.violation == b.violation && a.objective < b.objective);
      });
  std::vector<Vector> out;
  for (std::size_t k = 0; k < kept; ++k) out.push_back(points_[ranked[k].index].x);
  return out;
}

}  // namespace zeroth
