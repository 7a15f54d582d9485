// SPDX-License-Identifier: MIT
#include "zeroth/core/statistics/binomial.hpp"

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "zeroth/core/vector.hpp"

namespace zeroth {
namespace {

constexpr double tail = 0.025;

}  // namespace

Interval95 probability_interval(std::int64_t seen, std::int64_t evaluations) {
  if (evaluations < 1) return {0, 1};
  const auto k = static_cast<double>(seen), n = static_cast<double>(evaluations);
  using Beta = boost::math::beta_distribution<double>;
  return {seen == 0 ? 0 : boost::math::quantile(Beta(k, n - k + 1), tail),
          seen == evaluations ? 1 : boost::math::quantile(boost::math::complement(Beta(k + 1, n - k), tail))};
}

double probability_of_at_most(std::int64_t seen, std::int64_t evaluations, double probability) {
  if (seen < 0) return 0;
  if (seen >= evaluations) return 1;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(evaluations), std::clamp(probability, 0.0, 1.0)),
                          static_cast<double>(seen));
}

double confidence_at_most(double share, std::int64_t seen, std::int64_t evaluations) {
  return evaluations < 1 ? 0 : 1 - probability_of_at_most(seen, evaluations, share);
}

std::int64_t most_bad(double share, std::int64_t evaluations, double confidence) {
  std::int64_t most = -1;
  while (most < evaluations && confidence_at_most(share, most + 1, evaluations) >= confidence) ++most;
  return most;
}

double sample_quantile(std::vector<double> evaluations, double level) {
  if (evaluations.empty()) return std::nan("");
  const auto n = static_cast<double>(evaluations.size());
  const auto place = static_cast<std::size_t>(std::clamp(std::ceil(level * n) - 1, 0.0, n - 1));
  std::ranges::nth_element(evaluations, evaluations.begin() + static_cast<std::ptrdiff_t>(place));
  return evaluations[place];
}

// The j-th smallest evaluation is at most the quantile q iff j evaluations or more fall at or below it, and their
// number is binomial with q (with ties, more certainly so). Hence lower end: the largest j with P(Bin(n, q) < j) <=
// 0.025; upper end: the smallest j with P(Bin(n, q) >= j) <= 0.025.
Interval95 quantile_interval(std::vector<double> evaluations, double level) {
  std::ranges::sort(evaluations);
  const auto n = static_cast<std::int64_t>(evaluations.size());
  Interval95 ends{-infinity, infinity};
  for (std::int64_t j = 1; j <= n && probability_of_at_most(j - 1, n, level) <= tail; ++j)
    ends.lower = evaluations[static_cast<std::size_t>(j - 1)];
  for (std::int64_t j = n; j >= 1 && 1 - probability_of_at_most(j - 1, n, level) <= tail; --j)
    ends.upper = evaluations[static_cast<std::size_t>(j - 1)];
  return ends;
}

}  // namespace zeroth
