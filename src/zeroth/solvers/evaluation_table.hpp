// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/model/likelihood.hpp"

namespace zeroth {

// What is known when functions are evaluated separately: one row per point, NaN where a function has not been asked.
class EvaluationTable {
 public:
  explicit EvaluationTable(Index functions) : functions_(functions) {}

  std::size_t size() const { return units_.size(); }
  const Vector& unit(std::size_t row) const { return units_[row]; }
  const Vector& point(std::size_t row) const { return points_[row]; }
  double value(std::size_t row, Index function) const { return values_[row][function]; }
  bool known(std::size_t row, Index function) const { return !std::isnan(values_[row][function]); }
  bool complete(std::size_t row) const { return !values_[row].hasNaN(); }

  // Only what the query wanted is taken in; an evaluation at a point of the table goes to its row.
  std::size_t record(const Vector& unit, const Vector& point, const Query& query, const Answer& answer) {
    std::size_t row = 0;
    while (row < size() && points_[row] != point) ++row;
    if (row == size()) {
      units_.push_back(unit);
      points_.push_back(point);
      values_.push_back(Vector::Constant(functions_, std::nan("")));
      errors_.push_back(values_.back());
    }
    for (Index i = 0; i < functions_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (!query.wants(i)) continue;
      values_[row][i] = answer.values[at];
      errors_[row][i] = at < answer.se.size() ? answer.se[at] : std::nan("");
    }
    return row;
  }

  Evaluations evaluations(Index function) const {
    Evaluations l;
    std::vector<double> stated;
    for (std::size_t row = 0; row < size(); ++row)
      if (known(row, function)) {
        l.add(units_[row], value(row, function));
        stated.push_back(errors_[row][function]);
      }
    l.spread = spread_of_stated(as_vector(std::span<const double>(stated)));
    return l;
  }
  Index count(Index function) const {
    Index n = 0;
    for (std::size_t row = 0; row < size(); ++row) n += known(row, function);
    return n;
  }

 private:
  Index functions_;
  std::vector<Vector> units_, points_, values_, errors_;  // errors: as stated, NaN where they were not
};

}  // namespace zeroth
