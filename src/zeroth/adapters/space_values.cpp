// SPDX-License-Identifier: MIT
//
// Values that are texts, and variables that do not always apply.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "zeroth/adapters/space.hpp"

namespace zeroth {
namespace {

constexpr auto replacing = nlohmann::json::error_handler_t::replace;

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

const std::vector<std::string>& Variables::values_of(Index i) const {
  static const std::vector<std::string> none;
  const auto k = static_cast<std::size_t>(i);
  return k < values.size() ? values[k] : none;
}

std::vector<int> Space::categories() const {
  std::vector<int> counts(static_cast<std::size_t>(size_), 0);
  bool any = false;
  for (std::size_t k = 0; k < counts.size() && !plain_; ++k) {
    const auto i = static_cast<std::size_t>(coordinates_[k].variable);
    if (variables_.type[i] != VariableType::categorical) continue;
    counts[k] = static_cast<int>(variables_.upper[static_cast<Index>(i)]) + 1;
    any = true;
  }
  if (!any) counts.clear();
  return counts;
}

void Space::drop_inactive(std::span<double> user) const {
  for (const Index i : order_)
    if (!variables_.when[static_cast<std::size_t>(i)].holds(user)) user[static_cast<std::size_t>(i)] = std::nan("");
}

void Space::active(std::span<const double> x, std::span<std::uint8_t> flags) const {
  std::ranges::fill(flags, std::uint8_t{1});
  if (!conditional()) return;
  std::vector<double> user(x.size());
  to_user(x, user);
  for (std::size_t k = 0; k < flags.size(); ++k)
    flags[k] = std::isnan(user[static_cast<std::size_t>(coordinates_[k].variable)]) ? 0 : 1;
}

std::optional<double> Space::value_of(Index variable, const std::string& text) const {
  const auto& values = variables_.values_of(variable);
  const auto place = [&](const auto& matches) -> std::optional<double> {
    const auto found = std::ranges::find_if(values, matches);
    if (found == values.end()) return {};
    return static_cast<double>(found - values.begin());
  };
  if (const auto exact = place([&](const std::string& v) { return v == text; })) return exact;
  const auto number = number_in(text);
  if (!number) return {};
  return place([&](const std::string& v) { return number_in(v) == number; });
}

void Space::write_texts(std::span<const double> x, std::vector<std::string>& texts) const {
  texts.clear();
  for (std::size_t i = 0; i < x.size(); ++i) texts.push_back(text_of(static_cast<Index>(i), x[i]));
}

std::string Space::text_of(Index i, double value) const {
  if (conditional() && std::isnan(value)) return {};
  if (const auto& values = variables_.values_of(i); !values.empty()) {
    // What a stranger's store holds may be no value at all.
    const bool known = value >= 0 && value < static_cast<double>(values.size());
    return known ? values[static_cast<std::size_t>(value)] : "?";
  }
  return whole(i) && std::abs(value) < 0x1p53 ? fmt::format("{}", static_cast<std::int64_t>(value))
                                              : fmt::format("{}", value);
}

void Space::write_json(std::span<const double> x, std::string& json) const {
  const bool named = !variables_.names.empty();
  json += named ? '{' : '[';
  bool first = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (conditional() && std::isnan(x[i])) continue;
    if (!std::exchange(first, false)) json += ',';
    if (named) json += quoted_names_[i];
    // Whole values as JSON integers: languages with typed JSON readers then get the type they expect.
    if (const auto& values = variables_.values_of(static_cast<Index>(i)); !values.empty()) {
      const std::string text = text_of(static_cast<Index>(i), x[i]);
      json += variables_.number_values[i] ? text : nlohmann::json(text).dump(-1, ' ', false, replacing);
    } else if (whole(static_cast<Index>(i)) && std::abs(x[i]) < 0x1p53) {
      fmt::format_to(std::back_inserter(json), "{}", static_cast<std::int64_t>(x[i]));
    } else {
      fmt::format_to(std::back_inserter(json), "{}", x[i]);
    }
  }
  json += named ? '}' : ']';
}

}  // namespace zeroth
