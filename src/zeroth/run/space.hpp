// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

enum class VariableType : std::uint8_t { real, integer, binary };

// The user's variables, in the order in which they declared them.
struct Variables {
  std::vector<std::string> names;  // empty: x travels as an array
  Vector lower, upper;
  std::vector<VariableType> type;
  std::vector<bool> log_scale;
  Vector start;  // NaN: not given

  Index size() const { return lower.size(); }
};

// The two languages for a point: the user's units, and the solver's, in which every variable runs over [0, 1].
// Variables under a known set (simplex, ball, ...) keep their units, because that set is not one after scaling.
class Space {
 public:
  // Solver and user speak alike: benchmark problems.
  static Space plain(Index size);
  // `members[k]` are the variables under `sets[k]`, in that order.
  static Space of(Variables variables, const std::vector<Domain>& sets = {},
                  const std::vector<std::vector<Index>>& members = {});

  Index size() const { return size_; }
  const Domain& domain() const { return domain_; }
  const std::vector<std::string>& names() const { return variables_.names; }
  const Variables& variables() const { return variables_; }  // without entries where solver and user speak alike

  bool speaks_alike() const { return plain_; }
  // Rounded where a variable is whole, and never outside the declared bounds, whatever x is.
  void to_user(std::span<const double> x, std::span<double> out) const;
  Vector to_user(const Vector& x) const;
  Vector start() const;               // in the solver's units; empty if the user named none
  std::vector<bool> integer() const;  // in the solver's order; empty if all are real
  // Of a whole variable, in the solver's units: the two neighbouring levels between which coordinate k with value u
  // lies (the same one twice if it lies on it).
  struct Levels {
    double below, above;
  };
  Levels levels_around(Index k, double u) const;
  double next_level(Index k, double u, int step) const;  // `step` levels from the one nearest to u, inside the bounds

  // Appends a point in user's units as the evaluator sees it: an object by name, or an array.
  void write_json(std::span<const double> user_x, std::string& json) const;

 private:
  bool whole(Index i) const {
    return plain_ ? false : variables_.type[static_cast<std::size_t>(i)] != VariableType::real;
  }
  double to_unit(Index i, double value) const;
  double to_value(Index k, double u) const;  // without rounding

  Index size_ = 0;
  bool plain_ = true;
  Domain domain_ = Domain::box(1, 0, 1);
  Variables variables_;
  std::vector<std::string> quoted_names_;
  std::vector<Index> order_;  // solver's coordinate k is the user's variable order_[k]
  Index scaled_ = 0;          // the first so many of the solver's coordinates are in units of the box
};

}  // namespace zeroth
