// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

struct Estimate {                                          // A number with its error; NaN where it is not known.
  double mean = std::numeric_limits<double>::quiet_NaN();  // over the replicates
  double se = std::numeric_limits<double>::quiet_NaN();    // standard error of the mean
};

struct Interval {                                          // NaN where it is not known, infinite where it has no bound.
  double low = std::numeric_limits<double>::quiet_NaN();   // its lower end
  double high = std::numeric_limits<double>::quiet_NaN();  // its upper end
  double half_width() const { return 0.5 * (high - low); }  // of a symmetric one
};

struct FunctionNames {  // What constraints are called; those without a name are c1, c2, .. and h1, h2, ..
  std::vector<std::string> constraints, equalities;  // in their order
};

// What fresh evaluations say about a declared probability or quantile, with an anytime-valid 95 % interval that needs
// no assumption; or about a CVaR, by Student's t with as many evaluations as its tail has.
struct Chance {
  bool quantile = false;                      // of a quantile, else of a probability
  double estimate = 0, lower = 0, upper = 0;  // infinite ends: too few evaluations
  bool cvar = false;                          // of a CVaR instead of either

  const char* kind() const { return cvar ? "cvar" : quantile ? "quantile" : "probability"; }  // as in the JSON
};

struct ConstraintResult {                                                  // What the replicates say of one constraint.
  std::string name;                                                        // as declared
  Estimate value;                                                          // feasible: at most 0
  Interval interval;                                                       // of its expectation, anytime-valid, 95 %
  double probability_feasible = std::numeric_limits<double>::quiet_NaN();  // given mean and error
  Estimate multiplier;           // what relaxing it by one unit of its own is worth; NaN when not known
  Interval multiplier_interval;  // 95 %
  std::optional<Chance> chance;  // then `value` is the probability of being bad, minus what is allowed
};

// An equality is met where |E[h]| is within a tolerance, which is always stated beside it.
struct EqualityResult : ConstraintResult {
  double tolerance = std::numeric_limits<double>::quiet_NaN();  // in units of h
  double low = std::numeric_limits<double>::quiet_NaN();        // of the 95 % interval of |E[h]|
  double high = std::numeric_limits<double>::quiet_NaN();       // of the same
};

// Whether the recommended point is feasible, by fresh evaluations there: confirmed at the confidence asked for; refuted
// at that confidence, and so for every other candidate; or neither.
enum class Feasibility : std::uint8_t { confirmed, undecided, infeasible };
// Why the run ended, and what is known of its answer; the first that holds.
enum class Status : std::uint8_t { interrupted, infeasible, undecided, stopped, local, converged, budget };

std::string to_string(Feasibility feasibility);  // the words of `--json`
std::string to_string(Status status);            // the words of `--json`

// By how much a limit would have to be relaxed for the answer to be feasible.
struct Relaxation {
  std::string name;   // of the constraint
  double amount = 0;  // in its units
  Interval interval;  // anytime-valid, 95 %
};

// Why the answer is undecided: the constraint that is least sure to hold.
struct Doubt {
  std::string name;
  double probability = std::numeric_limits<double>::quiet_NaN();  // that it holds; NaN: too few evaluations to say
};

// Of a run that was to evaluate feasible points alone.
struct SafePromise {
  double asked = 0;              // the probability
  std::int64_t evaluations = 0;  // at points of which something is known
  std::int64_t broken = 0;       // of these, at points that are infeasible by all that is known at the end
};

// What a run ends with; `--json` prints exactly this. Means and standard errors come from fresh replicates at x.
struct Result {
  Status status = Status::budget;                    // derived from what follows
  Feasibility feasibility = Feasibility::undecided;  // decides the exit code
  std::string solver;                                // as it was named
  std::string note;                                  // what was chosen and why, in words
  std::string stopped_by;                            // the rule of [stop] that ended the run; empty: none
  Vector x;                                          // in the solver's coordinates
  Vector searched;                                   // what the search recommended, before the check
  Estimate objective;                                // E[f_0] at x
  Interval objective_interval;                       // anytime-valid, 95 %
  std::vector<ConstraintResult> constraints;         // in their order
  std::vector<EqualityResult> equalities;            // in their order
  std::vector<Relaxation> relaxation;                // where infeasible: the limits that do not hold
  std::optional<std::int64_t> more_evaluations;      // where undecided: about how many more would decide
  std::optional<Doubt> doubt;                        // where undecided
  std::optional<SafePromise> safe;                   // where it was asked for
  double confidence = 0.95;                          // asked for, of feasibility
  Estimate kkt_residual;                             // relative to the slopes of the objective
  std::int64_t evaluations = 0;                      // the final check and those carried included
  std::int64_t carried = 0;                          // of an earlier run with a smaller budget
  std::int64_t failed = 0;                           // of these
  std::map<std::string, std::int64_t> failures;      // how often for which reason
  std::int64_t replicates = 0;                       // evaluations at x that the means rest on
  std::vector<std::int64_t> function_calls;          // how often each function was asked, f_0 first
  std::optional<double> cost;                        // of all questions, where functions have their costs
  double seconds = 0;                                // from the first question to the last answer
  std::uint64_t seed = 0;                            // that the run was named by
  std::map<std::string, double> trace;               // the solver's own figures
};

}  // namespace zeroth
