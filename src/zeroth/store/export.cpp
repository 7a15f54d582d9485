// SPDX-License-Identifier: MIT
#include "zeroth/store/export.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

using OrderedJson = nlohmann::ordered_json;

struct Names {
  std::vector<std::string> variables, functions;
  std::vector<std::vector<std::string>> values;  // of variables whose values are texts

  // The text of a value; null if it is a number.
  const std::string* text(std::size_t variable, double value) const {
    if (variable >= values.size() || values[variable].empty()) return nullptr;
    if (!(value >= 0) || !(value < static_cast<double>(values[variable].size()))) return nullptr;
    return &values[variable][static_cast<std::size_t>(value)];
  }
};

std::vector<std::string> list_in(const OrderedJson& names, const char* key) {
  std::vector<std::string> list;
  if (names.is_object() && names.contains(key) && names[key].is_array())
    for (const OrderedJson& entry : names[key])
      if (entry.is_string()) list.push_back(entry.get<std::string>());
  return list;
}

Names names_of(const RunRow& run) {
  const OrderedJson json = parse_json<OrderedJson>(run.names);
  Names names{list_in(json, "variables"), {"objective"}, {}};
  if (json.is_object() && json.contains("values") && json["values"].is_array())
    for (const OrderedJson& list : json["values"]) {
      names.values.emplace_back();
      if (!list.is_array()) continue;
      for (const OrderedJson& entry : list)
        names.values.back().push_back(entry.is_string() ? entry.get<std::string>() : std::string("?"));
    }
  for (const char* key : {"constraints", "equalities"})
    for (auto& name : list_in(json, key)) names.functions.push_back(std::move(name));
  if (names.variables.empty() && run.dimension <= Store::x_limit)
    for (std::int64_t i = 0; i < run.dimension; ++i) names.variables.push_back(fmt::format("x{}", i));
  return names;
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }

void cells(std::string& line, const std::vector<double>& values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    line += ',';
    if (i < values.size()) line += csv_number(values[i]);
  }
}

void point_cells(std::string& line, const Names& names, const std::vector<double>& x, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    line += ',';
    if (i >= x.size()) continue;
    const std::string* text = names.text(i, x[i]);
    line += text ? csv_cell(*text) : csv_number(x[i]);
  }
}

OrderedJson json_or_null(const std::string& text) {
  OrderedJson json = parse_json<OrderedJson>(text);
  return json.is_discarded() ? OrderedJson(nullptr) : json;
}

OrderedJson point(const Names& names, const RunRow& run, const std::vector<double>& x) {
  if (x.empty()) return nullptr;
  const bool named = !list_in(json_or_null(run.names), "variables").empty() && names.variables.size() == x.size();
  if (!named) return x;
  OrderedJson json = OrderedJson::object();
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (const std::string* text = names.text(i, x[i])) json[names.variables[i]] = *text;
    else if (!std::isnan(x[i])) json[names.variables[i]] = x[i];  // what does not apply is left out
  }
  return json;
}

std::string text_of(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

bool has_errors(Store& store, std::int64_t run) {
  sqlite::Statement query(store.connection(),
                          "SELECT count(*) FROM answers WHERE run = ? AND (se IS NOT NULL OR count != 1)");
  query.bind(0, run);
  return query.step() && query.integer(0) > 0;
}

}  // namespace

void export_csv(Store& store, const RunRow& run, const Print& print) {
  const Names names = names_of(run);
  const std::size_t coordinates = run.dimension <= Store::x_limit ? names.variables.size() : 0;
  std::string head = "number";
  for (std::size_t i = 0; i < coordinates; ++i) head += ',' + csv_cell(names.variables[i]);
  for (const auto& name : names.functions) head += ',' + csv_cell(name);
  // Only where there are any: most evaluators do not say how sure they are.
  const bool errors = has_errors(store, run.id);
  if (errors) {
    for (const auto& name : names.functions) head += ',' + csv_cell(name + "_se");
    head += ",n";
  }
  print(head + ",failure,seed,seconds,worker,attempts,exit_code,signal,carried,error_output\n");
  store.each_answer(run.id, [&](const StoredAnswer& a) {
    std::string line = std::to_string(a.number);
    point_cells(line, names, a.x, coordinates);
    cells(line, a.answer.values, names.functions.size());
    if (errors) {
      cells(line, a.answer.se, names.functions.size());
      line += ',' + std::to_string(a.count);
    }
    fmt::format_to(std::back_inserter(line), ",{},{},{},{},{},{},{},{},{}\n", csv_cell(a.answer.failure), a.noise,
                   a.how.seconds, a.how.worker, a.how.attempts, a.how.exit_code, a.how.signal, a.carried ? 1 : 0,
                   csv_cell(a.how.error_output));
    print(line);
  });
}

void export_json(Store& store, const RunRow& run, const Print& print) {
  const Names names = names_of(run);
  OrderedJson head{{"run", run.id},
                   {"name", run.name},
                   {"solver", run.solver},
                   {"seed", run.seed},
                   {"budget", run.budget},
                   {"status", run.status},
                   {"version", run.version},
                   {"started", run.started},
                   {"problem", json_or_null(run.identity)},
                   {"names", json_or_null(run.names)},
                   {"result", json_or_null(run.result)}};
  head["finished"] = run.finished.empty() ? OrderedJson(nullptr) : OrderedJson(run.finished);
  head["continues"] = run.continues > 0 ? OrderedJson(run.continues) : OrderedJson(nullptr);
  std::string text = text_of(head);
  text.pop_back();  // the closing brace: two lists follow, row by row, so that memory stays small
  print(text + ",\"answers\":[");
  bool first = true;
  store.each_answer(run.id, [&](const StoredAnswer& a) {
    OrderedJson row{{"number", a.number}, {"x", point(names, run, a.x)}, {"seed", a.noise}};
    if (a.answer.failed()) {
      row["failure"] = a.answer.failure;
      row["exit_code"] = a.how.exit_code;
      row["signal"] = a.how.signal;
      row["error_output"] = a.how.error_output;
    } else {
      row["values"] = a.answer.values;
      if (!a.answer.se.empty()) row["se"] = a.answer.se;
      if (a.count != 1) row["n"] = a.count;
    }
    row["seconds"] = a.how.seconds;
    row["worker"] = a.how.worker;
    row["attempts"] = a.how.attempts;
    if (a.carried) row["carried"] = true;
    print((first ? "\n" : ",\n") + text_of(row));
    first = false;
  });
  print("],\"trace\":[");
  first = true;
  store.each_trace(run.id, [&](const StoredTrace& t) {
    const OrderedJson row{{"evaluations", t.evaluations},
                          {"x", point(names, run, t.x)},
                          {"multipliers", t.multipliers},
                          {"figures", json_or_null(t.figures)}};
    print((first ? "\n" : ",\n") + text_of(row));
    first = false;
  });
  print("]}\n");
}

}  // namespace zeroth
