// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Arithmetic over the problem's variables, read once and computed often: + - * / ^ ( ) and sqrt, exp, log, abs, min,
// max.
class Expression {
 public:
  double operator()(std::span<const double> variables) const;

  // constant + <coefficients, x>, if that is what it is.
  struct Affine {
    double constant = 0;
    Vector coefficients;
  };
  std::optional<Affine> affine(Index variables) const;
  std::vector<Index> mentioned() const;  // variables, in order, each once

 private:
  friend class ExpressionReader;
  enum class Op : std::uint8_t {
    number,
    variable,
    add,
    subtract,
    multiply,
    divide,
    power,
    negate,
    square_root,
    exponential,
    logarithm,
    absolute,
    smaller,
    larger
  };
  struct Step {
    Op op;
    double number = 0;
    Index variable = 0;
  };
  static double combine(Op op, double a, double b);
  std::vector<Step> steps_;  // in reverse Polish order
  std::size_t depth_ = 0;    // of the stack
};

// One comparison: excess <= 0, or excess = 0.
struct Relation {
  std::string text;  // as it was written
  Expression excess;
  bool equality = false;
};

// "x1 + x2 <= 10", "x1 <= 2*x2", "0 <= a - b <= 1" (two of them), "a + b + c = 1". Variables without names are x[0],
// x[1], ... Throws an Error at `where` that names the text, what does not fit and what would.
std::vector<Relation> read_relations(const std::string& text, const std::vector<std::string>& names, Index count,
                                     const std::string& where);

}  // namespace zeroth
