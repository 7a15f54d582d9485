// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/run/feasibility.hpp"

namespace zeroth {

// Rules of [stop] that the check itself can meet.
struct CheckGoals {
  double objective_halfwidth = 0;  // of the interval; 0: none
  double probability = 0;          // of feasibility, anytime-valid; 0: none
};

struct CheckPlan {
  Vector recommended;               // by the solver
  std::vector<Vector> cautious;     // its fallbacks, with more and more distance from the limits
  std::vector<Vector> challengers;  // other candidates: kept incumbents, best evaluated points, the start
  std::size_t always = 0;           // of these, the first so many are compared however few evaluations there are
  std::vector<Vector> confirmed;    // points whose replicates in the search confirmed every limit, best first
  bool nothing_feasible = false;    // no evaluation of the run ever kept every limit
  std::function<Belief(const Vector& x)> believe;        // of the solver's model; may be empty
  std::function<Vector(double deviations)> cautious_at;  // by the same model; may be empty
  std::int64_t evaluations = 0;
  double confidence = 0.95;
  std::uint64_t seed = 1;
  CheckGoals goals;
};

// What the check ends with.
struct CheckedAnswer {
  explicit CheckedAnswer(Index functions, const Meaning* meaning = nullptr, const EvaluatedPoints* of_run = nullptr)
      : run(of_run), point(functions, meaning, of_run) {}
  const EvaluatedPoints* run;
  Vector x;
  double retreat = 0;        // share of the way to the fallback
  bool replaced = false;     // by a challenger that was clearly better
  double most_feasible = 0;  // the largest probability of feasibility among all candidates but x
  std::string met;           // the goal that ended the check
  CheckedPoint point;
};

// The answer is selected, then made safe, then measured.
//   select   A quarter of the evaluations, in rounds, one for every candidate that is left (sequential elimination, as
//   in
//            O. Maron and A. Moore's races, 1994): who is clearly worse than another leaves. The solver's
//            recommendation stays unless it leaves, since a model knows more than a few evaluations; otherwise the best
//            of those left. Where all break a limit beyond doubt it is the one that breaks them least.
//   retreat  With a model: of its optima with more and less distance from the limits the one of least expected loss,
//            where an infeasible answer counts like the start, and one that the rest will not confirm a tenth more.
//            Without: a sixth at the recommendation and at its fallback tells how far to go from the one toward the
//            other for that.
//   measure  All that is reported rests on the rest, which selected nothing; should half of it not confirm, the point
//            moves on toward the fallback, or to a point that the search has confirmed, and what is reported rests on
//            the other half.
// The search ends by itself once more evaluations could change nothing or a goal is met. `out` must outlive it.
Search check_answer(Spec spec, EqualityRule rule, CheckPlan plan, CheckedAnswer* out);

}  // namespace zeroth
