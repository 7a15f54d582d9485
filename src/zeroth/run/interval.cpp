// SPDX-License-Identifier: MIT
#include "zeroth/run/interval.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

constexpr double widened = 8;
constexpr double infinite = std::numeric_limits<double>::infinity();

double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

// log of the mixture martingale (Jeffreys' mixture) against the probability p.
double log_evidence(std::int64_t seen, std::int64_t count, double p) {
  const auto k = static_cast<double>(seen), n = static_cast<double>(count);
  const double mixed = log_beta(k + 0.5, n - k + 0.5) - log_beta(0.5, 0.5);
  const auto part = [](double times, double q) { return times > 0 ? times * std::log(q) : 0; };
  return mixed - part(k, p) - part(n - k, 1 - p);
}

}  // namespace

MeanSequence MeanSequence::planned_for(std::int64_t evaluations) {
  const auto n = static_cast<double>(evaluations);
  // A hundredth keeps the first evaluations from being without any bound and the last within twice a fixed interval.
  return {std::max(std::clamp(n / 100, 0.1, 1.0), n / 1e4)};
}

double MeanSequence::half_width(std::int64_t count, double error) const {
  if (count < 2) return infinite;
  const auto n = static_cast<double>(count);
  const double k = c2 / (n + c2), a = std::pow(error * std::sqrt(k), -2 / n);
  if (!(a * k < 1)) return infinite;
  return (1 + widened / n) * std::sqrt((n - 1) * (a - 1) / (1 - a * k) / n);
}

double MeanSequence::error_at(std::int64_t count, double t) const {
  if (count < 2) return 1;
  const auto n = static_cast<double>(count);
  const double k = c2 / (n + c2), r = t * t / (n - 1);
  const double log_e = 0.5 * std::log(k) + 0.5 * n * (std::log1p(r) - std::log1p(k * r));
  return std::min(1.0, std::exp(-log_e));
}

double share_error(std::int64_t seen, std::int64_t count, double p) {
  return std::min(1.0, std::exp(-log_evidence(seen, count, p)));
}

Interval share_interval(std::int64_t seen, std::int64_t count, double error) {
  if (count < 1) return {0, 1};
  const double limit = -std::log(error), at = static_cast<double>(seen) / static_cast<double>(count);
  // The evidence grows away from the share seen: bisection on either side.
  const auto end = [&](double outer) {
    if (log_evidence(seen, count, outer) < limit) return outer;
    double inside = at, outside = outer;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (inside + outside);
      (log_evidence(seen, count, middle) < limit ? inside : outside) = middle;
    }
    return outside;
  };
  return {end(0), end(1)};
}

Interval quantile_sequence(std::vector<double> values, double level, double error) {
  const auto n = static_cast<std::int64_t>(values.size());
  Interval out{-infinite, infinite};
  std::ranges::sort(values);
  const double limit = -std::log(error);
  // At the true quantile the number of values at or below it is binomial with probability `level`.
  std::int64_t least = -1, most = -1;
  for (std::int64_t k = 0; k <= n; ++k)
    if (log_evidence(k, n, level) < limit) {
      if (least < 0) least = k;
      most = k;
    }
  if (least > 0) out.low = values[static_cast<std::size_t>(least - 1)];
  if (most >= 0 && most < n) out.high = values[static_cast<std::size_t>(most)];
  return out;
}

}  // namespace zeroth
