// SPDX-License-Identifier: MIT
#include "zeroth/model/slice_sampling.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace zeroth {
namespace {

constexpr int max_doublings = 1000;

double slice_coordinate(const std::function<double(const Vector&)>& log_density, Vector& x, Index k, double at_x,
                        double width, Rng& rng) {
  const double start = x[k];
  const auto along = [&](double value) {
    x[k] = value;
    return log_density(x);
  };
  const double level = at_x + std::log(rng.uniform());
  double left = start - width * rng.uniform(), right = left + width;
  double at_left = along(left), at_right = along(right);
  for (int doubling = 0; doubling < max_doublings && (at_left > level || at_right > level); ++doubling) {
    if (rng.below(2) == 0) {
      left -= right - left;
      at_left = along(left);
    } else {
      right += right - left;
      at_right = along(right);
    }
  }
  const bool doubled = right - left > 1.1 * width;
  // Would the doubling have found this interval from `candidate` too?
  const auto acceptable = [&](double candidate) {
    if (!doubled) return true;
    double low = left, high = right;
    bool differ = false;
    while (high - low > 1.1 * width) {
      const double middle = 0.5 * (low + high);
      if ((start < middle) != (candidate < middle)) differ = true;
      (candidate < middle ? high : low) = middle;
      if (differ && along(low) <= level && along(high) <= level) return false;
    }
    return true;
  };
  double low = left, high = right;
  for (;;) {
    const double candidate = rng.uniform(low, high);
    const double value = along(candidate);
    if (value > level && acceptable(candidate)) {
      x[k] = candidate;
      return value;
    }
    (candidate < start ? low : high) = candidate;
    if (!(high - low > 1e-12 * (1 + std::abs(start)))) {  // shrunk onto the start
      x[k] = start;
      return at_x;
    }
  }
}

}  // namespace

double slice_sweep(const std::function<double(const Vector&)>& log_density, Vector& x, double log_density_at_x,
                   double width, Rng& rng) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  for (const Index k : order) log_density_at_x = slice_coordinate(log_density, x, k, log_density_at_x, width, rng);
  return log_density_at_x;
}

}  // namespace zeroth
