// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// Bayesian optimisation by the alternating direction method of multipliers (Ariafar, Coll-Font, Brooks and Dy, "ADMMBO:
// Bayesian optimization with unknown constraints using ADMM", JMLR 20, 2019).
struct AdmmboOptions {
  double rho = 0.1;
  double M = 20;
  std::int64_t first_f = 10, first_c = 20, later_f = 2, later_c = 2;
  std::int64_t start = 2;
  std::int64_t grid = 2000;
  bool decoupled = true;
  double tolerance = 0;
  double equality_tolerance = 0.01;
  std::string noise = "own";
};

inline OptionList options_of(AdmmboOptions& o) {
  return {
      {"rho", o.rho, "penalty on x - z, in the variables' own units", positive},
      {"M", o.M, "price of an infeasible copy", positive},
      {"first_f", o.first_f, "evaluations of the objective in the first iteration", at_least_one},
      {"first_c", o.first_c, "evaluations of each constraint in the first iteration", at_least_one},
      {"later_f", o.later_f, "evaluations of the objective in later iterations", at_least_one},
      {"later_c", o.later_c, "evaluations of each constraint in later iterations", at_least_one},
      {"start", o.start, "random points before the first iteration", at_least_one},
      {"grid", o.grid, "points on which an acquisition is scanned before it is refined", Range{.lower = 10}},
      {"decoupled", o.decoupled, "ask one function at a time; otherwise every evaluation asks and uses all of them"},
      {"tolerance", o.tolerance, "violation that a recommended point may show", nonnegative},
      {"equality_tolerance", o.equality_tolerance, "an equality holds within this", positive},
      {"noise", o.noise,
       "own: noise levels by maximum likelihood, evaluations compared as they are; estimated: posterior means compared",
       Choices{{"own", "estimated"}}}};
}

Search admmbo(Spec spec, AdmmboOptions options, std::uint64_t seed);

}  // namespace zeroth
