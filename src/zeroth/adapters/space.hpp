// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/adapters/condition.hpp"
#include "zeroth/core/domain.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

enum class VariableType : std::uint8_t { real, integer, binary, categorical, ordinal };

// The user's variables, in the order in which they declared them.
struct Variables {
  std::vector<std::string> names;  // empty: x travels as an array
  Vector lower, upper;
  std::vector<VariableType> type;
  std::vector<bool> log_scale;
  Vector start;   // NaN: not given
  Vector spread;  // how far is far, of a variable without bounds; empty or NaN: not given
  // Of categorical and ordinal variables the texts; their number, from 0 on, is the variable's value everywhere inside.
  // Empty, or empty lists: there are none.
  std::vector<std::vector<std::string>> values;
  std::vector<bool> number_values;  // those texts are numbers and are sent as such
  std::vector<Condition> when;      // where a variable applies; empty: always

  const std::vector<std::string>& values_of(Index i) const;
  Index size() const { return lower.size(); }
};

// A known linear limit in the user's units: lower <= <coefficients, x> <= upper.
struct LinearRow {
  Vector coefficients;
  double lower = -infinity, upper = infinity;
  std::string text;  // as declared
};

// A row's value: what does not apply is not a number, and does not matter to rows that do not speak of it.
double dot_where_needed(const Vector& coefficients, std::span<const double> user_x);

// A known limit of any other form: excess(x) <= 0, in the user's units. What is not a number is not met.
struct KnownLimit {
  std::string text;
  std::function<double(std::span<const double> user_x)> excess;
};

// The two languages for a point: the user's units, and the solver's, in which every variable runs over [0, 1].
// Variables under a known set (simplex, ball, ...) keep their units, because that set is not one after scaling.
//
// A variable without a bound is bent into [0, 1], too: u = 1/2 is its start (or u = 0 its one bound), a spread away is
// half-way to the end, and the end itself is out of reach: x = start + 1.5 spread t / (1 - t^2), t = 2u - 1.
//
// Linear rows become part of the domain where all their variables are scaled evenly; a row over bent or logarithmic
// ones is no plane in the solver's units and is kept as a known limit.
class Space {
 public:
  // Solver and user speak alike: benchmark problems.
  static Space plain(Index size);
  // `members[k]` are the variables under `sets[k]`, in that order.
  static Space of(Variables variables, const std::vector<Domain>& sets = {},
                  const std::vector<std::vector<Index>>& members = {}, std::vector<LinearRow> rows = {},
                  std::vector<KnownLimit> known = {});

  Index size() const { return size_; }
  const Domain& domain() const { return domain_; }
  const std::vector<std::string>& names() const { return variables_.names; }
  const Variables& variables() const { return variables_; }  // without entries where solver and user speak alike

  bool speaks_alike() const { return plain_; }
  // Rounded where a variable is whole, and never outside the declared bounds, whatever x is. NaN where a variable does
  // not apply.
  void to_user(std::span<const double> x, std::span<double> out) const;
  Vector to_user(const Vector& x) const;
  Vector to_solver(const Vector& user_x) const;
  // Whether what would be evaluated at x meets the linear rows (to the last bit, equalities to rounding) and the known
  // limits; it says nothing of the domain.
  bool admits(std::span<const double> x) const;
  bool has_limits() const { return !rows_.empty() || !known_.empty(); }
  const std::vector<LinearRow>& rows() const { return rows_; }
  // Known limits, rows that are no planes included: what the domain does not hold.
  const std::vector<KnownLimit>& known() const { return known_; }
  // Known limits at x before any rounding: one each, <= 0 where it is met.
  void known_values(std::span<const double> x, std::span<double> out) const;
  // The rows of which all variables are scaled evenly; the others are among `known`.
  const std::vector<std::size_t>& plane_rows() const { return planes_; }
  Vector start() const;               // in the solver's units; empty if the user named none
  std::vector<bool> integer() const;  // in the solver's order; empty if all are real
  Vector log_offset() const;          // Spec::log_offset, in the solver's order
  // Of an integer variable, in the solver's units: the two neighbouring levels between which coordinate k with value u
  // lies (the same one twice if it lies on it).
  struct Levels {
    double below, above;
  };
  Levels levels_around(Index k, double u) const;
  double next_level(Index k, double u, int step) const;  // `step` levels from the one nearest to u, inside the bounds

  // Coordinates of variables without bounds, and on which sides they have none.
  struct Unbounded {
    Index coordinate;
    bool below, above;
  };
  std::vector<Unbounded> unbounded() const;
  // Of such a coordinate: how many spreads from its start, or from its one bound, a position is; and back.
  double spreads_at(Index k, double u) const;
  double at_spreads(Index k, double spreads) const;

  // Numbers of values without order, in the solver's order (Spec::categories); empty if there are none.
  std::vector<int> categories() const;
  bool conditional() const { return !order_.empty(); }  // some variables do not always apply
  // Which coordinates count at x, one flag each (Spec::active).
  void active(std::span<const double> x, std::span<std::uint8_t> flags) const;
  // Sets those that do not apply to NaN, in the user's units.
  void drop_inactive(std::span<double> user_x) const;
  // The value that a text stands for; nothing if it stands for none. Of a number-valued variable also a number.
  std::optional<double> value_of(Index variable, const std::string& text) const;
  // For people: the text of a value, empty where the variable does not apply.
  std::string text_of(Index variable, double user_value) const;

  // Appends a point in user's units as the evaluator sees it: an object by name, or an array.
  void write_json(std::span<const double> user_x, std::string& json) const;  // variables that do not apply are left out
  // The same variable by variable, as plain texts.
  void write_texts(std::span<const double> user_x, std::vector<std::string>& texts) const;

 private:
  bool whole(Index i) const {
    return plain_ ? false : variables_.type[static_cast<std::size_t>(i)] != VariableType::real;
  }
  // How coordinate k of the solver becomes a value: evenly, logarithmically, as it is, or bent.
  enum class Kind : std::uint8_t { even, logarithmic, as_is, bent, bent_up, bent_down };
  struct Coordinate {
    Index variable = 0;
    Kind kind = Kind::as_is;
    double from = 0, width = 1;  // even and logarithmic: from + u width; bent: from + width g(u)
  };
  Coordinate coordinate_of(Index variable, bool in_set) const;
  // What becomes of variables, rows and sets on the way to a domain; space_make.cpp.
  struct Layout;
  void sort_rows(Layout& layout);
  void join_sets(Layout& layout) const;
  Domain joined_domain(const Layout& layout);
  Domain joined_rows(const Layout& layout, const std::vector<Index>& place, Index count) const;
  double position(Index k, double value) const;
  double to_value(Index k, double u) const;  // without rounding
  bool row_holds(const LinearRow& row, std::span<const double> user_x) const;

  Index size_ = 0;
  bool plain_ = true;
  Domain domain_ = Domain::box(1, 0, 1);
  Variables variables_;
  std::vector<std::string> quoted_names_;
  std::vector<Coordinate> coordinates_;
  std::vector<LinearRow> rows_;
  std::vector<KnownLimit> known_;
  std::vector<std::size_t> planes_;
  std::vector<Index> order_;  // of the conditional variables: after those that they hang on
};

}  // namespace zeroth
