// SPDX-License-Identifier: MIT
#include "zeroth/adapters/condition.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth {
namespace {

constexpr std::size_t longest_condition = 2000;
constexpr int deepest_condition = 50;
constexpr const char* condition_forms =
    "write such as \"kernel == 'poly'\" or \"layers >= 2 and kernel in ('rbf', 'poly')\"; there are ==, !=, <, <=, >, "
    ">=, in, and, or, not and ( )";

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool Condition::holds(std::span<const double> x, std::size_t k) const {
  const Node& node = nodes_[k];
  switch (node.op) {
    case Op::both:
      return holds(x, node.first) && holds(x, node.second);
    case Op::either:
      return holds(x, node.first) || holds(x, node.second);
    case Op::negated:
      return !holds(x, node.first);
    default:
      break;
  }
  const double v = x[static_cast<std::size_t>(node.variable)], number = node.numbers.front();
  if (std::isnan(v)) return false;
  switch (node.op) {
    case Op::equal:
      return std::ranges::find(node.numbers, v) != node.numbers.end();
    case Op::different:
      return v != number;
    case Op::below:
      return v < number;
    case Op::at_most:
      return v <= number;
    case Op::above:
      return v > number;
    default:
      return v >= number;
  }
}

std::vector<Index> Condition::mentioned() const {
  std::vector<Index> list;
  for (const Node& node : nodes_)
    if (!node.numbers.empty() && std::ranges::find(list, node.variable) == list.end()) list.push_back(node.variable);
  return list;
}

class ConditionReader {
 public:
  ConditionReader(const std::string& text, const ConditionNames& names, const std::string& where)
      : text_(text), rest_(text), names_(names), where_(where) {
    if (text.size() > longest_condition) refuse(fmt::format("it is longer than {} characters", longest_condition));
  }

  Condition read() {
    either(0);
    skip();
    if (!rest_.empty()) refuse(fmt::format("'{}' is left over", rest_));
    return std::move(out_);
  }

 private:
  using Op = Condition::Op;
  using Node = Condition::Node;

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(where_, fmt::format("'when' is \"{}\", which cannot be read: {}; {}", text_.substr(0, 200), why,
                                    condition_forms));
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
  bool take_word(std::string_view word) {
    skip();
    if (!rest_.starts_with(word) || (rest_.size() > word.size() && name_character(rest_[word.size()]))) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::size_t add(Node node) {
    out_.nodes_.push_back(std::move(node));
    return out_.nodes_.size() - 1;
  }

  std::size_t either(int depth) {
    if (depth > deepest_condition) refuse("it is nested too deeply");
    std::size_t left = both(depth);
    while (take_word("or")) {
      const std::size_t right = both(depth);
      left = add({Op::either, 0, {}, left, right});
    }
    return left;
  }
  std::size_t both(int depth) {
    std::size_t left = part(depth);
    while (take_word("and")) {
      const std::size_t right = part(depth);
      left = add({Op::both, 0, {}, left, right});
    }
    return left;
  }
  std::size_t part(int depth) {
    if (depth > deepest_condition) refuse("it is nested too deeply");
    if (take_word("not")) {
      const std::size_t inner = part(depth + 1);
      return add({Op::negated, 0, {}, inner, inner});
    }
    if (take("(")) {
      const std::size_t inner = either(depth + 1);
      if (!take(")")) refuse(fmt::format("')' is missing before '{}'", rest_));
      return inner;
    }
    return comparison();
  }

  std::size_t comparison() {
    const Index i = variable();
    if (take_word("in")) {
      const std::string_view end = take("(") ? ")" : take("[") ? "]" : "";
      if (end.empty()) refuse(fmt::format("'(' is missing after 'in' before '{}'", rest_));
      Node node{Op::equal, i, {}};
      do node.numbers.push_back(literal(i));
      while (take(","));
      if (!take(end)) refuse(fmt::format("'{}' is missing before '{}'", end, rest_));
      return add(std::move(node));
    }
    const Op op = take("==")   ? Op::equal
                  : take("!=") ? Op::different
                  : take("<=") ? Op::at_most
                  : take(">=") ? Op::at_least
                  : take("<")  ? Op::below
                  : take(">")  ? Op::above
                  : take("=")  ? Op::equal
                               : Op::negated;
    const std::string& name = (*names_.names)[static_cast<std::size_t>(i)];
    if (op == Op::negated) refuse(fmt::format("== is missing after '{}'", name));
    if (op != Op::equal && op != Op::different && !names_.ordered(i))
      refuse(fmt::format("the values of '{}' have no order", name));
    return add({op, i, {literal(i)}});
  }

  // The longest declared name that stands here.
  Index variable() {
    skip();
    Index best = -1;
    std::size_t length = 0;
    for (std::size_t k = 0; k < names_.names->size(); ++k) {
      const std::string& name = (*names_.names)[k];
      const bool ends =
          rest_.size() <= name.size() || !name_character(rest_[name.size()]) || !name_character(name.back());
      if (name.size() > length && rest_.starts_with(name) && ends) {
        best = static_cast<Index>(k);
        length = name.size();
      }
    }
    if (best < 0) {
      std::size_t end = 0;
      while (end < rest_.size() && name_character(rest_[end])) ++end;
      const std::string found(rest_.substr(0, end));
      const std::string near = nearest_name(found, *names_.names);
      refuse(found.empty() ? fmt::format("the name of a variable is missing before '{}'", rest_)
                           : fmt::format("there is no variable '{}'{}", found,
                                         near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
    }
    rest_.remove_prefix(length);
    return best;
  }

  double literal(Index i) {
    const auto k = static_cast<std::size_t>(i);
    const std::vector<std::string>& values = (*names_.values)[k];
    skip();
    if (values.empty()) return number();
    std::string found;
    if (!rest_.empty() && (rest_.front() == '\'' || rest_.front() == '"')) {
      const auto end = rest_.find(rest_.front(), 1);
      if (end == std::string_view::npos) refuse(fmt::format("the quote before {} is not closed", rest_));
      found = rest_.substr(1, end - 1);
      rest_.remove_prefix(end + 1);
    } else {  // a number, or a word without its quotes
      std::size_t end = 0;
      while (end < rest_.size() && (name_character(rest_[end]) || rest_[end] == '.' || rest_[end] == '-')) ++end;
      found = rest_.substr(0, end);
      rest_.remove_prefix(end);
    }
    const auto place = std::ranges::find(values, found);
    if (place == values.end()) {
      const std::string near = nearest_name(found, values);
      refuse(fmt::format(
          "'{}' is not a value of '{}'; {}", found, (*names_.names)[k],
          near.empty() ? fmt::format("it has: {}", fmt::join(values, ", ")) : fmt::format("did you mean '{}'?", near)));
    }
    return static_cast<double>(place - values.begin());
  }
  double number() {
    if (!rest_.empty() && rest_.front() == '+') rest_.remove_prefix(1);
    double value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc() || !std::isfinite(value)) refuse(fmt::format("'{}' does not begin with a number", rest_));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  const std::string& text_;
  std::string_view rest_;
  const ConditionNames& names_;
  const std::string& where_;
  Condition out_;
};

std::optional<std::vector<Index>> order_of(const std::vector<Condition>& when) {
  std::vector<Index> order;
  std::vector<bool> settled(when.size(), false);
  std::size_t left = 0;
  for (std::size_t i = 0; i < when.size(); ++i) {
    settled[i] = when[i].empty();
    left += !settled[i];
  }
  while (left > 0) {
    const std::size_t before = left;
    for (std::size_t i = 0; i < when.size(); ++i) {
      const auto mentioned = when[i].mentioned();
      if (settled[i] || !std::ranges::all_of(mentioned, [&](Index k) { return settled[static_cast<std::size_t>(k)]; }))
        continue;
      settled[i] = true;
      order.push_back(static_cast<Index>(i));
      --left;
    }
    if (left == before) return {};
  }
  return order;
}

Condition read_condition(const std::string& text, const ConditionNames& names, const std::string& where) {
  return ConditionReader(text, names, where).read();
}

}  // namespace zeroth
