// SPDX-License-Identifier: MIT
#include "zeroth/adapters/space.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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

}  // namespace

Space Space::plain(Index size) {
  Space space;
  space.size_ = size;
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

std::vector<Space::Unbounded> Space::unbounded() const {
  std::vector<Unbounded> found;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const Kind kind = coordinates_[k].kind;
    const bool below = kind == Kind::bent || kind == Kind::bent_down,
               above = kind == Kind::bent || kind == Kind::bent_up;
    if (below || above) found.push_back({static_cast<Index>(k), below, above});
  }
  return found;
}

double Space::spreads_at(Index k, double u) const {
  const Coordinate& c = coordinates_[static_cast<std::size_t>(k)];
  return (to_value(k, u) - c.from) / c.width;
}

double Space::at_spreads(Index k, double spreads) const {
  const Coordinate& c = coordinates_[static_cast<std::size_t>(k)];
  return position(k, c.from + spreads * c.width);
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
