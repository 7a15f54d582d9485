// SPDX-License-Identifier: MIT
#include "zeroth/core/schedule.hpp"

#include <fmt/format.h>

#include <charconv>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

bool read_number(std::string_view& text, double& value) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

Schedule parse_schedule(std::string_view text) {
  Schedule schedule;
  std::string_view rest = text;
  bool ok = read_number(rest, schedule.scale);
  if (ok && !rest.empty()) {
    ok = rest.starts_with("*t^");
    if (ok) {
      rest.remove_prefix(3);
      ok = read_number(rest, schedule.power) && rest.empty();
    }
  }
  if (!ok) throw Error(fmt::format("'{}' is not a sequence; write a number like 20, or 20*t^0.5", text));
  return schedule;
}

std::string to_string(const Schedule& s) {
  return s.power == 0 ? fmt::format("{}", s.scale) : fmt::format("{}*t^{}", s.scale, s.power);
}

}  // namespace zeroth
