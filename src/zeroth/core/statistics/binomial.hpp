// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace zeroth {

struct Interval95 {
  double lower = 0, upper = 0;
};

// Clopper and Pearson (1934): covers the true probability at least 95 times in 100, whatever it is.
Interval95 probability_interval(std::int64_t seen, std::int64_t evaluations);

// How sure `seen` of `evaluations` make it that the probability is at most `share`: the confidence at which Clopper and
// Pearson's upper end is `share`. At least as modest as any Bayesian answer with a flat prior.
double confidence_at_most(double share, std::int64_t seen, std::int64_t evaluations);

// Of independent evaluations with whatever distribution: two of them between which the quantile lies at least 95 times
// in 100. Infinite where there are too few evaluations for an end.
Interval95 quantile_interval(std::vector<double> evaluations, double level);
double sample_quantile(std::vector<double> evaluations,
                       double level);  // inf { t : share of evaluations <= t is >= level }

// The most bad evaluations of `evaluations` with which P(bad) <= share still has `confidence`; -1 if not even none
// would do.
std::int64_t most_bad(double share, std::int64_t evaluations, double confidence);
double probability_of_at_most(std::int64_t seen, std::int64_t evaluations, double probability);

}  // namespace zeroth
