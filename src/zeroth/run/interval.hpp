// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/run/result.hpp"

namespace zeroth {

// 95 % confidence sequences: with probability 0.95 they hold at all sample sizes at once, so that whoever evaluations
// again and again, stops when it pleases or goes on with more evaluations is not misled.
//
// Of a mean: the t-mixture of T. L. Lai (Ann. Statist. 4, 1976), in the form of H. Wang and A. Ramdas ("Anytime-valid
// t-tests and confidence sequences for Gaussian means with unknown variance", 2023). With effect sizes mixed over
// N(0, 1/c^2) the set of means not yet refuted is
//   |mean - mu| <= (s / sqrt n) sqrt((n - 1) (a - 1) / (1 - a k)),  k = c^2 / (n + c^2),  a = (0.05 sqrt k)^(-2/n).
// Exact for normal noise of unknown variance, asymptotically valid for any noise of finite variance. So that the first
// evaluations of skewed noise do not mislead, all of it is widened by 1 + 8 / n, with which exponential noise is
// covered.
//
// Of a probability: the beta-binomial mixture of H. Robbins (Ann. Math. Statist. 41, 1970), exact.

struct MeanSequence {
  double c2 = 1;  // where it is narrowest: at about 10 c^2 to 1000 c^2 evaluations
  // For about so many evaluations.
  static MeanSequence planned_for(std::int64_t evaluations);
  // Half-width in units of the standard deviation of one evaluation; infinite while there are too few.
  double half_width(std::int64_t count, double error = 0.05) const;
  // The smallest error at which this t statistic (of the mean against a value) still refutes the value.
  double error_at(std::int64_t count, double t) const;
};

// Of a probability, after `seen` of `count`.
Interval share_interval(std::int64_t seen, std::int64_t count, double error = 0.05);
// The smallest error at which `seen` of `count` refutes the probability p.
double share_error(std::int64_t seen, std::int64_t count, double p);
// Of a quantile of independent values with whatever distribution; infinite ends where there are too few.
Interval quantile_sequence(std::vector<double> values, double level, double error = 0.05);

}  // namespace zeroth
