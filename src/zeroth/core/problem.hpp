// SPDX-License-Identifier: MIT
#pragma once

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

// What a solver knows of a problem: never the oracle.
struct Spec {
  Domain domain = Domain::box(1, 0, 1);
  Index constraints = 0;
  Index equalities = 0;
  Vector equality_tolerance;        // |E[h_j]| up to this counts as met, one per equality; empty: see run/check.hpp
  Vector start;                     // empty: the domain's centre
  std::vector<bool> integer;        // coordinates that only take whole values in the user's units; empty: none
  bool common_noise = false;        // two looks with one noise key see the same noise
  bool defined_everywhere = false;  // the oracle answers outside X too, as the paper assumes
  bool indicators = false;          // some values are smoothed indicators: flat far away, steep between
  std::int64_t budget = 1000;       // joint evaluations the solver may plan for
  int width = 1;                    // evaluations that can run at the same time
  std::optional<Constants> constants;

  Index dimension() const { return domain.dimension(); }
  Index functions() const { return 1 + constraints + equalities; }
  Vector first_point() const { return start.size() > 0 ? start : domain.center(); }
};

// A question: the values of some functions at x under the noise named by a key. `x`, `wanted` and `weights` are views
// into the memory of whoever asks and stay valid until the answers are told.
struct Query {
  std::span<const double> x;
  std::uint64_t noise = 0;
  std::span<const std::uint8_t> wanted;  // one flag per function; empty: all of them
  std::span<const double> weights = {};  // one per function; not empty: all that is needed is sum_i weights[i] F_i

  bool wants(Index function) const { return wanted.empty() || wanted[static_cast<std::size_t>(function)] != 0; }
};

// The whole vector F_0..F_m (then equalities), or a failure with its reason. A function that was not wanted may be NaN.
// To a query with weights the sum may follow as one more value, and then those before it may be NaN.
struct Answer {
  std::vector<double> values;
  std::string failure;

  bool failed() const { return !failure.empty(); }
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

// What is known of a benchmark problem beyond its noisy answers.
struct Truth {
  std::function<void(std::span<const double> x, std::span<double> values)> expected;  // E[F_i(x)]
  double best_value = std::numeric_limits<double>::quiet_NaN();
  Vector best_point;                                              // empty when unknown
  Vector multipliers;                                             // empty when unknown
  double duality_gap = std::numeric_limits<double>::quiet_NaN();  // best_value minus a certified lower bound, if any
};

// What 0 .. 1 stands for in the units that people use, for a problem whose set is the unit box.
struct Unit {
  std::string name;
  double lower = 0, upper = 1;
  bool log_scale = false;
  bool whole = false;  // shown as a whole number; the oracle does its own rounding

  double value(double u) const {
    return log_scale ? std::exp(std::log(lower) + u * (std::log(upper) - std::log(lower)))
                     : lower + u * (upper - lower);
  }
  double position(double v) const {
    return log_scale ? (std::log(v) - std::log(lower)) / (std::log(upper) - std::log(lower))
                     : (v - lower) / (upper - lower);
  }
};

struct Problem {
  std::string name;
  Spec spec;
  Oracle oracle;
  std::optional<Truth> truth;
  std::vector<Unit> units;                    // one per coordinate; empty: coordinates are shown as they are
  std::vector<std::string> constraint_names;  // empty: c1, c2, ...
  bool maximize = false;                      // f_0 is minus what people want to see
};

}  // namespace zeroth
