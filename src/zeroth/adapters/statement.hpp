// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zeroth/core/search.hpp"

namespace zeroth {

// One constraint as people say it, about one of the values that the evaluator returns:
//   wait                               E[wait] <= 0
//   mean(wait) <= 3                    E[wait] <= 3
//   probability(wait <= 3) >= 0.95     also with <, >=, > inside; or <= outside, of what should be rare
//   quantile(wait, 0.9) <= 3           the same as probability(wait <= 3) >= 0.9; or >=
//   cvar(cost, 0.9) <= 3               the mean of the worst tenth; worst are the largest, with >= the smallest
// Probabilities and quantiles say that the value is bad (beyond its limit) with probability `share` at most; of a CVaR
// `share` is how much of the tail is averaged.
struct Statement {
  enum class Kind : std::uint8_t { mean, probability, quantile, cvar };
  std::string text;  // as declared; the constraint's name
  std::string about;
  Kind kind = Kind::mean;
  std::size_t value = 0;         // its place among the evaluator's values
  bool about_objective = false;  // it is about what the evaluator returns as objective instead
  double limit = 0;
  bool bad_above = true;      // bad lies above the limit, else below
  bool limit_is_bad = false;  // the limit itself is bad, too
  double share = 0;           // most probability of bad
  double level = 0;           // of the probability or quantile, as declared
  bool about_bad = false;     // the declared probability is that of bad
  bool chance() const { return kind == Kind::probability || kind == Kind::quantile; }
  bool cvar() const { return kind == Kind::cvar; }

  // Its value among what was measured, in the solver's sign of the objective.
  double in(std::span<const double> measured, bool maximize) const {
    if (about_objective) return maximize ? -measured[0] : measured[0];
    return measured[1 + value];
  }
  std::size_t place() const { return about_objective ? 0 : 1 + value; }
  double excess(double v) const { return bad_above ? v - limit : limit - v; }
  bool bad(double v) const { return limit_is_bad ? excess(v) >= 0 : excess(v) > 0; }
  // Feasible: expectation <= 0. Of a chance that is P(bad) - share, without any smoothing; of a CVaR one evaluation
  // alone tells no more than the excess.
  double of(double v) const { return chance() && !std::isnan(v) ? (bad(v) ? 1.0 : 0.0) - share : excess(v); }
};

// What was declared about what is measured. The evaluator, the engines and the store speak of `values`; solvers and
// results of `statements`.
struct Meaning {
  std::vector<std::string> values;  // names, in the order of their first mention
  std::vector<Statement> statements;
  std::optional<Statement> objective;  // where it is more than a mean: a CVaR, of what the solver minimises
  bool maximize = false;               // what is measured as objective is minus what people see
  Index equalities = 0;                // they follow the constraints on both sides and are passed on

  Index measured() const { return 1 + static_cast<Index>(values.size()) + equalities; }
  std::vector<double> of(std::span<const double> measured) const;
};

// What is declared of the objective: a name, "mean(cost)" or "cvar(cost, 0.9)"; empty: nothing.
struct DeclaredObjective {
  std::string text;
  bool maximize = false;
  std::string where = {};
};

// Nothing if every entry is a plain name, which is how most problems are. `known` (may be empty) are the values there
// are, where the evaluator does not follow what is declared. A constraint may be about the value that `objective`
// names.
std::optional<Meaning> read_meaning(const std::vector<std::string>& declared, Index equalities,
                                    const std::string& where, const std::vector<std::string>& known = {},
                                    const DeclaredObjective& objective = {});

// A solver that only knows expectations, made to see chances: between it and whoever answers, P(bad) becomes the
// expectation of a smoothed indicator. `start` is given a Spec in the solver's view. A solver `by_slopes` needs slopes
// everywhere, so that with many evaluations it sees a hinge. docs/chance-constraints-inside.md states the smoothing and
// its bias.
using StartSolver = std::function<Search(Spec, std::uint64_t seed)>;
// `anywhere`: before the search begins, points all over X may be evaluated.
Search with_chance_constraints(Spec spec, Meaning meaning, StartSolver start, bool by_slopes, std::uint64_t seed,
                               bool anywhere = true);

}  // namespace zeroth
