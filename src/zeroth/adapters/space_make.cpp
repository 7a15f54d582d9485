// SPDX-License-Identifier: MIT
//
// How declared variables, known sets and linear rows become the domain of a solver. Whatever shares a row or a set with
// something else becomes one intersection; the rest stays a product.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "zeroth/adapters/space.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

double dot_where_needed(const Vector& coefficients, std::span<const double> user_x) {
  double sum = 0;
  for (Index i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0) sum += coefficients[i] * user_x[static_cast<std::size_t>(i)];
  return sum;
}
namespace {

double far_of(const Variables& v, Index i) {
  if (v.spread.size() > i && v.spread[i] > 0) return v.spread[i];
  const double start = v.start[i];
  const double bound = std::isfinite(v.lower[i]) ? v.lower[i] : std::isfinite(v.upper[i]) ? v.upper[i] : 0;
  const double away = std::isnan(start) ? 0 : std::abs(start - bound);
  return away > 0 ? away : 1;
}

}  // namespace

struct Space::Layout {
  Layout(const std::vector<Domain>& the_sets, const std::vector<std::vector<Index>>& the_members, Index variables)
      : sets(the_sets),
        members(the_members),
        times(static_cast<std::size_t>(variables), 0),
        joined(static_cast<std::size_t>(variables), false),
        set_joined(sets.size(), false) {
    for (const auto& list : members)
      for (const Index i : list) ++times[static_cast<std::size_t>(i)];
  }

  const std::vector<Domain>& sets;
  const std::vector<std::vector<Index>>& members;
  std::vector<int> times;               // that sets are about a variable
  std::vector<Coordinate> of_variable;  // in the user's order
  std::vector<bool> joined;             // variables of the intersection
  std::vector<bool> set_joined;         // sets of the intersection
  bool cut = false;                     // there is one
};

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
  Layout layout(sets, members, space.size_);
  for (Index i = 0; i < space.size_; ++i)
    layout.of_variable.push_back(space.coordinate_of(i, layout.times[static_cast<std::size_t>(i)] > 0));
  space.sort_rows(layout);
  space.join_sets(layout);

  std::vector<Domain> factors;
  for (std::size_t i = 0; i < layout.joined.size(); ++i)
    if (layout.times[i] == 0 && !layout.joined[i]) space.coordinates_.push_back(layout.of_variable[i]);
  if (const auto free = static_cast<Index>(space.coordinates_.size()); free > 0)
    factors.push_back(Domain::box(free, 0, 1));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (layout.set_joined[k]) continue;
    factors.push_back(sets[k]);
    for (const Index i : members[k]) space.coordinates_.push_back(layout.of_variable[static_cast<std::size_t>(i)]);
  }
  if (layout.cut) factors.push_back(space.joined_domain(layout));
  space.domain_ = Domain::product(std::move(factors));
  space.order_ = order_of(space.variables_.when).value_or(std::vector<Index>{});
  for (const auto& name : space.variables_.names) space.quoted_names_.push_back(nlohmann::json(name).dump() + ':');
  return space;
}

// A row joins its variables if it is a plane in the solver's units; otherwise it is kept as a known limit.
void Space::sort_rows(Layout& layout) {
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const LinearRow& row = rows_[r];
    std::vector<std::size_t> about;
    for (std::size_t i = 0; i < layout.joined.size(); ++i)
      if (row.coefficients[static_cast<Index>(i)] != 0) about.push_back(i);
    const bool plane = std::ranges::all_of(about, [&](std::size_t i) {
      const Kind kind = layout.of_variable[i].kind;
      return kind == Kind::even || kind == Kind::as_is;
    });
    if (plane) {
      planes_.push_back(r);
      layout.cut = true;
      for (const std::size_t i : about) layout.joined[i] = true;
      continue;
    }
    for (const double sign : {1.0, -1.0}) {
      const double end = sign > 0 ? row.upper : row.lower;
      if (!std::isfinite(end)) continue;
      known_.push_back({row.text, [a = row.coefficients, sign, end](std::span<const double> x) {
                          return sign * (dot_where_needed(a, x) - end);
                        }});
    }
  }
}

void Space::join_sets(Layout& layout) const {
  for (std::size_t k = 0; k < layout.sets.size(); ++k) {
    const Box reach = layout.sets[k].bounds();
    bool joins = false;
    for (std::size_t j = 0; j < layout.members[k].size(); ++j) {
      const Index i = layout.members[k][j];
      // A bound inside of what the set reaches cuts it.
      const auto own = static_cast<Index>(j);
      joins = joins || layout.joined[static_cast<std::size_t>(i)] || layout.times[static_cast<std::size_t>(i)] > 1 ||
              variables_.lower[i] > reach.lower[own] || variables_.upper[i] < reach.upper[own];
    }
    layout.set_joined[k] = joins;
    layout.cut = layout.cut || joins;
  }
  for (std::size_t round = 0; layout.cut && round < layout.sets.size(); ++round)  // until none is half in and half out
    for (std::size_t k = 0; k < layout.sets.size(); ++k) {
      for (const Index i : layout.members[k])
        layout.set_joined[k] = layout.set_joined[k] || layout.joined[static_cast<std::size_t>(i)];
      if (layout.set_joined[k])
        for (const Index i : layout.members[k]) layout.joined[static_cast<std::size_t>(i)] = true;
    }
}

Domain Space::joined_domain(const Layout& layout) {
  std::vector<Index> place(layout.joined.size(), -1);
  Index count = 0;
  for (std::size_t i = 0; i < layout.joined.size(); ++i)
    if (layout.joined[i]) {
      place[i] = count++;
      coordinates_.push_back(layout.of_variable[i]);
    }
  // Rows first: a conflict then counts them as `plane_rows` does.
  std::vector<Domain> parts{joined_rows(layout, place, count)};
  std::vector<std::vector<Index>> about(1);
  about[0].resize(static_cast<std::size_t>(count));
  std::iota(about[0].begin(), about[0].end(), Index{0});
  for (std::size_t k = 0; k < layout.sets.size(); ++k) {
    if (!layout.set_joined[k]) continue;
    parts.push_back(layout.sets[k]);
    about.emplace_back();
    for (const Index i : layout.members[k]) about.back().push_back(place[static_cast<std::size_t>(i)]);
  }
  return parts.size() == 1 ? parts.front() : Domain::intersection(count, parts, about);
}

// Bounds and linear rows of the joined variables, in the solver's units.
Domain Space::joined_rows(const Layout& layout, const std::vector<Index>& place, Index count) const {
  Vector low(count), high(count);
  Matrix normals = Matrix::Zero(static_cast<Index>(planes_.size()), count);
  Vector row_low(normals.rows()), row_high(normals.rows());
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (!layout.joined[i]) continue;
    const bool scaled = layout.of_variable[i].kind == Kind::even;
    low[place[i]] = scaled ? 0 : variables_.lower[static_cast<Index>(i)];
    high[place[i]] = scaled ? 1 : variables_.upper[static_cast<Index>(i)];
  }
  for (Index r = 0; r < normals.rows(); ++r) {
    const LinearRow& row = rows_[planes_[static_cast<std::size_t>(r)]];
    double shift = 0;
    for (std::size_t i = 0; i < place.size(); ++i) {
      const double a = row.coefficients[static_cast<Index>(i)];
      if (a == 0) continue;
      const bool scaled = layout.of_variable[i].kind == Kind::even;
      normals(r, place[i]) = scaled ? a * layout.of_variable[i].width : a;
      if (scaled) shift += a * layout.of_variable[i].from;
    }
    // Of length one, so that what is far in one row is far in another.
    const double length = normals.row(r).norm();
    const double by = length > 0 ? 1 / length : 1;
    normals.row(r) *= by;
    row_low[r] = by * (row.lower - shift);
    row_high[r] = by * (row.upper - shift);
  }
  return Domain::polyhedron(low, high, normals, row_low, row_high);
}

}  // namespace zeroth
