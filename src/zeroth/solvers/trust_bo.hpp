// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// Noise-aware constrained Bayesian optimisation for small budgets: 50 to 300 evaluations in 2 to 20 dimensions.
struct TrustBoOptions {
  std::int64_t start = 0;
  double safety = 0.95;
  double verify = 0.5;
  std::int64_t draws = 24;
  std::int64_t candidates = 400;
  double equality_tolerance = 0;
};

inline OptionList options_of(TrustBoOptions& o) {
  return {{"start", o.start,
           "points of the initial design; 0: 2 d + 4 (8 up to four variables, 12 beyond 20), at most budget / 3",
           nonnegative},
          {"safety", o.safety, "posterior probability of each constraint at the recommended point",
           Range{.lower = 0.5, .upper = 0.9999}},
          {"verify", o.verify,
           "share of evaluations spent at the model's optimum rather than on improvement; for d > 4 times 2/sqrt(d) up "
           "to 5 d looks",
           fraction},
          {"draws", o.draws, "posterior draws of the evaluated points in the noisy improvement", at_least_one},
          {"candidates", o.candidates, "candidates per proposal", Range{.lower = 10}},
          {"equality_tolerance", o.equality_tolerance,
           "an equality holds within this; 0: the problem's tolerance, or 1 % of the largest value seen", nonnegative}};
}

Search trust_bo(Spec spec, TrustBoOptions options, std::uint64_t seed);

}  // namespace zeroth
