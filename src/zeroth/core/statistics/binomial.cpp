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

Interval95 probability_interval(std::int64_t seen, std::int64_t looks) {
  if (looks < 1) return {0, 1};
  const auto k = static_cast<double>(seen), n = static_cast<double>(looks);
  using Beta = boost::math::beta_distribution<double>;
  return {seen == 0 ? 0 : boost::math::quantile(Beta(k, n - k + 1), tail),
          seen == looks ? 1 : boost::math::quantile(boost::math::complement(Beta(k + 1, n - k), tail))};
}

double probability_of_at_most(std::int64_t seen, std::int64_t looks, double probability) {
  if (seen < 0) return 0;
  if (seen >= looks) return 1;
  return boost::math::cdf(boost::math::binomial(static_cast<double>(looks), std::clamp(probability, 0.0, 1.0)),
                          static_cast<double>(seen));
}

double confidence_at_most(double share, std::int64_t seen, std::int64_t looks) {
  return looks < 1 ? 0 : 1 - probability_of_at_most(seen, looks, share);
}

std::int64_t most_bad(double share, std::int64_t looks, double confidence) {
  std::int64_t most = -1;
  while (most < looks && confidence_at_most(share, most + 1, looks) >= confidence) ++most;
  return most;
}

double sample_quantile(std::vector<double> looks, double level) {
  if (looks.empty()) return std::nan("");
  const auto n = static_cast<double>(looks.size());
  const auto place = static_cast<std::size_t>(std::clamp(std::ceil(level * n) - 1, 0.0, n - 1));
  std::ranges::nth_element(looks, looks.begin() + static_cast<std::ptrdiff_t>(place));
  return looks[place];
}

// The j-th smallest look is at most the quantile q iff j looks or more fall at or below it, and their number is
// binomial with q (with ties, more certainly so). Hence lower end: the largest j with P(Bin(n, q) < j) <= 0.025; upper
// end: the smallest j with P(Bin(n, q) >= j) <= 0.025.
Interval95 quantile_interval(std::vector<double> looks, double level) {
  std::ranges::sort(looks);
  const auto n = static_cast<std::int64_t>(looks.size());
  Interval95 ends{-infinity, infinity};
  for (std::int64_t j = 1; j <= n && probability_of_at_most(j - 1, n, level) <= tail; ++j)
    ends.lower = looks[static_cast<std::size_t>(j - 1)];
  for (std::int64_t j = n; j >= 1 && 1 - probability_of_at_most(j - 1, n, level) <= tail; --j)
    ends.upper = looks[static_cast<std::size_t>(j - 1)];
  return ends;
}

}  // namespace zeroth
