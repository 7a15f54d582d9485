// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

struct Estimate {
  double mean = std::numeric_limits<double>::quiet_NaN();
  double se = std::numeric_limits<double>::quiet_NaN();
};

struct FunctionNames {
  std::vector<std::string> constraints, equalities;
};

// What the fresh looks say about a declared probability or quantile, with a 95 % interval that needs no assumption.
struct Chance {
  bool quantile = false;
  double estimate = 0, lower = 0, upper = 0;  // infinite ends: too few looks
};

struct ConstraintResult {
  std::string name;
  Estimate value;
  double probability_feasible = std::numeric_limits<double>::quiet_NaN();
  Estimate multiplier;           // se is NaN when the solver gives none
  std::optional<Chance> chance;  // then `value` is the probability of being bad, minus what is allowed
};

// An equality is met where |E[h]| is within a tolerance, which is always stated beside it.
struct EqualityResult : ConstraintResult {
  double tolerance = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;  // 95 % interval of |E[h]|
};

// What a run ends with; `--json` prints exactly this. Means and standard errors come from fresh replicates at x.
struct Result {
  std::string status;  // converged | budget | interrupted | infeasible
  std::string solver;
  std::string note;  // what was chosen and why, in words
  Vector x;          // in the solver's coordinates
  Estimate objective;
  std::vector<ConstraintResult> constraints;
  std::vector<EqualityResult> equalities;
  Estimate kkt_residual;
  std::int64_t evaluations = 0;
  std::int64_t failed = 0;
  std::map<std::string, std::int64_t> failures;  // how often for which reason
  std::int64_t replicates = 0;                   // looks at x that the means rest on
  std::vector<std::int64_t> function_calls;      // how often each function was asked, f_0 first
  double seconds = 0;
  std::uint64_t seed = 0;
  std::map<std::string, double> trace;
};

}  // namespace zeroth
