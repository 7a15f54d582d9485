// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Where a variable applies: "kernel == 'poly'", "layers >= 2 and optimizer != 'sgd'", "kernel in ('rbf', 'poly')";
// with and, or, not and parentheses. A comparison with a variable that does not apply itself is false.
class Condition {
 public:
  bool empty() const { return nodes_.empty(); }  // it always applies
  // In the user's units; a category is the number of its text. NaN: a variable that does not apply.
  bool holds(std::span<const double> user_x) const { return nodes_.empty() || holds(user_x, nodes_.size() - 1); }
  std::vector<Index> mentioned() const;

 private:
  friend class ConditionReader;
  enum class Op : std::uint8_t { equal, different, below, at_most, above, at_least, both, either, negated };
  struct Node {
    Op op = Op::equal;
    Index variable = 0;
    std::vector<double> numbers;        // of a comparison; several: one of them (in)
    std::size_t first = 0, second = 0;  // parts of and, or, not
  };
  bool holds(std::span<const double> user_x, std::size_t node) const;
  std::vector<Node> nodes_;  // parts before the whole
};

// What a condition may speak of.
struct ConditionNames {
  const std::vector<std::string>* names = nullptr;
  const std::vector<std::vector<std::string>>* values = nullptr;  // of categorical and ordinal variables; else empty
  std::function<bool(Index)> ordered;  // whether the variable's values can be compared by size
};

// The conditional variables, each after those that its condition mentions; nothing if some mention each other in a
// circle.
std::optional<std::vector<Index>> order_of(const std::vector<Condition>& when);

// Throws an Error at `where` that names the text, what does not fit and what would.
Condition read_condition(const std::string& text, const ConditionNames& names, const std::string& where);

}  // namespace zeroth
