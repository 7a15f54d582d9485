// SPDX-License-Identifier: MIT
#include "zeroth/report/decimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {
namespace {

using State = RunHistory::State;

Stretch interval_of(const RunHistory& h, std::size_t begin, std::size_t end) {
  const std::size_t functions = h.functions().size();
  Stretch b{begin,
            end,
            0,
            0,
            0,
            std::vector(functions, end),
            std::vector(functions, end),
            std::vector<double>(functions, std::nan("")),
            std::vector<double>(functions, std::nan(""))};
  std::vector<RunningMoments> moments(functions);
  for (std::size_t k = begin; k < end; ++k) {
    if (h.state(k) == State::failed) ++b.failed;
    if (h.state(k) != State::answered) continue;
    ++b.answered;
    if (h.looked_infeasible(k)) ++b.infeasible;
    for (std::size_t f = 0; f < functions; ++f) {
      const double v = h.value(k, f);
      if (!std::isfinite(v)) continue;
      const double seen = h.shown(k, f);  // what is drawn decides what is extreme
      if (b.lowest[f] == end || seen < h.shown(b.lowest[f], f)) b.lowest[f] = k;
      if (b.highest[f] == end || seen > h.shown(b.highest[f], f)) b.highest[f] = k;
      moments[f].add(v);
    }
  }
  for (std::size_t f = 0; f < functions; ++f) {
    if (moments[f].count > 0) b.mean[f] = moments[f].mean;
    b.se[f] = moments[f].standard_error();
  }
  return b;
}

}  // namespace

std::vector<Stretch> intervals(const RunHistory& h, std::size_t count) {
  std::vector<Stretch> list;
  count = std::min(std::max<std::size_t>(1, count), h.size());
  for (std::size_t i = 0; i < count; ++i)
    list.push_back(interval_of(h, i * h.size() / count, (i + 1) * h.size() / count));
  return list;
}

std::vector<std::size_t> keep_extremes(const RunHistory& h, std::size_t limit) {
  std::vector<std::size_t> kept;
  if (h.size() <= limit) {
    for (std::size_t k = 0; k < h.size(); ++k)
      if (h.state(k) != State::missing) kept.push_back(k);
    return kept;
  }
  for (const Stretch& b : intervals(h, limit / (2 * h.functions().size() + 1))) {
    for (const auto* list : {&b.lowest, &b.highest})
      for (const std::size_t k : *list)
        if (k != b.end) kept.push_back(k);
    for (std::size_t k = b.begin; k < b.end && b.failed > 0; ++k)
      if (h.state(k) == State::failed) {
        kept.push_back(k);
        break;
      }
  }
  std::ranges::sort(kept);
  const auto rest = std::ranges::unique(kept);
  kept.erase(rest.begin(), rest.end());
  return kept;
}

std::vector<std::size_t> keep_even(const RunHistory& h, std::size_t limit) {
  std::vector<std::size_t> kept;
  const std::size_t count = std::min(limit, h.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t k = i * h.size() / count;
    if (h.state(k) != State::missing) kept.push_back(k);
  }
  return kept;
}

}  // namespace zeroth
