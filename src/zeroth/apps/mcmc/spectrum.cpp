// SPDX-License-Identifier: MIT
#include "zeroth/apps/mcmc/spectrum.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "zeroth/core/vector.hpp"

namespace zeroth::mcmc {
namespace {

// What coda takes for "no variation left": all.equal(sd, 0), whose tolerance is sqrt(machine epsilon), absolute near
// zero.
constexpr double no_variation = 1.5e-8;

// Four partial sums: as fast as vectors, and the same bits wherever the series lies in memory.
template <class Term>
double sum(std::span<const double> series, Term term) {
  std::array<double, 4> part{};
  std::size_t i = 0;
  for (; i + 4 <= series.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) part[k] += term(series[i + k]);
  double total = (part[0] + part[1]) + (part[2] + part[3]);
  for (; i < series.size(); ++i) total += term(series[i]);
  return total;
}

double deviation_from_a_line(const Vector& centred) {
  const auto n = static_cast<double>(centred.size());
  const Vector time = Vector::LinSpaced(centred.size(), -0.5 * (n - 1), 0.5 * (n - 1));
  const Vector residual = centred - (centred.dot(time) / time.squaredNorm()) * time;
  return std::sqrt(residual.squaredNorm() / (n - 1));
}

}  // namespace

double mean(std::span<const double> series) {
  return sum(series, [](double v) { return v; }) / static_cast<double>(series.size());
}

double squared_deviations(std::span<const double> series) {
  // Rounding of the mean must not make a dead chain evaluation alive.
  if (std::ranges::all_of(series, [&](double v) { return v == series.front(); })) return 0;
  const double center = mean(series);
  return sum(series, [center](double v) { return (v - center) * (v - center); });
}

double variance(std::span<const double> series) {
  return squared_deviations(series) / (static_cast<double>(series.size()) - 1);
}

Spectrum spectrum_ar(std::span<const double> series) {
  const auto n = static_cast<Index>(series.size());
  if (n < 2) return {};
  const Vector centred = as_vector(series).array() - mean(series);
  if (!(deviation_from_a_line(centred) > no_variation)) return {};

  const double count = static_cast<double>(n);
  const Index largest = std::min(n - 1, static_cast<Index>(std::floor(10 * std::log10(count))));
  Vector r(largest + 1);  // autocovariances with divisor n
  for (Index k = 0; k <= largest; ++k) r[k] = centred.head(n - k).dot(centred.tail(n - k)) / count;

  // Levinson-Durbin; AIC(m) = n log v_m + 2m, its first minimum taken.
  Vector phi = Vector::Zero(largest), next(largest);
  double v = r[0], best_aic = count * std::log(v), best_v = v, best_sum = 0;
  int best_order = 0;
  for (Index m = 1; m <= largest; ++m) {
    double reflected = r[m];
    for (Index i = 0; i + 1 < m; ++i) reflected -= phi[i] * r[m - 1 - i];
    reflected /= v;
    for (Index i = 0; i + 1 < m; ++i) next[i] = phi[i] - reflected * phi[m - 2 - i];
    phi.head(m - 1) = next.head(m - 1);
    phi[m - 1] = reflected;
    v *= 1 - reflected * reflected;
    if (!(v > 0)) break;  // the rest is determined exactly; nothing left to fit
    const double aic = count * std::log(v) + 2 * static_cast<double>(m);
    if (aic < best_aic) {
      best_aic = aic;
      best_v = v;
      best_sum = phi.head(m).sum();
      best_order = static_cast<int>(m);
    }
  }
  const double innovation = best_v * count / (count - (best_order + 1));
  return {innovation / ((1 - best_sum) * (1 - best_sum)), best_order};
}

}  // namespace zeroth::mcmc
