// SPDX-License-Identifier: MIT
// The answer as the page shows it, and what is declared of each function.
#include <algorithm>

#include "zeroth/report/page_json.hpp"
#include "zeroth/run/declared.hpp"

namespace zeroth::page_parts {
namespace {

// One entry for each variable: a number, that of a text among the variable's values, or null where it does not apply.
OrderedJson by_variable(const OrderedJson& x, const std::vector<VariableInfo>& variables) {
  OrderedJson list = OrderedJson::array();
  for (const VariableInfo& v : variables) {
    const auto found = x.find(v.name);
    OrderedJson entry = found == x.end() ? OrderedJson(nullptr) : *found;
    if (!v.values.empty() && !entry.is_null()) {
      const std::string text = entry.is_string() ? entry.get<std::string>() : entry.dump();
      const auto place = std::ranges::find(v.values, text);
      entry = place == v.values.end() ? OrderedJson(nullptr) : OrderedJson(place - v.values.begin());
    }
    list.push_back(std::move(entry));
  }
  return list;
}

OrderedJson estimate_json(const Estimate& e, std::int64_t evaluated) {
  const double half = half_width_95(e.se, evaluated);
  return {{"mean", exact(e.mean)}, {"se", exact(e.se)}, {"low", exact(e.mean - half)}, {"high", exact(e.mean + half)}};
}

// What the result says of function i: the inequalities first, then the equalities (which old results do not name).
const OrderedJson* checked_entry(const OrderedJson& result, std::size_t i, std::size_t constraints) {
  const char* group = i <= constraints ? "constraints" : "equalities";
  const std::size_t k = i <= constraints ? i - 1 : i - 1 - constraints;
  return result.contains(group) && k < result[group].size() ? &result[group][k] : nullptr;
}

// The interval that the result itself states, if it does: the one that the command line prints.
void take_interval(const OrderedJson& entry, OrderedJson& estimate) {
  const auto found = entry.find("interval");
  if (found == entry.end() || !found->is_array() || found->size() != 2) return;
  estimate["low"] = (*found)[0];
  estimate["high"] = (*found)[1];
}

const char* kind_of(const Statement* s) {
  if (!s || s->text == s->about) return "plain";
  switch (s->kind) {
    case Statement::Kind::probability:
      return "probability";
    case Statement::Kind::quantile:
      return "quantile";
    case Statement::Kind::cvar:
      return "cvar";
    case Statement::Kind::mean:
      break;
  }
  return "mean";
}

OrderedJson declaration_json(const RunHistory& h, std::size_t i) {
  const Statement* s = h.statement(i);
  const Declared d = declaration(h.functions()[i], s);
  return {{"name", h.functions()[i]}, {"index", i},     {"equality", i > h.constraints()},
          {"kind", kind_of(s)},       {"what", d.what}, {"relation", d.relation},
          {"limit", exact(d.limit)}};
}

// Function i as it was declared: what fresh evaluations say of it, or else the search's own.
OrderedJson declared_estimate(const RunHistory& h, std::size_t i, const Estimate& value, std::int64_t evaluated,
                              const OrderedJson* checked) {
  const Statement* s = h.statement(i);
  OrderedJson f = declaration_json(h, i);
  f.update(estimate_json(value, evaluated));
  const auto in_units = [&](const char* key) {
    if (f[key].is_number()) f[key] = exact(in_declared_units(f[key].get<double>(), s));
  };
  if (s) {
    for (const char* key : {"mean", "low", "high"}) in_units(key);
    if (f["low"].is_number() && f["high"].is_number() && f["low"] > f["high"]) std::swap(f["low"], f["high"]);
    if (f["kind"] == "quantile") f["mean"] = f["low"] = f["high"] = nullptr;  // those were of a probability
  }
  if (!checked) return f;
  if (checked->contains("declared") && (*checked)["declared"].is_object()) {
    const OrderedJson& d = (*checked)["declared"];
    f["mean"] = d.value("estimate", OrderedJson(nullptr));
    take_interval(d, f);
  } else if (const std::string kind = f["kind"]; checked->contains(kind) && (*checked)[kind].is_object()) {
    const OrderedJson& chance = (*checked)[kind];  // a result of a version that stated no declaration
    f["mean"] = chance.value("estimate", OrderedJson(nullptr));
    f["low"] = chance.value("lower", OrderedJson(nullptr));
    f["high"] = chance.value("upper", OrderedJson(nullptr));
  } else if (!s && i <= h.constraints()) {
    take_interval(*checked, f);
  }
  return f;
}

}  // namespace

OrderedJson function_json(const RunHistory& h, std::size_t i) {
  OrderedJson f = declaration_json(h, i);
  const Statement* s = h.statement(i);
  if (!s || s->text == s->about) return f;
  f["about"] = s->about;                         // what an evaluation returns
  f["line"] = exact(s->limit);                   // and what it is compared with
  f["side"] = s->bad_above ? "above" : "below";  // where it is bad
  if (s->kind == Statement::Kind::quantile) {    // its path is that of the probability it is about
    f["path"] = {{"what", fmt::format("probability({} {} {:.6g})", s->about, s->bad_above ? "<=" : ">=", s->limit)},
                 {"relation", ">="},
                 {"limit", exact(1 - s->share)}};
  }
  return f;
}

OrderedJson answer_json(const ReportedRun& run) {
  const RunHistory& h = run.history;
  const OrderedJson result = parsed(h.row().result);
  OrderedJson json;
  json["x"] = OrderedJson::array();
  if (!h.trace().empty())
    for (const double v : h.trace().back().x) json["x"].push_back(exact(v));
  json["checked"] = run.finished();
  json["evaluated"] = 0;
  const auto& points = run.path.points();
  if (points.empty()) return json;
  const PathPoint& last = points.back();
  json["after"] = last.evaluations;
  std::int64_t evaluated = 0;
  if (run.finished()) {
    if (result.contains("replicates")) evaluated = result["replicates"].get<std::int64_t>();
    if (result.contains("x") && h.row().dimension <= Store::x_limit) {
      json["x"] = OrderedJson::array();
      if (result["x"].is_object()) json["x"] = by_variable(result["x"], h.variables());
      else
        for (const auto& [name, value] : result["x"].items()) json["x"].push_back(value);
    }
  }
  json["evaluated"] = evaluated;
  json["objective"] = estimate_json(last.values[0], evaluated);
  if (run.finished() && result.contains("objective")) take_interval(result["objective"], json["objective"]);
  json["functions"] = OrderedJson::array();
  double missing = 0;
  for (std::size_t i = 1; i < last.values.size(); ++i) {
    const OrderedJson* const found = run.finished() ? checked_entry(result, i, h.constraints()) : nullptr;
    OrderedJson f = declared_estimate(h, i, last.values[i], evaluated, found);
    double multiplier = std::nan(""), multiplier_se = std::nan("");
    if (found) {
      const OrderedJson& c = *found;
      if (c.contains("tolerance")) f["tolerance"] = c["tolerance"];
      f["probability"] = c.value("probability_feasible", OrderedJson(nullptr));
      if (c.contains("multiplier") && c["multiplier"].is_number()) multiplier = c["multiplier"].get<double>();
      if (c.contains("multiplier_se") && c["multiplier_se"].is_number())
        multiplier_se = c["multiplier_se"].get<double>();
      missing += f["probability"].is_number() ? 1 - f["probability"].get<double>() : 1;
    } else if (!h.trace().empty() && i <= h.trace().back().multipliers.size()) {
      multiplier = h.trace().back().multipliers[i - 1];
    }
    f["multiplier"] = exact(multiplier);
    f["multiplier_half"] = exact(half_width_95(multiplier_se, 0));
    json["functions"].push_back(f);
  }
  // Evaluations of the constraints share their noise, so only Bonferroni's lower bound holds for all of them together.
  if (run.finished() && (h.constraints() > 0 || result.contains("equalities")))
    json["probability"] = std::max(0.0, 1 - missing);
  return json;
}

}  // namespace zeroth::page_parts
