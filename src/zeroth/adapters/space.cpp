// SPDX-License-Identifier: MIT
#include "zeroth/adapters/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "zeroth/core/problem.hpp"

namespace zeroth {
namespace {

constexpr double nearest_to_end = 1e-9;  // of a bent variable's half: x is then 750 million spreads away

// t / (1 - t^2), 1 at half-way, and its inverse.
double bent(double t) {
  t = std::clamp(t, -1 + nearest_to_end, 1 - nearest_to_end);
  return 1.5 * t / (1 - t * t);
}
double unbent(double y) { return 2 * y / (1.5 + std::sqrt(2.25 + 4 * y * y)); }

double far_of(const Variables& v, Index i) {
  if (v.spread.size() > i && v.spread[i] > 0) return v.spread[i];
  const double start = v.start[i];
  const double bound = std::isfinite(v.lower[i]) ? v.lower[i] : std::isfinite(v.upper[i]) ? v.upper[i] : 0;
  const double away = std::isnan(start) ? 0 : std::abs(start - bound);
  return away > 0 ? away : 1;
}

}  // namespace

Space Space::plain(Index size) {
  Space space;
  space.size_ = size;
  return space;
}

Space::Coordinate Space::coordinate_of(Index i, bool in_set) const {
  const Variables& v = variables_;
  const double low = v.lower[i], high = v.upper[i];
  if (in_set) return {i, Kind::as_is, 0, 1};
  if (v.log_scale[static_cast<std::size_t>(i)])
    return {i, Kind::logarithmic, std::log(low), std::log(high) - std::log(low)};
  const bool below = std::isfinite(low), above = std::isfinite(high);
  if (below && above) return {i, Kind::even, low, high - low};
  if (below) return {i, Kind::bent_up, low, far_of(v, i)};
  if (above) return {i, Kind::bent_down, high, far_of(v, i)};
  return {i, Kind::bent, std::isnan(v.start[i]) ? 0 : v.start[i], far_of(v, i)};
}

Space Space::of(Variables variables, const std::vector<Domain>& sets, const std::vector<std::vector<Index>>& members,
                std::vector<LinearRow> rows, std::vector<KnownLimit> known) {
  assert(sets.size() == members.size());
  Space space;
  space.size_ = variables.size();
  space.plain_ = false;
  space.variables_ = std::move(variables);
  space.rows_ = std::move(rows);
  space.known_ = std::move(known);
  const auto n = static_cast<std::size_t>(space.size_);
  std::vector<int> times(n, 0);  // that sets are about it
  std::vector<bool> joined(n, false);
  for (const auto& list : members)
    for (const Index i : list) ++times[static_cast<std::size_t>(i)];
  std::vector<Coordinate> of_variable(n);
  for (std::size_t i = 0; i < n; ++i) of_variable[i] = space.coordinate_of(static_cast<Index>(i), times[i] > 0);

  // Whatever shares a row or a set with something else becomes one intersection; the rest stays a product.
  bool cut = false;
  for (std::size_t r = 0; r < space.rows_.size(); ++r) {
    const LinearRow& row = space.rows_[r];
    bool plane = true;
    for (std::size_t i = 0; i < n; ++i) {
      const Kind kind = of_variable[i].kind;
      if (row.coefficients[static_cast<Index>(i)] != 0) plane = plane && (kind == Kind::even || kind == Kind::as_is);
    }
    if (!plane) {
      for (const double sign : {1.0, -1.0}) {
        const double end = sign > 0 ? row.upper : row.lower;
        if (!std::isfinite(end)) continue;
        space.known_.push_back({row.text, [a = row.coefficients, sign, end](std::span<const double> x) {
                                  return sign * (a.dot(as_vector(x)) - end);
                                }});
      }
      continue;
    }
    space.planes_.push_back(r);
    cut = true;
    for (std::size_t i = 0; i < n; ++i)
      if (row.coefficients[static_cast<Index>(i)] != 0) joined[i] = true;
  }
  std::vector<bool> set_joined(sets.size(), false);
  for (std::size_t k = 0; k < sets.size(); ++k) {
    const Box reach = sets[k].bounds();
    for (std::size_t j = 0; j < members[k].size(); ++j) {
      const Index i = members[k][j];
      // A bound inside of what the set reaches cuts it.
      const auto own = static_cast<Index>(j);
      set_joined[k] = set_joined[k] || joined[static_cast<std::size_t>(i)] || times[static_cast<std::size_t>(i)] > 1 ||
                      space.variables_.lower[i] > reach.lower[own] || space.variables_.upper[i] < reach.upper[own];
    }
    cut = cut || set_joined[k];
  }
  for (std::size_t round = 0; cut && round < sets.size(); ++round)  // until no set is half in and half out
    for (std::size_t k = 0; k < sets.size(); ++k) {
      for (const Index i : members[k]) set_joined[k] = set_joined[k] || joined[static_cast<std::size_t>(i)];
      if (set_joined[k])
        for (const Index i : members[k]) joined[static_cast<std::size_t>(i)] = true;
    }

  std::vector<Domain> factors;
  Index free = 0;
  for (std::size_t i = 0; i < n; ++i)
    if (times[i] == 0 && !joined[i]) {
      space.coordinates_.push_back(of_variable[i]);
      ++free;
    }
  if (free > 0) factors.push_back(Domain::box(free, 0, 1));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (set_joined[k]) continue;
    factors.push_back(sets[k]);
    for (const Index i : members[k]) space.coordinates_.push_back(of_variable[static_cast<std::size_t>(i)]);
  }
  if (cut) {
    std::vector<Index> place(n, -1);
    Index count = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (joined[i]) {
        place[i] = count++;
        space.coordinates_.push_back(of_variable[i]);
      }
    std::vector<Domain> parts;
    std::vector<std::vector<Index>> about;
    Vector low(count), high(count);
    Matrix normals = Matrix::Zero(static_cast<Index>(space.planes_.size()), count);
    Vector row_low(normals.rows()), row_high(normals.rows());
    for (std::size_t i = 0; i < n; ++i) {
      if (!joined[i]) continue;
      const bool scaled = of_variable[i].kind == Kind::even;
      low[place[i]] = scaled ? 0 : space.variables_.lower[static_cast<Index>(i)];
      high[place[i]] = scaled ? 1 : space.variables_.upper[static_cast<Index>(i)];
    }
    for (Index r = 0; r < normals.rows(); ++r) {
      const LinearRow& row = space.rows_[space.planes_[static_cast<std::size_t>(r)]];
      double shift = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double a = row.coefficients[static_cast<Index>(i)];
        if (a == 0) continue;
        const bool scaled = of_variable[i].kind == Kind::even;
        normals(r, place[i]) = scaled ? a * of_variable[i].width : a;
        if (scaled) shift += a * of_variable[i].from;
      }
      // Of length one, so that what is far in one row is far in another.
      const double length = normals.row(r).norm();
      const double by = length > 0 ? 1 / length : 1;
      normals.row(r) *= by;
      row_low[r] = by * (row.lower - shift);
      row_high[r] = by * (row.upper - shift);
    }
    // Rows first: a conflict then counts them as `plane_rows` does.
    std::vector<Index> all(static_cast<std::size_t>(count));
    for (Index i = 0; i < count; ++i) all[static_cast<std::size_t>(i)] = i;
    parts.push_back(Domain::polyhedron(low, high, normals, row_low, row_high));
    about.push_back(all);
    for (std::size_t k = 0; k < sets.size(); ++k) {
      if (!set_joined[k]) continue;
      parts.push_back(sets[k]);
      about.emplace_back();
      for (const Index i : members[k]) about.back().push_back(place[static_cast<std::size_t>(i)]);
    }
    factors.push_back(parts.size() == 1 ? parts.front() : Domain::intersection(count, parts, about));
  }
  space.domain_ = Domain::product(std::move(factors));
  space.order_ = order_of(space.variables_.when).value_or(std::vector<Index>{});
  for (const auto& name : space.variables_.names) space.quoted_names_.push_back(nlohmann::json(name).dump() + ':');
  return space;
}

void Space::to_user(std::span<const double> x, std::span<double> out) const {
  assert(static_cast<Index>(x.size()) == size_ && x.size() == out.size());
  if (plain_) {
    std::ranges::copy(x, out.begin());
    return;
  }
  for (Index k = 0; k < size_; ++k) {
    const Index i = coordinates_[static_cast<std::size_t>(k)].variable;
    double value = to_value(k, x[static_cast<std::size_t>(k)]);
    if (whole(i)) value = std::nearbyint(value);
    out[static_cast<std::size_t>(i)] = std::clamp(value, variables_.lower[i], variables_.upper[i]);
  }
  drop_inactive(out);
}

double Space::to_value(Index k, double x) const {
  const Coordinate& c = coordinates_[static_cast<std::size_t>(k)];
  switch (c.kind) {
    case Kind::even:
      return c.from + std::clamp(x, 0.0, 1.0) * c.width;
    case Kind::logarithmic:
      return std::exp(c.from + std::clamp(x, 0.0, 1.0) * c.width);
    case Kind::bent:
      return c.from + c.width * bent(2 * std::clamp(x, 0.0, 1.0) - 1);
    case Kind::bent_up:
      return c.from + c.width * bent(std::clamp(x, 0.0, 1.0));
    case Kind::bent_down:
      return c.from - c.width * bent(1 - std::clamp(x, 0.0, 1.0));
    default:
      return x;
  }
}

double Space::position(Index k, double value) const {
  const Coordinate& c = coordinates_[static_cast<std::size_t>(k)];
  if (c.kind == Kind::as_is) return value;
  if (c.width == 0) return 0.5;
  switch (c.kind) {
    case Kind::even:
      return std::clamp((value - c.from) / c.width, 0.0, 1.0);
    case Kind::logarithmic:
      return std::clamp((std::log(value) - c.from) / c.width, 0.0, 1.0);
    case Kind::bent:
      return 0.5 + 0.5 * unbent((value - c.from) / c.width);
    case Kind::bent_up:
      return std::max(0.0, unbent((value - c.from) / c.width));
    default:
      return 1 - std::max(0.0, unbent((c.from - value) / c.width));
  }
}

Space::Levels Space::levels_around(Index k, double u) const {
  const Index i = coordinates_[static_cast<std::size_t>(k)].variable;
  const double least = std::ceil(variables_.lower[i]), most = std::floor(variables_.upper[i]);
  // A level computed from its own position may come out a rounding error beside itself.
  double value = to_value(k, u);
  if (std::abs(value - std::nearbyint(value)) < 1e-9 * std::max(1.0, std::abs(value))) value = std::nearbyint(value);
  value = std::clamp(value, least, most);
  return {position(k, std::floor(value)), position(k, std::ceil(value))};
}

double Space::next_level(Index k, double u, int step) const {
  const Index i = coordinates_[static_cast<std::size_t>(k)].variable;
  const double level = std::clamp(std::nearbyint(to_value(k, u)) + step, std::ceil(variables_.lower[i]),
                                  std::floor(variables_.upper[i]));
  return position(k, level);
}

Vector Space::to_user(const Vector& x) const {
  Vector out(x.size());
  to_user(as_span(x), {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

Vector Space::to_solver(const Vector& user_x) const {
  if (plain_) return user_x;
  Vector x(size_);
  for (Index k = 0; k < size_; ++k) {
    const double value = user_x[coordinates_[static_cast<std::size_t>(k)].variable];
    x[k] = std::isnan(value) ? 0.5 : position(k, value);  // in the middle where it does not apply
  }
  return x;
}

Vector Space::start() const {
  if (plain_ || variables_.start.array().isNaN().all()) return {};
  Vector x = domain_.center();
  for (Index k = 0; k < size_; ++k) {
    const Index i = coordinates_[static_cast<std::size_t>(k)].variable;
    if (const double value = variables_.start[i]; !std::isnan(value)) x[k] = position(k, value);
  }
  return x;
}

std::vector<bool> Space::integer() const {
  std::vector<bool> flags(static_cast<std::size_t>(size_), false);
  for (Index k = 0; k < size_; ++k)
    if (!plain_) flags[static_cast<std::size_t>(k)] = whole(coordinates_[static_cast<std::size_t>(k)].variable);
  if (std::ranges::find(flags, true) == flags.end()) flags.clear();
  return flags;
}

Vector Space::log_offset() const {
  Vector offset = Vector::Zero(size_);
  for (Index k = 0; k < size_ && !plain_; ++k) {
    const Coordinate& c = coordinates_[static_cast<std::size_t>(k)];
    if (c.kind == Kind::even)
      offset[k] = zeroth::log_offset(variables_.lower[c.variable], variables_.upper[c.variable]);
  }
  return offset;
}

bool Space::row_holds(const LinearRow& row, std::span<const double> x) const {
  double value = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double a = row.coefficients[static_cast<Index>(i)];
    if (a == 0) continue;
    value += a * x[i];
    size += std::abs(a * x[i]);
  }
  const double slack = row.lower == row.upper ? 1e-9 * (1 + size + std::abs(row.upper)) : 0;
  return value <= row.upper + slack && value >= row.lower - slack;
}

bool Space::admits(std::span<const double> x) const {
  if (!has_limits()) return true;
  std::vector<double> user(x.size());
  to_user(x, user);
  return std::ranges::all_of(rows_, [&](const LinearRow& row) { return row_holds(row, user); }) &&
         std::ranges::all_of(known_, [&](const KnownLimit& limit) { return limit.excess(user) <= 0; });
}

void Space::known_values(std::span<const double> x, std::span<double> out) const {
  std::vector<double> user(x.size());
  if (plain_) std::ranges::copy(x, user.begin());
  for (Index k = 0; k < size_ && !plain_; ++k)
    user[static_cast<std::size_t>(coordinates_[static_cast<std::size_t>(k)].variable)] =
        to_value(k, x[static_cast<std::size_t>(k)]);
  for (std::size_t j = 0; j < known_.size(); ++j) out[j] = known_[j].excess(user);
}

}  // namespace zeroth
