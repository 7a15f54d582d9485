// SPDX-License-Identifier: MIT
#include "zeroth/core/statistics/tail_mean.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {

double TailMean::probability_at_most(double limit) const {
  if (std::isnan(mean) || std::isnan(se)) return std::numeric_limits<double>::quiet_NaN();
  if (se == 0) return mean <= limit ? 1 : 0;
  const double root = std::sqrt(evaluations), u = std::clamp((mean - limit) / se / root, -1e30, 1e30), g = skewness;
  const double t = root * (u + g * u * u / 3 + g * g * u * u * u / 27 + g / (6 * evaluations));
  return boost::math::cdf(boost::math::students_t(degrees), std::clamp(-t, -1e100, 1e100));
}

// The limit at which `probability_at_most` is 1 - level: Hall's transformation backwards.
double TailMean::end(double level) const {
  if (std::isnan(se))
    return level > 0.5 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const double root = std::sqrt(evaluations), g = skewness;
  const double t = boost::math::quantile(boost::math::students_t(degrees), level) / root - g / (6 * evaluations);
  const double u = std::abs(g) < 1e-9 ? t : 3 / g * (std::cbrt(1 + g * t) - 1);
  return mean - u * se * root;
}

TailMean tail_mean(const std::vector<double>& evaluations, double share) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  if (evaluations.empty()) return {unknown, unknown, 1};
  std::array<std::vector<double>, 2> half;
  for (std::size_t k = 0; k < evaluations.size(); ++k) half[k % 2].push_back(evaluations[k]);
  if (half[1].empty()) return {evaluations[0], unknown, 1};
  std::array<double, 2> quantile{};
  for (std::size_t h = 0; h < 2; ++h) quantile[h] = sample_quantile(half[1 - h], 1 - share);
  RunningMoments moments;
  std::vector<double> bounds;
  for (std::size_t k = 0; k < evaluations.size(); ++k) {
    const double t = quantile[k % 2];
    bounds.push_back(t + std::max(0.0, evaluations[k] - t) / share);
    moments.add(bounds.back());
  }
  const auto count = static_cast<double>(evaluations.size());
  TailMean tail{moments.mean, evaluations.size() > 2 ? moments.deviation() / std::sqrt(count) : unknown,
                std::max(1.0, count * share - 1), 0, count};
  if (tail.se > 0) {
    double cubes = 0;
    for (const double v : bounds) cubes += std::pow((v - moments.mean) / moments.deviation(), 3);
    tail.skewness = cubes / count;
  }
  return tail;
}

}  // namespace zeroth
