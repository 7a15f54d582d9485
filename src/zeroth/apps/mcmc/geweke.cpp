// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "zeroth/apps/mcmc/diagnostics.hpp"
#include "zeroth/apps/mcmc/spectrum.hpp"

namespace zeroth::mcmc {
namespace {

double spread(std::span<const double> series) {
  return squared_deviations(series) / static_cast<double>(series.size());
}

double score(double difference, double variance) { return variance > 0 ? difference / std::sqrt(variance) : infinity; }

}  // namespace

double effective_size(std::span<const double> series) {
  const double spec = spectrum_ar(series).at_zero;
  return spec > 0 ? static_cast<double>(series.size()) * variance(series) / spec : 0;
}

double geweke_coda(std::span<const double> series, GewekeWindows windows) {
  if (series.size() < 2) return infinity;
  // In coda's 1-based times: 1 .. ceil(1 + first (n-1)), and floor(n - last (n-1)) .. n.
  const auto n = static_cast<double>(series.size());
  const auto first_end = static_cast<std::size_t>(std::ceil(1 + windows.first * (n - 1)));
  const auto last_begin = static_cast<std::size_t>(std::floor(n - windows.last * (n - 1))) - 1;
  const auto a = series.first(first_end), b = series.subspan(last_begin);
  const double spec_a = spectrum_ar(a).at_zero, spec_b = spectrum_ar(b).at_zero;
  return score(mean(a) - mean(b), spec_a / static_cast<double>(a.size()) + spec_b / static_cast<double>(b.size()));
}

std::vector<double> geweke_pymc(std::span<const double> series, GewekeWindows windows, int intervals) {
  std::vector<double> scores;
  if (series.size() < 2) return scores;
  const double end = static_cast<double>(series.size()) - 1;
  const double last_start = (1 - windows.last) * end;
  const auto step = static_cast<std::size_t>(last_start / (intervals - 1));
  if (step == 0) return scores;
  for (std::size_t s = 0; s < static_cast<std::size_t>(last_start); s += step) {
    const double rest = end - static_cast<double>(s);
    const auto a = series.subspan(s, static_cast<std::size_t>(windows.first * rest));
    const auto b = series.subspan(static_cast<std::size_t>(end - windows.last * rest));
    if (a.empty()) continue;
    scores.push_back(score(mean(a) - mean(b), spread(a) + spread(b)));
  }
  return scores;
}

double worst_geweke_pymc(std::span<const double> series) {
  const auto scores = geweke_pymc(series);
  if (scores.empty()) return infinity;
  double worst = 0;
  for (const double z : scores) worst = std::max(worst, std::abs(z));
  return worst;
}

}  // namespace zeroth::mcmc
