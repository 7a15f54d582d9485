// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/adapters/statement.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

// A constraint as it was declared: of "mean(noise) <= 70" the mean of the noise beside 70, of
// "probability(wait <= 3) >= 0.95" the probability beside 0.95. Of a plain name the value beside 0.
struct Declared {
  std::string what;             // "mean(noise)", "probability(wait <= 3)", or the plain name
  std::string relation = "<=";  // or ">="
  double limit = 0;
  double estimate = std::nan(""), se = std::nan("");  // no standard error of probabilities, quantiles and CVaRs
  Interval interval;                                  // 95 %
};

// The left side of a statement, its relation and its limit; null: of a plain name.
Declared declaration(const std::string& name, const Statement* statement);

// From a value whose feasible side is at most 0 to the declared one: of a mean exactly; of a probability the
// probability; of a quantile the probability that the quantile's limit is kept. NaN of a CVaR, of which one value says
// nothing.
double in_declared_units(double value, const Statement* statement);

// What fresh evaluations say of it.
Declared declared(const ConstraintResult& result, const Statement* statement);

}  // namespace zeroth
