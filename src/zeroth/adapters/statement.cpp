// SPDX-License-Identifier: MIT
#include "zeroth/adapters/statement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth {
namespace {

constexpr const char* statement_forms =
    "write a name, 'mean(NAME) <= 3', 'probability(NAME <= 3) >= 0.95', 'quantile(NAME, 0.9) <= 3' or "
    "'cvar(NAME, 0.9) <= 3'";
constexpr const char* objective_forms = "write a name, 'mean(NAME)' or 'cvar(NAME, 0.9)'";

// Reads a statement from left to right; whatever does not fit is complained about with the whole of it.
class Reader {
 public:
  Reader(const std::string& text, const std::string& where, bool objective = false)
      : text_(text), rest_(text), where_(where), objective_(objective) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(where_, fmt::format("the {} '{}' cannot be read: {}; {}", objective_ ? "objective" : "constraint",
                                    text_, why, objective_ ? objective_forms : statement_forms));
  }
  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) refuse(fmt::format("'{}' is missing before '{}'", token, rest_));
  }
  std::string name(std::string_view ends) {
    skip();
    const auto end = std::min(rest_.find_first_of(ends), rest_.size());
    std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end);
    while (!found.empty() && (found.back() == ' ' || found.back() == '\t')) found.remove_suffix(1);
    if (found.empty()) refuse("the name of a value is missing");
    return std::string(found);
  }
  double number() {
    skip();
    if (!rest_.empty() && rest_.front() == '+') rest_.remove_prefix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc() || !std::isfinite(value)) refuse(fmt::format("'{}' does not begin with a number", rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  double share(const char* what) {
    const double value = number();
    if (!(value > 0 && value < 1)) refuse(fmt::format("{} is {}, but must lie between 0 and 1", what, value));
    return value;
  }
  struct Order {
    bool below, strict;
  };
  Order order() {
    if (take("<=")) return {true, false};
    if (take(">=")) return {false, false};
    if (take("<")) return {true, true};
    if (take(">")) return {false, true};
    refuse(fmt::format("<= or >= is missing before '{}'", rest_));
  }
  void end() {
    skip();
    if (!rest_.empty()) refuse(fmt::format("'{}' is left over", rest_));
  }

 private:
  const std::string& text_;
  std::string_view rest_;
  const std::string& where_;
  bool objective_;
};

void read_mean(Reader& in, Statement& s) {
  s.about = in.name(")");
  in.need(")");
  s.bad_above = in.order().below;
  s.limit = in.number();
}

void read_probability(Reader& in, Statement& s) {
  s.kind = Statement::Kind::probability;
  s.about = in.name("<>=)");
  const auto event = in.order();
  s.limit = in.number();
  in.need(")");
  s.about_bad = in.order().below;  // probability(event) <= level: the event is what should be rare
  s.level = in.share("the probability");
  s.share = s.about_bad ? s.level : 1 - s.level;
  s.bad_above = s.about_bad ? !event.below : event.below;
  s.limit_is_bad = s.about_bad ? !event.strict : event.strict;
}

// With quantile(q) = inf { t : P(v <= t) >= q }:  quantile <= b is P(v <= b) >= q;  quantile >= b is P(v < b) <= q.
void read_quantile(Reader& in, Statement& s) {
  s.kind = Statement::Kind::quantile;
  s.about = in.name(",)");
  in.need(",");
  s.level = in.share("the quantile's level");
  in.need(")");
  s.bad_above = in.order().below;
  s.limit = in.number();
  s.share = s.bad_above ? 1 - s.level : s.level;
}

void read_cvar_about(Reader& in, Statement& s) {
  s.kind = Statement::Kind::cvar;
  s.about = in.name(",)");
  in.need(",");
  s.level = in.share("the level of cvar");
  in.need(")");
  s.share = 1 - s.level;
}

void read_cvar(Reader& in, Statement& s) {
  read_cvar_about(in, s);
  s.bad_above = in.order().below;
  s.limit = in.number();
}

// Of what the solver minimises: large is bad.
Statement read_objective(const DeclaredObjective& declared) {
  Statement s;
  s.text = s.about = declared.text;
  s.about_objective = true;
  if (declared.text.find_first_of("()<>=") == std::string::npos) return s;
  Reader in(s.text, declared.where, true);
  const std::string kind = in.name("(<>=");
  in.need("(");
  if (kind == "cvar") {
    read_cvar_about(in, s);
  } else if (kind == "mean") {
    s.about = in.name(")");
    in.need(")");
  } else {
    in.refuse(fmt::format("there is no objective '{}(...)'", kind));
  }
  in.end();
  return s;
}

Statement read_statement(const std::string& text, const std::string& where) {
  Statement s;
  s.text = s.about = text;
  if (text.find_first_of("()<>=") == std::string::npos) return s;
  Reader in(text, where);
  const std::string kind = in.name("(<>=");
  in.need("(");
  if (kind == "mean") read_mean(in, s);
  else if (kind == "probability") read_probability(in, s);
  else if (kind == "quantile") read_quantile(in, s);
  else if (kind == "cvar") read_cvar(in, s);
  else in.refuse(fmt::format("there is no '{}(...)'", kind));
  in.end();
  return s;
}

}  // namespace

std::vector<double> Meaning::of(std::span<const double> measured) const {
  std::vector<double> stated;
  stated.reserve(1 + statements.size() + static_cast<std::size_t>(equalities));
  stated.push_back(measured[0]);
  for (const Statement& s : statements) stated.push_back(s.of(s.in(measured, maximize)));
  for (const double h : measured.subspan(1 + values.size())) stated.push_back(h);
  return stated;
}

std::optional<Meaning> read_meaning(const std::vector<std::string>& declared, Index equalities,
                                    const std::string& where, const std::vector<std::string>& known,
                                    const DeclaredObjective& objective) {
  Meaning meaning;
  meaning.values = known;
  meaning.equalities = equalities;
  meaning.maximize = objective.maximize;
  bool plain = known.empty();
  std::string objective_name;
  if (!objective.text.empty()) {
    Statement s = read_objective(objective);
    objective_name = s.about;
    plain = plain && !s.cvar();
    if (s.cvar()) meaning.objective = std::move(s);
  }
  for (const std::string& text : declared) {
    Statement s = read_statement(text, where);
    plain = plain && s.text == s.about;
    if (s.about == objective_name && std::ranges::find(known, s.about) == known.end()) {
      s.about_objective = true;
      plain = false;
      meaning.statements.push_back(std::move(s));
      continue;
    }
    auto place = std::ranges::find(meaning.values, s.about);
    if (place == meaning.values.end()) {
      if (!known.empty()) {
        const std::string near = nearest_name(s.about, known);
        throw Error(where, fmt::format("the constraint '{}' is about '{}', which is not measured; {}", text, s.about,
                                       near.empty() ? fmt::format("there are: {}", fmt::join(known, ", "))
                                                    : fmt::format("did you mean '{}'?", near)));
      }
      meaning.values.push_back(s.about);
      place = meaning.values.end() - 1;
    }
    s.value = static_cast<std::size_t>(place - meaning.values.begin());
    meaning.statements.push_back(std::move(s));
  }
  if (plain) return {};
  return meaning;
}

}  // namespace zeroth
