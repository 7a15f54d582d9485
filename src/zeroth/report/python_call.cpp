// SPDX-License-Identifier: MIT
// The call that makes a run of the Python module again, from the declaration and the keywords in its row.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <regex>
#include <set>

#include "zeroth/core/error.hpp"
#include "zeroth/problem_file/document.hpp"
#include "zeroth/report/page_json.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth::page_parts {
namespace {

const std::string left_to_the_reader = "...,  # as it was given";

std::string python_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return out + "\"";
}

std::string python_number(double v) {
  if (std::isnan(v)) return "float(\"nan\")";
  if (std::isinf(v)) return v > 0 ? "float(\"inf\")" : "-float(\"inf\")";
  return fmt::format("{}", v);
}

std::string joined_with(const std::vector<std::string>& parts, char open, char close) {
  return open + fmt::format("{}", fmt::join(parts, ", ")) + close;
}

struct AsPython {
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(std::int64_t i) const { return std::to_string(i); }
  std::string operator()(double d) const { return python_number(d); }
  std::string operator()(const std::string& s) const { return python_text(s); }
  std::string operator()(const std::vector<double>& list) const {
    std::vector<std::string> parts;
    for (const double v : list) parts.push_back(python_number(v));
    return joined_with(parts, '[', ']');
  }
  std::string operator()(const std::vector<std::string>& list) const {
    std::vector<std::string> parts;
    for (const std::string& s : list) parts.push_back(python_text(s));
    return joined_with(parts, '[', ']');
  }
};

std::string python_value(const DocumentEntry& entry) { return std::visit(AsPython{}, entry.value); }
std::string value_or_none(const Section& section, const char* key) {
  const DocumentEntry* entry = section.find(key);
  return entry ? python_value(*entry) : "None";
}

std::string python_dict(const Section& section) {
  std::vector<std::string> parts;
  for (const auto& [key, entry] : section.entries) parts.push_back(python_text(key) + ": " + python_value(entry));
  return joined_with(parts, '{', '}');
}

// A value that the declaration has as a text: numbers, True, False and None were most likely no texts.
std::string python_choice(const std::string& text) {
  if (text == "True" || text == "False" || text == "None") return text;
  // As Python writes them: 3, -0.5, 1e-05; what it would write in another way was a text.
  static const std::regex number(R"(-?(0|[1-9]\d*)(\.\d+)?(e[+-]\d+)?)");
  if (std::regex_match(text, number)) return text;
  return python_text(text);
}

class Call {
 public:
  explicit Call(std::string head) : text_(std::move(head) + "(\n") {}
  void positional(const std::string& text) { text_ += "    " + text + "\n"; }
  void keyword(const std::string& name, const std::string& value) { text_ += fmt::format("    {}={},\n", name, value); }
  std::string end() const { return text_ + ")"; }

 private:
  std::string text_;
};

// A [[variable]] each: keywords by name where they say something.
void declare_named_variables(const std::vector<const Section*>& variables, Call& call) {
  std::vector<std::string> bounds;
  std::map<std::string, std::vector<std::string>> by_name;
  for (const Section* v : variables) {
    const std::string name = python_text(text_at(*v, "name").value_or(""));
    if (const auto values = texts_at(*v, "values")) {
      std::vector<std::string> parts;
      for (const std::string& text : *values) parts.push_back(python_choice(text));
      bounds.push_back(name + ": " + joined_with(parts, '[', ']'));
    } else {
      bounds.push_back(fmt::format("{}: ({}, {})", name, value_or_none(*v, "lower"), value_or_none(*v, "upper")));
    }
    const std::string usual = v->find("values") ? "categorical" : "real";
    for (const char* key : {"type", "scale", "start", "spread", "when"}) {
      const DocumentEntry* entry = v->find(key);
      if (!entry) continue;
      const std::string value = python_value(*entry);
      if (value == python_text(usual) || value == python_text("linear")) continue;
      by_name[key].push_back(name + ": " + value);
    }
  }
  call.keyword("bounds", joined_with(bounds, '{', '}'));
  for (const auto& [key, parts] : by_name) call.keyword(key, joined_with(parts, '{', '}'));
}

void declare_alike_variables(const Section& v, Call& call) {
  constexpr std::int64_t most = 100;
  const std::int64_t count = whole_at(v, "count").value_or(1);
  const auto entry = [&](const char* key) { return v.find(key); };
  const auto is_list = [](const DocumentEntry* e) {
    return e != nullptr && std::holds_alternative<std::vector<double>>(e->value);
  };
  if (!is_list(entry("lower")) && !is_list(entry("upper"))) {
    call.keyword("bounds", fmt::format("[({}, {})] * {}", value_or_none(v, "lower"), value_or_none(v, "upper"), count));
  } else if (count > most) {
    call.positional("bounds=" + left_to_the_reader);
  } else {
    std::vector<std::string> pairs;
    const auto at = [&](const char* key, std::int64_t i) {
      const DocumentEntry* e = entry(key);
      if (!is_list(e)) return value_or_none(v, key);
      return python_number(std::get<std::vector<double>>(e->value)[static_cast<std::size_t>(i)]);
    };
    for (std::int64_t i = 0; i < count; ++i) pairs.push_back(fmt::format("({}, {})", at("lower", i), at("upper", i)));
    call.keyword("bounds", joined_with(pairs, '[', ']'));
  }
  for (const char* key : {"type", "scale", "start", "spread"}) {
    const std::string value = value_or_none(v, key);
    if (value != "None" && value != "\"real\"" && value != "\"linear\"") call.keyword(key, value);
  }
}

// [[linear]], which came from scipy's LinearConstraint.
std::string linear_constraint(const Section& row) {
  const auto end = [&](const char* key, const char* none) {
    const DocumentEntry* e = row.find(key);
    return e ? python_value(*e) : std::string(none);
  };
  return fmt::format("scipy.optimize.LinearConstraint({}, {}, {})", end("coefficients", "[]"),
                     end("lower", "-float(\"inf\")"), end("upper", "float(\"inf\")"));
}

void declare_limits(const Document& document, const Section& problem, Call& call) {
  std::vector<std::string> linear, known, sets;
  for (const std::string& text : texts_at(problem, "linear").value_or(std::vector<std::string>{}))
    linear.push_back(python_text(text));
  for (const Section* row : document.all("linear")) linear.push_back(linear_constraint(*row));
  for (const std::string& text : texts_at(problem, "known").value_or(std::vector<std::string>{}))
    known.push_back(python_text(text));
  for (const std::string& name : texts_at(problem, "known_functions").value_or(std::vector<std::string>{}))
    known.push_back(name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1));
  for (const Section* set : document.all("set")) sets.push_back(python_dict(*set));
  if (!linear.empty()) call.keyword("linear", joined_with(linear, '[', ']'));
  if (!known.empty()) call.keyword("known", joined_with(known, '[', ']'));
  if (!sets.empty()) call.keyword("set", joined_with(sets, '[', ']'));
}

void declare_problem(const Document& document, const Section& problem, Call& call) {
  const auto variables = document.all("variable");
  if (!variables.empty()) declare_named_variables(variables, call);
  else if (const Section* alike = document.find("variables")) declare_alike_variables(*alike, call);
  for (const char* key : {"objective", "constraints", "equalities", "equality_tolerance", "direction", "common_noise",
                          "timeout", "retries", "seed_bits"}) {
    const std::string value = value_or_none(problem, key);
    // What a call that does not speak of it means, too.
    static const std::set<std::string> unsaid{"None", "0", "[]", "False", "\"minimize\""};
    if (!unsaid.contains(value)) call.keyword(key, value);
  }
  declare_limits(document, problem, call);
  if (const Section* cost = document.find("cost")) call.keyword("cost", python_dict(*cost));
  if (const Section* constants = document.find("constants")) call.keyword("constants", python_dict(*constants));
}

// The points to try first, which are kept as one list of numbers.
std::string python_points(const Document& document, const DocumentEntry& entry) {
  constexpr std::size_t most = 200;
  const auto* flat = std::get_if<std::vector<double>>(&entry.value);
  const auto variables = document.all("variable");
  const Section* const alike = document.find("variables");
  const std::size_t n = !variables.empty()
                            ? variables.size()
                            : static_cast<std::size_t>(alike ? whole_at(*alike, "count").value_or(0) : 0);
  const bool texts = std::ranges::any_of(variables, [](const Section* v) { return v->find("values") != nullptr; });
  if (!flat || flat->size() > most || n == 0 || texts || flat->size() % n != 0) return "";
  std::vector<std::string> rows;
  for (std::size_t k = 0; k < flat->size(); k += n)
    rows.push_back(AsPython{}(std::vector<double>(flat->begin() + static_cast<std::ptrdiff_t>(k),
                                                  flat->begin() + static_cast<std::ptrdiff_t>(k + n))));
  return joined_with(rows, '[', ']');
}

// Keywords of the call that are no part of the declaration.
void give_keywords(const Document& document, const RunRow& row, Call& call) {
  Document given;
  for (const auto& [option, assignment] : source_of(row).overrides) override_entry(given, assignment, option);
  if (const Section* solver = given.find("solver")) {
    // Names that mean something else in the call have their own place there.
    static const std::set<std::string> taken{"start", "set",    "scale", "type",  "names",     "spread", "known",
                                             "cost",  "points", "stop",  "store", "objective", "when",   "progress"};
    Section apart;
    for (const auto& [key, entry] : solver->entries) {
      if (taken.contains(key)) apart.entries.emplace(key, entry);
      else call.keyword(key == "name" ? "solver" : key, python_value(entry));
    }
    if (!apart.entries.empty()) call.keyword("solver_options", python_dict(apart));
  }
  if (const Section* problem = given.find("problem")) {
    for (const auto& [key, entry] : problem->entries) {
      const std::string points = key == "points" ? python_points(document, entry) : "";
      if (points.empty()) call.positional(key + "=" + left_to_the_reader);
      else call.keyword(key, points);
    }
  }
  if (const Section* stop = given.find("stop")) call.keyword("stop", python_dict(*stop));
}

// The function by the name that it has where it is defined.
std::string function_word(const std::string& name) {
  const std::string last = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
  const bool word = !last.empty() && std::isdigit(static_cast<unsigned char>(last[0])) == 0 &&
                    std::ranges::all_of(last, [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
  return word ? last : "fun";
}

std::string call_of(const RunRow& row, const Document& document) {
  const Section* const problem = document.find("problem");
  if (!problem) throw Error("there is no [problem]");
  if (const auto builtin = text_at(*problem, "builtin")) {
    std::vector<std::string> parts{python_text(*builtin)};
    for (const auto& [key, entry] : problem->entries)
      if (key != "builtin") parts.push_back(key + "=" + python_value(entry));
    Call call("zeroth.Problem.builtin" + joined_with(parts, '(', ')') + ".minimize");
    give_keywords(document, row, call);
    return call.end();
  }
  const std::string name = text_at(*problem, "name").value_or(row.name), function = function_word(name);
  Call call("zeroth.minimize");
  call.positional(function + ",  # the function");
  declare_problem(document, *problem, call);
  if (function != name) call.keyword("name", python_text(name));
  give_keywords(document, row, call);
  return call.end();
}

}  // namespace

std::string python_call(const RunRow& row) {
  try {
    return call_of(row, parse_document(row.document, row.file));
  } catch (const Error& e) {
    return fmt::format("# The declaration in the store cannot be read: {}", one_line(e.what()));
  }
}

}  // namespace zeroth::page_parts
