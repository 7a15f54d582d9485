// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/run/check.hpp"

namespace zeroth {

// What of a solver's own claims counts for this problem. The KKT conditions say nothing about the optimality of integer
// variables, so that with any of them nothing is called optimal by them.
Incumbent believable(const Spec& spec, Incumbent incumbent);

// What the fresh evaluations say of every function. Names that are missing are c1, c2, .. and h1, h2, ..
void summarize(const Spec& spec, const EqualityRule& rule, const CheckedPoint& checked, const Incumbent& incumbent,
               const FunctionNames& names, Result& result);
double probability_all_feasible(const Result& result);  // constraints share noise: Bonferroni, so a lower bound

// Confirmed at this confidence; infeasible if the answer and every other candidate that was evaluated are refuted at
// it; otherwise undecided.
Feasibility feasibility_of(const FeasibilityBounds& answer, double most_feasible_other, double confidence);

// The interval of some constraint excludes every feasible value, however often somebody has looked.
bool refuted(const Result& result);

// Where undecided: about how many more evaluations of the answer would decide, were its means the truth. Nothing where
// no number would.
std::optional<std::int64_t> evaluations_to_decide(const Spec& spec, const EqualityRule& rule,
                                                  const CheckedPoint& checked, double confidence);
// Where undecided: the constraint that is least sure to hold.
std::optional<Doubt> doubt_of(const Result& result);
// The same in words, with about how many more evaluations would decide.
std::string doubt_text(const Result& result);
// Where infeasible: the limits that do not hold, and by how much.
std::vector<Relaxation> relaxation_of(const Spec& spec, const CheckedPoint& checked, const FunctionNames& names);

// converged: with 95 % confidence no feasible point is better by more than the half-width of the objective's interval,
// and the solver does not see several optima; where it does, what is known is local. local, too: the KKT conditions
// hold at the point as far as the noise lets one see (residual below 1 % of the slopes with 95 % confidence, and the
// distance kept from the limits costs less than the half-width or a thousandth of what the objective varies by), which
// says nothing of other optima.
Status optimality(const Incumbent& incumbent, const Result& result, double objective_range);

}  // namespace zeroth
