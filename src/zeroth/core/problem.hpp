// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/core/domain.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

// Function i of a problem: 0 is the objective f_0, 1..m the inequality constraints (feasible: E[f_i] <= 0), then the
// equality constraints (E[h_j] = 0).

// The constants of Assumptions 2.1 to 2.3, entry i for function i; what Theorem 3.1 needs and nothing else uses.
struct Constants {
  Vector L;                     // Lipschitz constants of the gradients
  Vector M;                     // Lipschitz constants of the functions
  Vector sigma;                 // E|grad F_i - grad f_i|^2 <= sigma_i^2
  Vector sigma_f;               // E[F_i^2] <= sigma_f_i^2
  double multiplier_bound = 0;  // a bound on |y*|
  double diameter = 0;          // D_X
  double radius = 0;            // M_X
};

// What is known of a point before the search begins: an evaluation from elsewhere, or one of `Spec::known_points`.
struct Evaluated {
  Vector x;
  std::vector<double> values;  // as of an Answer
  std::vector<double> se;      // standard errors of the values; empty: one evaluation, of unknown error
  std::int64_t count = 1;      // evaluations that the values are means of
};

// What a solver knows of a problem: never the oracle.
struct Spec {
  Domain domain = Domain::box(1, 0, 1);  // the known set X
  Index constraints = 0;                 // E[f_i] <= 0
  Index equalities = 0;                  // E[h_j] = 0
  Vector equality_tolerance;  // |E[h_j]| up to this counts as met, one per equality; empty: see run/check.hpp
  Vector start;               // empty: the domain's centre
  std::vector<bool> integer;  // coordinates that only take whole values in the user's units; empty: none
  // Coordinates whose whole values are names without an order, evenly spaced from bound to bound: how many there are;
  // 0 elsewhere. Empty: none. They are flagged in `integer`, too.
  std::vector<int> categories;
  // Which coordinates count at x, one flag each: where one does not, its value changes nothing. Empty: all of them.
  std::function<void(std::span<const double> x, std::span<std::uint8_t> flags)> active;
  bool common_noise = false;        // two evaluations with one noise key see the same noise
  bool defined_everywhere = false;  // the oracle answers outside X too, as the paper assumes
  // Per coordinate, lower / (upper - lower) in the user's units where a logarithmic scale may fit better than the
  // linear one; 0 elsewhere. Empty: the domain's own bounds tell.
  Vector log_offset;
  bool described_points = false;       // whoever evaluates can make a point from its description (core/iterate.hpp)
  bool indicators = false;             // some values are smoothed indicators: flat far away, steep between
  std::int64_t budget = 1000;          // joint evaluations of the whole run, the final check included
  std::int64_t check = 0;              // of these, what the run means to keep for its final check
  int width = 1;                       // evaluations that can run at the same time
  int lag = 0;                         // questions that may stay open while more are asked, by who proposes
  Vector cost;                         // of each function, where some can be asked without the others; empty: none can
  std::optional<Constants> constants;  // if they are known
  std::vector<Evaluated> evaluated;    // seen before the search: not part of the budget, in X, all of them successes
  // Known limits that no set describes: whether a point of X may be asked about. Whoever runs the search sees to it
  // that no other is; a solver may ask here first. Empty: all of X may.
  std::function<bool(std::span<const double> x)> known;
  std::vector<Vector> known_points;  // in X; whoever runs the search evaluates them first and adds them to `evaluated`

  Index dimension() const { return domain.dimension(); }            // number of variables
  Index functions() const { return 1 + constraints + equalities; }  // objective, constraints, equalities
  // Where a search begins.
  Vector first_point() const { return start.size() > 0 ? start : domain.center(); }

  std::int64_t search_budget() const { return budget - check; }  // what the check leaves
  // `share` of the budget goes to the final check: two evaluations at least, if any.
  void plan_for(std::int64_t evaluations, double share) {
    const auto wanted = static_cast<std::int64_t>(std::ceil(share * static_cast<double>(evaluations)));
    budget = evaluations;
    check = std::clamp(wanted, std::min<std::int64_t>(evaluations, share > 0 ? 2 : 0), evaluations);
  }
};

// What a logarithm of a variable with these bounds is measured from, as a share of their distance; 0: none fits. From
// zero on, a hundredth.
inline double log_offset(double lower, double upper) {
  constexpr double most = 1.0 / 9, from_zero = 0.01;
  if (!(upper > lower) || lower < 0) return 0;
  const double offset = lower > 0 ? lower / (upper - lower) : from_zero;
  return offset <= most ? offset : 0;
}

struct DescribedPoint;  // core/iterate.hpp

// A question: the values of some functions at x under the noise named by a key. `x`, `wanted` and `weights` are views
// into the memory of whoever asks and stay valid until the answers are told.
struct Query {
  std::span<const double> x;
  std::uint64_t noise = 0;               // names all randomness of the evaluation; below 2^53
  std::span<const std::uint8_t> wanted;  // one flag per function; empty: all of them
  std::span<const double> weights = {};  // one per function; not empty: all that is needed is sum_i weights[i] F_i
  bool whole = false;  // whoever asks needs all of it, even where a cheap constraint says enough (Spec::cost)
  const DescribedPoint* described = nullptr;  // if so, x is empty: whoever evaluates makes the point from this

  // Whether the value of this function is asked for.
  bool wants(Index function) const { return wanted.empty() || wanted[static_cast<std::size_t>(function)] != 0; }
};

// The whole vector F_0..F_m (then equalities), or a failure with its reason. A function that was not wanted may be NaN.
// To a query with weights the sum may follow as one more value, and then those before it may be NaN.
struct Answer {
  std::vector<double> values;   // f_0, constraints, equalities
  std::string failure;          // why it failed; empty: it did not
  std::vector<double> se = {};  // standard errors, one per value, from who averages by themselves; empty: not known

  bool failed() const { return !failure.empty(); }  // there are no values
  // An answer without values.
  static Answer failed_because(std::string reason) { return {{}, std::move(reason)}; }
};

// What a query with weights asks for, from whoever added it up or from the values.
inline double weighted_sum(const Query& query, const Answer& answer) {
  if (answer.values.size() > query.weights.size()) return answer.values.back();
  double sum = 0;
  for (std::size_t i = 0; i < query.weights.size(); ++i)
    if (query.wants(static_cast<Index>(i))) sum += query.weights[i] * answer.values[i];
  return sum;
}

// An answer is a pure function of (x, noise key): every random number an oracle uses comes from `noise`.
using Oracle = std::function<void(std::span<const double> x, Rng& noise, std::span<double> values)>;

// As an Oracle, told which functions are wanted (one flag each): the others' values may stay what they are.
using PartialOracle = std::function<void(std::span<const double> x, Rng& noise, std::span<const std::uint8_t> wanted,
                                         std::span<double> values)>;

// What is known of a benchmark problem beyond its noisy answers.
struct Truth {
  std::function<void(std::span<const double> x, std::span<double> values)> expected;  // E[F_i(x)]
  double best_value = std::numeric_limits<double>::quiet_NaN();   // least E[f_0] over the feasible points
  Vector best_point;                                              // empty when unknown
  Vector multipliers;                                             // empty when unknown
  double duality_gap = std::numeric_limits<double>::quiet_NaN();  // best_value minus a certified lower bound, if any
};

// What 0 .. 1 stands for in the units that people use, for a problem whose set is the unit box.
struct Unit {
  std::string name;
  double lower = 0, upper = 1;  // what 0 and 1 stand for
  bool log_scale = false;       // positions are logarithms
  bool whole = false;           // shown as an integer; the oracle does its own rounding

  // What a position stands for.
  double value(double u) const {
    return log_scale ? std::exp(std::log(lower) + u * (std::log(upper) - std::log(lower)))
                     : lower + u * (upper - lower);
  }
  // Where a value lies, from 0 to 1.
  double position(double v) const {
    return log_scale ? (std::log(v) - std::log(lower)) / (std::log(upper) - std::log(lower))
                     : (v - lower) / (upper - lower);
  }
};

struct Problem {               // What is to be optimised: the set and the oracle, and what is known of them.
  std::string name;            // for messages and the store
  Spec spec;                   // what the solver is told
  Oracle oracle;               // measures
  PartialOracle partial;       // instead of `oracle`, where spec.cost says what single functions cost
  std::optional<Truth> truth;  // of benchmark problems
  std::vector<Unit> units;     // one per coordinate; empty: coordinates are shown as they are
  std::vector<std::string> constraint_names;  // empty: c1, c2, ...
  bool maximize = false;                      // f_0 is minus what people want to see
};

}  // namespace zeroth
