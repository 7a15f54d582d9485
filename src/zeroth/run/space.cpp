// SPDX-License-Identifier: MIT
#include "zeroth/run/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace zeroth {

Space Space::plain(Index size) {
  Space space;
  space.size_ = size;
  return space;
}

Space Space::of(Variables variables, const std::vector<Domain>& sets, const std::vector<std::vector<Index>>& members) {
  assert(sets.size() == members.size());
  Space space;
  space.size_ = variables.size();
  space.plain_ = false;
  std::vector<bool> in_set(static_cast<std::size_t>(variables.size()), false);
  for (const auto& list : members)
    for (const Index i : list) in_set[static_cast<std::size_t>(i)] = true;
  for (Index i = 0; i < variables.size(); ++i)
    if (!in_set[static_cast<std::size_t>(i)]) space.order_.push_back(i);
  space.scaled_ = static_cast<Index>(space.order_.size());
  std::vector<Domain> factors;
  if (space.scaled_ > 0) factors.push_back(Domain::box(space.scaled_, 0, 1));
  for (std::size_t k = 0; k < sets.size(); ++k) {
    factors.push_back(sets[k]);
    space.order_.insert(space.order_.end(), members[k].begin(), members[k].end());
  }
  space.domain_ = Domain::product(std::move(factors));
  for (const auto& name : variables.names) space.quoted_names_.push_back(nlohmann::json(name).dump() + ':');
  space.variables_ = std::move(variables);
  return space;
}

void Space::to_user(std::span<const double> x, std::span<double> out) const {
  assert(static_cast<Index>(x.size()) == size_ && x.size() == out.size());
  if (plain_) {
    std::ranges::copy(x, out.begin());
    return;
  }
  for (Index k = 0; k < size_; ++k) {
    const Index i = order_[static_cast<std::size_t>(k)];
    double value = to_value(k, x[static_cast<std::size_t>(k)]);
    if (whole(i)) value = std::nearbyint(value);
    out[static_cast<std::size_t>(i)] = std::clamp(value, variables_.lower[i], variables_.upper[i]);
  }
}

double Space::to_value(Index k, double x) const {
  if (k >= scaled_) return x;
  const Index i = order_[static_cast<std::size_t>(k)];
  const double low = variables_.lower[i], high = variables_.upper[i], u = std::clamp(x, 0.0, 1.0);
  if (variables_.log_scale[static_cast<std::size_t>(i)])
    return std::exp(std::log(low) + u * (std::log(high) - std::log(low)));
  return low + u * (high - low);
}

Space::Levels Space::levels_around(Index k, double u) const {
  const Index i = order_[static_cast<std::size_t>(k)];
  const double least = std::ceil(variables_.lower[i]), most = std::floor(variables_.upper[i]);
  // A level computed from its own position may come out a rounding error beside itself.
  double value = to_value(k, u);
  if (std::abs(value - std::nearbyint(value)) < 1e-9 * std::max(1.0, std::abs(value))) value = std::nearbyint(value);
  value = std::clamp(value, least, most);
  const auto position = [&](double level) { return k < scaled_ ? to_unit(i, level) : level; };
  return {position(std::floor(value)), position(std::ceil(value))};
}

double Space::next_level(Index k, double u, int step) const {
  const Index i = order_[static_cast<std::size_t>(k)];
  const double level = std::clamp(std::nearbyint(to_value(k, u)) + step, std::ceil(variables_.lower[i]),
                                  std::floor(variables_.upper[i]));
  return k < scaled_ ? to_unit(i, level) : level;
}

Vector Space::to_user(const Vector& x) const {
  Vector out(x.size());
  to_user(as_span(x), {out.data(), static_cast<std::size_t>(out.size())});
  return out;
}

double Space::to_unit(Index i, double value) const {
  double low = variables_.lower[i], high = variables_.upper[i];
  if (high == low) return 0.5;
  if (variables_.log_scale[static_cast<std::size_t>(i)]) {
    low = std::log(low);
    high = std::log(high);
    value = std::log(value);
  }
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

Vector Space::start() const {
  if (plain_ || variables_.start.array().isNaN().all()) return {};
  Vector x = domain_.center();
  for (Index k = 0; k < size_; ++k) {
    const Index i = order_[static_cast<std::size_t>(k)];
    if (const double value = variables_.start[i]; !std::isnan(value)) x[k] = k < scaled_ ? to_unit(i, value) : value;
  }
  return x;
}

std::vector<bool> Space::integer() const {
  std::vector<bool> flags(static_cast<std::size_t>(size_), false);
  for (Index k = 0; k < size_; ++k)
    if (!plain_) flags[static_cast<std::size_t>(k)] = whole(order_[static_cast<std::size_t>(k)]);
  if (std::ranges::find(flags, true) == flags.end()) flags.clear();
  return flags;
}

void Space::write_json(std::span<const double> x, std::string& json) const {
  const bool named = !variables_.names.empty();
  json += named ? '{' : '[';
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i > 0) json += ',';
    if (named) json += quoted_names_[i];
    // Whole values as JSON integers: languages with typed JSON readers then get the type they expect.
    if (whole(static_cast<Index>(i)) && std::abs(x[i]) < 0x1p53)
      fmt::format_to(std::back_inserter(json), "{}", static_cast<std::int64_t>(x[i]));
    else fmt::format_to(std::back_inserter(json), "{}", x[i]);
  }
  json += named ? '}' : ']';
}

}  // namespace zeroth
