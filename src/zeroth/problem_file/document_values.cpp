// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/problem_file/document.hpp"

namespace zeroth {
namespace {

Error wrong(const std::string& key, const DocumentEntry& entry, const std::string& expected) {
  return Error(entry.where, fmt::format("'{}' is {}, but must be {}", key, to_string(entry.value), expected));
}

template <class T>
std::optional<T> plain_at(const Section& section, const std::string& key, const char* expected) {
  const DocumentEntry* entry = section.find(key);
  if (!entry) return {};
  if (const T* value = std::get_if<T>(&entry->value)) return *value;
  throw wrong(key, *entry, expected);
}

}  // namespace

std::optional<double> number_at(const Section& section, const std::string& key) {
  const DocumentEntry* entry = section.find(key);
  if (!entry) return {};
  double value = 0;
  if (const auto* d = std::get_if<double>(&entry->value)) value = *d;
  else if (const auto* i = std::get_if<std::int64_t>(&entry->value)) value = static_cast<double>(*i);
  else throw wrong(key, *entry, "a number");
  if (std::isnan(value)) throw wrong(key, *entry, "a number, not NaN");
  return value;
}

std::optional<std::int64_t> whole_at(const Section& section, const std::string& key) {
  const auto value = number_at(section, key);
  if (!value) return {};
  if (*value != std::floor(*value) || std::abs(*value) >= 0x1p53) throw wrong(key, *section.find(key), "an integer");
  return static_cast<std::int64_t>(*value);
}

std::optional<bool> flag_at(const Section& section, const std::string& key) {
  return plain_at<bool>(section, key, "true or false");
}

std::optional<std::string> text_at(const Section& section, const std::string& key) {
  return plain_at<std::string>(section, key, "a text in quotes");
}

std::optional<std::string> choice_at(const Section& section, const std::string& key,
                                     const std::vector<std::string>& choices) {
  auto value = text_at(section, key);
  if (value && std::ranges::find(choices, *value) == choices.end())
    throw wrong(key, *section.find(key), fmt::format("one of {}", fmt::join(choices, ", ")));
  return value;
}

std::optional<std::vector<std::string>> texts_at(const Section& section, const std::string& key) {
  const DocumentEntry* entry = section.find(key);
  if (!entry) return {};
  if (const auto* list = std::get_if<std::vector<std::string>>(&entry->value)) return *list;
  if (const auto* list = std::get_if<std::vector<double>>(&entry->value); list && list->empty())
    return std::vector<std::string>{};
  throw wrong(key, *entry, "a list of texts, such as [\"a\", \"b\"]");
}

std::optional<std::vector<double>> numbers_at(const Section& section, const std::string& key, std::size_t count) {
  const DocumentEntry* entry = section.find(key);
  if (!entry) return {};
  const auto* list = std::get_if<std::vector<double>>(&entry->value);
  if (!list) return std::vector<double>(count, *number_at(section, key));
  if (list->size() != count)
    throw Error(entry->where, fmt::format("'{}' has {} numbers, but must have {} (or be one number for all)", key,
                                          list->size(), count));
  for (const double value : *list)
    if (std::isnan(value)) throw Error(entry->where, fmt::format("'{}' holds NaN; every entry must be a number", key));
  return *list;
}

}  // namespace zeroth
