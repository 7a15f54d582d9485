// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace zeroth {

// Conditional value at risk, CVaR: the mean of the largest `share` of what a value may be. For every t
//   t + E[(v - t)+] / share >= CVaR,    with equality where t is the quantile at 1 - share
// (Rockafellar and Uryasev, 2000).
struct TailMean {
  double mean = 0, se = 0;
  double degrees = 1;  // of freedom of the error: what the evaluations in the tail are worth
  double skewness = 0, evaluations = 1;

  // By Student's t, corrected for skewness, which tails have (Hall 1992): without it too much would be claimed.
  double probability_at_most(double limit) const;  // P(CVaR <= limit)
  double lower() const { return end(0.975); }      // of the 95 % interval
  double upper() const { return end(0.025); }
  double end(double level) const;
};

// From independent evaluations. Each half's t is the quantile of the other half, so that the mean is not drawn below
// the truth by a t that was chosen for the very evaluations it is used on.
TailMean tail_mean(const std::vector<double>& evaluations, double share);

}  // namespace zeroth
