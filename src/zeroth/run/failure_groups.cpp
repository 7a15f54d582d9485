// SPDX-License-Identifier: MIT
#include "zeroth/run/failure_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace zeroth {
namespace {

bool digit(char c) { return c >= '0' && c <= '9'; }

// One past the number that begins at `at`: digits, a fraction, an exponent.
std::size_t end_of_number(const std::string& text, std::size_t at) {
  const auto digits = [&] {
    while (at < text.size() && digit(text[at])) ++at;
  };
  digits();
  if (at + 1 < text.size() && text[at] == '.' && digit(text[at + 1])) {
    ++at;
    digits();
  }
  if (at + 1 < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    const std::size_t sign = at + 1 + (text[at + 1] == '-' || text[at + 1] == '+');
    if (sign < text.size() && digit(text[sign])) {
      at = sign;
      digits();
    }
  }
  return at;
}

}  // namespace

std::string without_numbers(const std::string& reason) {
  std::string out;
  for (std::size_t i = 0; i < reason.size();) {
    if (!digit(reason[i])) {
      out += reason[i++];
      continue;
    }
    if (!out.empty() && (out.back() == '-' || out.back() == '+')) out.pop_back();
    out += '#';
    i = end_of_number(reason, i);
  }
  return out;
}

std::string FailureGroup::text() const {
  return fmt::format("{} x {}{}", count, reason,
                     variants > 1 ? fmt::format(" (and {} that differ in numbers only)", variants - 1) : "");
}

std::vector<FailureGroup> grouped_failures(const std::map<std::string, std::int64_t>& failures) {
  std::map<std::string, FailureGroup> groups;
  std::map<std::string, std::int64_t> most;
  for (const auto& [reason, count] : failures) {
    const std::string key = without_numbers(reason);
    const auto [found, fresh] = groups.try_emplace(key);
    FailureGroup& group = found->second;
    if (!fresh) ++group.variants;
    group.count += count;
    if (count > most[key]) {
      most[key] = count;
      group.reason = reason;
    }
  }
  std::vector<FailureGroup> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  std::ranges::stable_sort(list, std::greater{}, &FailureGroup::count);
  return list;
}

}  // namespace zeroth
