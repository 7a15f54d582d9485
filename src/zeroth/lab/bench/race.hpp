// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// One solver on one problem, judged by noiseless values.
struct Race {
  std::vector<double> evaluations, gap, violation;  // of the recommendation, in units of |f*|
  double first = 0;     // evaluations until both are at most the tolerance for the first time (infinity: never)
  double for_good = 0;  // N such that they are so at every evaluation from N to 2 N evaluations, where the race ends
  double done = 0;      // evaluations made
  double seconds_per_evaluation = 0;  // the solver's own time
};

struct RaceLimits {
  std::int64_t budget = 1000;
  double seconds = std::numeric_limits<double>::infinity();  // for the whole race, with the evaluations
  double tolerance = 0.01;
};

// A competitor: a named search, or a driver that calls the oracle itself (libraries with callbacks). The driver reports
// every evaluation by note(x), its recommendation after it, and stops when note returns false.
struct Competitor {
  std::string name;
  std::function<Search(const Spec&, std::uint64_t seed)> search;
  std::function<void(const Problem&, std::uint64_t seed, const std::function<bool(const Vector& x)>& note)> drive;
};

Race race(const Problem& problem, const Competitor& competitor, const RaceLimits& limits, std::uint64_t seed);

// By name: every solver of the catalog at its defaults, and the peers that only the bench knows:
//   conex-tuned      Algorithm 1, steps and radius from a grid
//   conex-theorem    Algorithm 1 with the steps of Theorem 3.1
//   spsa-al          simultaneous perturbation with an augmented Lagrangian, first step from a grid
//   regression       least-squares quadratics through uniform points of a box around the start, then their optimum
//   cobyla-frozen, cobyla-fresh, slsqp-frozen, slsqp-fresh   NLopt, one noise key for all evaluations or a new one each
// More than one candidate where there is a grid: whoever races picks the best on an instance that is not raced on.
std::vector<Competitor> candidates_named(const std::string& name, const Spec& spec);

// The candidate that is first on `held_out`, or ends with the best score if none arrives.
Competitor best_candidate(const std::string& name, const Problem& held_out, const RaceLimits& limits, int jobs);

}  // namespace zeroth
