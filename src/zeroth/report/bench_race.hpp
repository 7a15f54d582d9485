// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// One solver on one problem, judged by noiseless values after every batch.
struct Race {
  std::vector<double> evaluations, gap, violation;  // of the recommendation, in units of |f*|
  double first = 0;                                 // evaluations until both are at most 1 % (infinity: never)
  double for_good = 0;                              // evaluations after which they stayed so
  double seconds_per_evaluation = 0;                // the solver's own time
};

// A competitor: a named search, or a driver that calls the oracle itself (libraries with callbacks). The driver reports
// every evaluation by note(x), its recommendation after it, and stops when note returns false.
struct Competitor {
  std::string name;
  std::function<Search(const Spec&, std::uint64_t seed)> search;
  std::function<void(const Problem&, std::uint64_t seed, const std::function<bool(const Vector& x)>& note)> drive;
};

Race race(const Problem& problem, const Competitor& competitor, std::int64_t budget, std::uint64_t seed,
          double tolerance = 0.01);

// By name: every solver of the catalog at its defaults, and the peers that only the bench knows:
//   conex-tuned      Algorithm 1 with steps tuned by hand for the qcqp
//   spsa-al          simultaneous perturbation with an augmented Lagrangian
//   regression       least-squares quadratics through uniform points of a box around the start, then their optimum
//   cobyla-frozen, cobyla-fresh, slsqp-frozen, slsqp-fresh   NLopt, one noise key for all looks or a new one each
Competitor competitor_named(const std::string& name);

}  // namespace zeroth
