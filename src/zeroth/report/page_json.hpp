// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "zeroth/core/text.hpp"
#include "zeroth/report/compare.hpp"

// Parts of the report page's data; for report/page_*.cpp alone.
namespace zeroth::page_parts {

using OrderedJson = nlohmann::ordered_json;

// What is drawn on a thousand pixels needs no more than six digits.
inline OrderedJson drawn(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (value == std::floor(value) && std::abs(value) < 1e6) return static_cast<std::int64_t>(value);
  return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

inline OrderedJson exact(double value) { return std::isfinite(value) ? OrderedJson(value) : OrderedJson(nullptr); }

template <class Range, class Value>
OrderedJson column(const Range& range, const Value& value) {
  OrderedJson list = OrderedJson::array();
  for (const auto& item : range) list.push_back(drawn(static_cast<double>(value(item))));
  return list;
}

inline OrderedJson parsed(const std::string& text) {
  OrderedJson json = parse_json<OrderedJson>(text);
  return json.is_discarded() ? OrderedJson(nullptr) : json;
}

// What is recommended now: the checked answer, or of a run without one the latest of the path. In declared units.
OrderedJson answer_json(const ReportedRun& run);

// What is declared of a function, for its panels: its limit, the quantity whose path is drawn, and what an evaluation
// is beside.
OrderedJson function_json(const RunHistory& history, std::size_t function);

// The call that repeats a run of the Python module.
std::string python_call(const RunRow& row);

// How many evaluations each worker made in equal intervals of the run, and how long they took.
OrderedJson workers_json(const RunHistory& history, std::size_t count);

}  // namespace zeroth::page_parts
