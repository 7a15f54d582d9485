// SPDX-License-Identifier: MIT
#include "zeroth/run/declared.hpp"

#include <cmath>

namespace zeroth {
namespace {

// The text before the relation that stands outside all brackets.
std::string left_side(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && (text[i] == '<' || text[i] == '>')) {
      const auto end = text.find_last_not_of(" \t", i - 1);
      return i == 0 || end == std::string::npos ? text : text.substr(0, end + 1);
    }
  }
  return text;
}

bool plain(const Statement* s) { return !s || s->text == s->about; }

}  // namespace

Declared declaration(const std::string& name, const Statement* s) {
  Declared d;
  d.what = name;
  if (plain(s)) return d;
  d.what = left_side(s->text);
  const bool probability = s->kind == Statement::Kind::probability;
  d.limit = probability ? s->level : s->limit;
  d.relation = (probability ? s->about_bad : s->bad_above) ? "<=" : ">=";
  return d;
}

double in_declared_units(double value, const Statement* s) {
  if (plain(s)) return value;
  switch (s->kind) {
    case Statement::Kind::mean:
      return s->bad_above ? s->limit + value : s->limit - value;
    case Statement::Kind::probability:
      return s->about_bad ? value + s->share : 1 - (value + s->share);
    case Statement::Kind::quantile:
      return 1 - (value + s->share);
    case Statement::Kind::cvar:
      break;
  }
  return std::nan("");
}

Declared declared(const ConstraintResult& result, const Statement* s) {
  Declared d = declaration(result.name, s);
  if (result.chance) {
    d.estimate = result.chance->estimate;
    d.interval = {result.chance->lower, result.chance->upper};
    return d;
  }
  d.estimate = in_declared_units(result.value.mean, s);
  d.se = result.value.se;
  d.interval = {in_declared_units(result.interval.low, s), in_declared_units(result.interval.high, s)};
  if (d.interval.low > d.interval.high) std::swap(d.interval.low, d.interval.high);
  return d;
}

}  // namespace zeroth
