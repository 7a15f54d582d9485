// SPDX-License-Identifier: MIT
#include "zeroth/report/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <limits>

#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {

Moments moments(std::span<const double> sample) {
  RunningMoments running;
  for (const double v : sample) running.add(v);
  return {running.mean, running.standard_error()};
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  const double n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / n;
    mean_y += y[i] / n;
  }
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  Line line;
  line.slope = xy / xx;
  line.intercept = mean_y - line.slope * mean_x;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) residual += std::pow(y[i] - line.intercept - line.slope * x[i], 2);
  const double half_width =
      n > 2 ? boost::math::quantile(boost::math::students_t(n - 2), 0.975) * std::sqrt(residual / (n - 2) / xx)
            : std::numeric_limits<double>::infinity();
  line.lower = line.slope - half_width;
  line.upper = line.slope + half_width;
  return line;
}

double sign_test(int better, int worse) {
  if (better == 0) return 1;
  // P(X >= better) of X ~ B(n, 1/2) is the regularised incomplete beta function I_{1/2}(better, n - better + 1).
  return boost::math::ibeta(static_cast<double>(better), static_cast<double>(worse) + 1.0, 0.5);
}

double half_width_95(double se, std::int64_t sample_size) {
  if (sample_size < 2) return 1.959963984540054 * se;
  return boost::math::quantile(boost::math::students_t(static_cast<double>(sample_size - 1)), 0.975) * se;
}

double welch_p_value(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  const Moments ma = moments(a), mb = moments(b);
  const double va = ma.se * ma.se, vb = mb.se * mb.se;
  if (va + vb == 0) return ma.mean == mb.mean ? 1 : 0;
  const double freedom = (va + vb) * (va + vb) /
                         (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  const double t = std::abs(ma.mean - mb.mean) / std::sqrt(va + vb);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

std::vector<double> holm(std::vector<double> p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i)
    if (!std::isnan(p_values[i])) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  double highest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    double& p = p_values[order[rank]];
    highest = std::max(highest, std::min(1.0, p * static_cast<double>(order.size() - rank)));
    p = highest;
  }
  return p_values;
}

double median(std::vector<double> v) {
  std::ranges::sort(v);
  const std::size_t k = v.size() / 2;
  return v.size() % 2 ? v[k] : 0.5 * (v[k - 1] + v[k]);
}

double quantile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const double position = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(position);
  const double rest = position - static_cast<double>(low);
  if (low + 1 >= values.size() || rest == 0) return values[low];
  const double above = values[low + 1];
  return std::isinf(above) ? above : values[low] + rest * (above - values[low]);
}

}  // namespace zeroth
