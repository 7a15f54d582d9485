// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {

bool has_values(VariableType type) { return type == VariableType::categorical || type == VariableType::ordinal; }

void read_values(const Section& s, Index i, Variables& v) {
  const auto k = static_cast<std::size_t>(i);
  const std::string& name = v.names.back();
  const DocumentEntry* entry = s.find("values");
  const auto complain = [&](const std::string& key, const std::string& text) {
    throw Error(s.where_of(key), fmt::format("variable '{}': {}", name, text));
  };
  if (!entry) complain("type", "'values' is missing; list them, such as values = [\"a\", \"b\"]");
  v.values.resize(v.type.size());
  v.number_values.resize(v.type.size(), false);
  std::vector<std::string>& values = v.values[k];
  if (const auto* numbers = std::get_if<std::vector<double>>(&entry->value)) {
    v.number_values[k] = true;
    for (const double number : *numbers) {
      if (!std::isfinite(number))
        complain("values", fmt::format("'values' holds {}, but must hold finite numbers or texts", number));
      values.push_back(fmt::format("{}", number));
    }
  } else {
    values = *texts_at(s, "values");
  }
  constexpr std::size_t most_values = 1000;
  if (values.size() < 2 || values.size() > most_values)
    complain("values", fmt::format("'values' has {} entries, but must have from 2 to {}", values.size(), most_values));
  auto sorted = values;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    complain("values", fmt::format("'values' has '{}' twice; they must differ", *twice));
  if (std::ranges::find(values, "") != values.end()) complain("values", "'values' holds an empty text; give it a name");
  for (const char* key : {"lower", "upper", "scale", "spread"})
    if (s.find(key)) complain(key, fmt::format("'{}' is for numbers, and this variable has values; remove it", key));
  v.lower[i] = 0;
  v.upper[i] = static_cast<double>(values.size() - 1);
  if (const DocumentEntry* start = s.find("start")) {
    const auto* text = std::get_if<std::string>(&start->value);
    const std::string wanted = text ? *text : fmt::format("{}", *number_at(s, "start"));
    const auto found = std::ranges::find(values, wanted);
    if (found == values.end())
      complain("start", fmt::format("'start' is '{}', but must be one of {}", wanted, fmt::join(values, ", ")));
    v.start[i] = static_cast<double>(found - values.begin());
  }
}

void read_conditions(const std::vector<const Section*>& sections, Variables& v) {
  if (v.names.empty()) return;
  const auto some = std::ranges::any_of(sections, [](const Section* s) { return s->find("when") != nullptr; });
  if (!some) return;
  v.values.resize(v.names.size());
  v.number_values.resize(v.names.size(), false);
  v.when.resize(v.names.size());
  const ConditionNames names{&v.names, &v.values,
                             [&](Index i) { return v.type[static_cast<std::size_t>(i)] != VariableType::categorical; }};
  for (std::size_t k = 0; k < v.names.size(); ++k) {
    const Section& s = *sections[k];
    const auto text = text_at(s, "when");
    if (!text) continue;
    v.when[k] = read_condition(*text, names, s.where_of("when"));
    if (const auto own = v.when[k].mentioned(); std::ranges::find(own, static_cast<Index>(k)) != own.end())
      throw Error(s.where_of("when"), fmt::format("variable '{}': 'when' is about the variable itself", v.names[k]));
  }
  if (!order_of(v.when))
    for (std::size_t k = 0; k < v.names.size(); ++k)
      if (!v.when[k].empty())
        throw Error(
            sections[k]->where_of("when"),
            fmt::format("variable '{}': the conditions hang on each other in a circle; remove one", v.names[k]));
}

void refuse_about(const std::vector<Index>& mentioned, const Variables& v, const std::string& what,
                  const std::string& where) {
  for (const Index i : mentioned) {
    const auto k = static_cast<std::size_t>(i);
    const bool conditional = k < v.when.size() && !v.when[k].empty();
    if (!has_values(v.type[k]) && !conditional) continue;
    throw Error(where,
                fmt::format("{} is about '{}', which {}; only numbers that always apply can be in it", what, v.names[k],
                            conditional ? "applies only sometimes ('when')" : "has texts as values"));
  }
}

}  // namespace zeroth
