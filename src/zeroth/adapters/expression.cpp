// SPDX-License-Identifier: MIT
#include "zeroth/adapters/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "zeroth/core/error.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth {

namespace {

constexpr std::size_t longest_text = 100'000;
constexpr int deepest = 200;  // parentheses within parentheses
constexpr const char* forms =
    "write a comparison of variables with <=, >= or =, such as 'x1 + 2*x2 <= 10'; there are + - * / ^ ( ), sqrt, exp, "
    "log, abs, min and max";

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

class ExpressionReader {
 public:
  ExpressionReader(const std::string& text, const std::vector<std::string>& names, Index count,
                   const std::string& where)
      : text_(text), rest_(text), names_(names), count_(count), where_(where) {
    if (text.size() > longest_text) refuse(fmt::format("it is longer than {} characters", longest_text));
  }

  std::vector<Relation> relations() {
    std::vector<Relation> out;
    Expression left = sum();
    for (;;) {
      const auto order = comparison();
      if (!order) break;
      Expression right = sum();
      Relation r{text_, {}, *order == Order::equal};
      const Expression& high = *order == Order::above ? right : left;
      const Expression& low = *order == Order::above ? left : right;
      r.excess = joined(high, low, Expression::Op::subtract);
      out.push_back(std::move(r));
      left = std::move(right);
    }
    skip();
    if (!rest_.empty()) refuse(fmt::format("'{}' is left over", shown()));
    if (out.empty()) refuse("there is no <=, >= or = in it");
    return out;
  }

 private:
  using Op = Expression::Op;
  enum class Order : std::uint8_t { below, above, equal };

  [[noreturn]] void refuse(const std::string& why) const {
    const std::string text = text_.size() <= 200 ? text_ : text_.substr(0, 200) + "...";
    throw Error(where_, fmt::format("'{}' cannot be read: {}; {}", text, why, forms));
  }
  std::string shown() const { return std::string(rest_.substr(0, 40)); }
  void skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front()))) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) refuse(fmt::format("'{}' is missing before '{}'", token, shown()));
  }

  std::optional<Order> comparison() {
    if (take("<=")) return Order::below;
    if (take(">=")) return Order::above;
    if (take("==") || take("=")) return Order::equal;
    if (take("<")) return Order::below;
    if (take(">")) return Order::above;
    return {};
  }

  static Expression joined(const Expression& a, const Expression& b, Op op) {
    Expression out;
    out.steps_ = a.steps_;
    out.steps_.insert(out.steps_.end(), b.steps_.begin(), b.steps_.end());
    out.steps_.push_back({op});
    out.depth_ = std::max(a.depth_, b.depth_ + 1);
    return out;
  }
  // In place, so that a sum of many terms is read in linear time.
  static void join(Expression& a, const Expression& b, Op op) {
    a.steps_.insert(a.steps_.end(), b.steps_.begin(), b.steps_.end());
    a.steps_.push_back({op});
    a.depth_ = std::max(a.depth_, b.depth_ + 1);
  }
  static Expression single(Expression::Step step) {
    Expression e;
    e.steps_.push_back(step);
    e.depth_ = 1;
    return e;
  }

  Expression sum() {
    const Nesting nesting(*this);
    Expression left = product();
    for (;;) {
      if (take("+")) join(left, product(), Op::add);
      else if (take("-")) join(left, product(), Op::subtract);
      else return left;
    }
  }

  Expression product() {
    Expression left = signed_factor();
    for (;;) {
      skip();
      if (rest_.starts_with("**")) return left;  // only a power may follow, and that was looked for
      if (take("*")) join(left, signed_factor(), Op::multiply);
      else if (take("/")) join(left, signed_factor(), Op::divide);
      else return left;
    }
  }

  // -x^2 is -(x^2), as everywhere.
  Expression signed_factor() {
    const Nesting nesting(*this);
    if (take("+")) return signed_factor();
    if (take("-")) {
      Expression e = signed_factor();
      e.steps_.push_back({Op::negate});
      return e;
    }
    Expression base = factor();
    if (take("^") || take("**")) join(base, signed_factor(), Op::power);
    return base;
  }

  Expression factor() {
    skip();
    if (rest_.empty()) refuse("it ends where a number or a variable should stand");
    if (take("(")) {
      Expression e = sum();
      need(")");
      return e;
    }
    if (const auto variable = declared_name()) return single({Op::variable, 0, *variable});
    const char c = rest_.front();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    if (begins_name(c)) return function();
    refuse(fmt::format("'{}' is neither a number nor a variable", shown()));
  }

  Expression number() {
    double value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc() || !std::isfinite(value)) refuse(fmt::format("'{}' is not a number", shown()));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return single({Op::number, value});
  }

  static bool is_function(std::string_view name) {
    return name == "sqrt" || name == "exp" || name == "log" || name == "abs" || name == "min" || name == "max";
  }

  // The longest declared name that stands here: names may hold any characters, even signs and spaces.
  std::optional<Index> declared_name() {
    if (names_.empty()) {
      if (!rest_.starts_with("x[")) return {};
      std::string_view digits = rest_.substr(2);
      Index index = 0;
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
      if (code != std::errc() || end == digits.data() + digits.size() || *end != ']')
        refuse(fmt::format("'{}' is not a variable such as x[0]", shown()));
      if (index < 0 || index >= count_)
        refuse(fmt::format("there is no x[{}]; the variables are x[0] to x[{}]", index, count_ - 1));
      rest_.remove_prefix(2 + static_cast<std::size_t>(end - digits.data()) + 1);
      return index;
    }
    std::optional<Index> found;
    std::size_t length = 0;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string& name = names_[i];
      if (name.size() <= length || !rest_.starts_with(name)) continue;
      if (rest_.size() > name.size() && continues_name(name.back()) && continues_name(rest_[name.size()])) continue;
      if (is_function(name) && rest_.substr(name.size()).starts_with('(')) continue;  // a variable may be called log
      found = static_cast<Index>(i);
      length = name.size();
    }
    rest_.remove_prefix(length);
    return found;
  }

  Expression function() {
    std::size_t length = 0;
    while (length < rest_.size() && continues_name(rest_[length])) ++length;
    const std::string name(rest_.substr(0, length));
    struct Known {
      const char* name;
      Op op;
      bool two;
    };
    static constexpr std::array<Known, 6> known{{{"sqrt", Op::square_root, false},
                                                 {"exp", Op::exponential, false},
                                                 {"log", Op::logarithm, false},
                                                 {"abs", Op::absolute, false},
                                                 {"min", Op::smaller, true},
                                                 {"max", Op::larger, true}}};
    const auto found = std::ranges::find_if(known, [&](const Known& k) { return name == k.name; });
    std::string_view after = rest_.substr(length);
    while (!after.empty() && std::isspace(static_cast<unsigned char>(after.front()))) after.remove_prefix(1);
    if (found == known.end() || !after.starts_with('(')) {
      const std::string near = nearest_name(name, names_);
      refuse(names_.empty()
                 ? fmt::format("there is no variable '{}'; the variables are x[0] to x[{}]", name, count_ - 1)
             : near.empty() ? fmt::format("there is no variable '{}'", name)
                            : fmt::format("there is no variable '{}'; did you mean '{}'?", name, near));
    }
    rest_.remove_prefix(length);
    need("(");
    Expression e = sum();
    if (found->two) {
      need(",");
      join(e, sum(), found->op);
      while (take(",")) join(e, sum(), found->op);
    } else {
      e.steps_.push_back({found->op});
    }
    need(")");
    return e;
  }

  class Nesting {
   public:
    explicit Nesting(ExpressionReader& reader) : reader_(reader) {
      if (++reader_.depth_ > deepest) reader_.refuse(fmt::format("it is nested deeper than {} levels", deepest));
    }
    ~Nesting() { --reader_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    ExpressionReader& reader_;
  };

  const std::string& text_;
  std::string_view rest_;
  const std::vector<std::string>& names_;
  Index count_;
  const std::string& where_;
  int depth_ = 0;
};

double Expression::combine(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::power:
      return std::pow(a, b);
    case Op::negate:
      return -a;
    case Op::square_root:
      return std::sqrt(a);
    case Op::exponential:
      return std::exp(a);
    case Op::logarithm:
      return std::log(a);
    case Op::absolute:
      return std::abs(a);
    case Op::smaller:
      return a < b || std::isnan(a) ? a : b;
    case Op::larger:
      return a > b || std::isnan(a) ? a : b;
    default:
      return 0;
  }
}

namespace {

bool takes_two(int op) { return op >= 2 && op <= 6; }

}  // namespace

double Expression::operator()(std::span<const double> variables) const {
  constexpr std::size_t usual = 32;
  std::array<double, usual> small;
  std::vector<double> large;
  double* top = small.data();
  if (depth_ > usual) {
    large.resize(depth_);
    top = large.data();
  }
  for (const Step& step : steps_) {
    if (step.op == Op::number) *top++ = step.number;
    else if (step.op == Op::variable) *top++ = variables[static_cast<std::size_t>(step.variable)];
    else if (takes_two(static_cast<int>(step.op)) || step.op == Op::smaller || step.op == Op::larger) {
      --top;
      top[-1] = combine(step.op, top[-1], *top);
    } else {
      top[-1] = combine(step.op, top[-1], 0);
    }
  }
  return top[-1];
}

std::optional<Expression::Affine> Expression::affine(Index variables) const {
  std::vector<Affine> stack;
  const auto constant = [](const Affine& a) { return (a.coefficients.array() == 0).all(); };
  for (const Step& step : steps_) {
    if (step.op == Op::number || step.op == Op::variable) {
      Affine a{step.op == Op::number ? step.number : 0, Vector::Zero(variables)};
      if (step.op == Op::variable) a.coefficients[step.variable] = 1;
      stack.push_back(std::move(a));
      continue;
    }
    const bool two = takes_two(static_cast<int>(step.op)) || step.op == Op::smaller || step.op == Op::larger;
    Affine b{0, Vector()};
    if (two) {
      b = std::move(stack.back());
      stack.pop_back();
    }
    Affine& a = stack.back();
    if (constant(a) && (!two || constant(b))) {
      a.constant = combine(step.op, a.constant, b.constant);
      continue;
    }
    switch (step.op) {
      case Op::add:
      case Op::subtract: {
        const double sign = step.op == Op::add ? 1 : -1;
        a.constant += sign * b.constant;
        a.coefficients += sign * b.coefficients;
        break;
      }
      case Op::negate:
        a.constant = -a.constant;
        a.coefficients = -a.coefficients;
        break;
      case Op::multiply: {
        if (!constant(a) && !constant(b)) return {};
        const double factor = constant(a) ? a.constant : b.constant;
        if (constant(a)) std::swap(a, b);
        a.constant *= factor;
        a.coefficients *= factor;
        break;
      }
      case Op::divide:
        if (!constant(b)) return {};
        a.coefficients /= b.constant;
        a.constant /= b.constant;
        break;
      case Op::power:
        if (!constant(b) || b.constant != 1) return {};
        break;
      default:
        return {};
    }
  }
  if (!std::isfinite(stack.back().constant) || !stack.back().coefficients.allFinite()) return {};
  return std::move(stack.back());
}

std::vector<Index> Expression::mentioned() const {
  std::vector<Index> found;
  for (const Step& step : steps_)
    if (step.op == Op::variable) found.push_back(step.variable);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<Relation> read_relations(const std::string& text, const std::vector<std::string>& names, Index count,
                                     const std::string& where) {
  return ExpressionReader(text, names, count, where).relations();
}

}  // namespace zeroth
