// SPDX-License-Identifier: MIT
#include "zeroth/model/sites.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {
namespace {}  // namespace

void Site::state(std::span<const double> se, double evaluations) {
  for (std::size_t i = 0; i < se.size(); ++i) {
    if (std::isnan(se[i])) continue;
    stated_squares.resize(se.size(), 0);
    stated.resize(se.size(), 0);
    const double size = std::min(se[i], Sites::largest);
    stated_squares[i] += size * size * evaluations;
    ++stated[i];
  }
}

std::optional<double> Site::stated_variance(Index i) const {
  const auto k = static_cast<std::size_t>(i);
  if (stated.empty() || stated[k] == 0) return {};
  return stated_squares[k] / static_cast<double>(stated[k]);
}

bool Site::whole() const {
  for (Index i = 0; i < mean.size(); ++i)
    if (seen(i) == 0) return false;
  return true;
}

void Site::add(std::span<const double> values, std::span<const double> se) {
  ++answered;
  state(se, 1);
  for (Index i = 0; i < mean.size(); ++i) {
    if (std::isnan(values[static_cast<std::size_t>(i)])) {
      unknown.resize(static_cast<std::size_t>(mean.size()), 0);
      ++unknown[static_cast<std::size_t>(i)];
      continue;
    }
    const double v = std::clamp(values[static_cast<std::size_t>(i)], -Sites::largest, Sites::largest);
    squares[i] += take_in(v, static_cast<double>(seen(i)), mean[i]);
  }
}

namespace {

std::size_t hash_of(const Vector& unit) {
  std::uint64_t h = 0;
  for (const double u : unit) h = derive_key(h, std::bit_cast<std::uint64_t>(u + 0.0));  // -0 is 0
  return h;
}

}  // namespace

Index Sites::find(const Vector& unit) const {
  const auto [begin, end] = places_.equal_range(hash_of(unit));
  for (auto it = begin; it != end; ++it)
    if ((*this)[it->second].unit == unit) return it->second;
  return -1;
}

Index Sites::site_at(const Vector& unit) {
  if (const Index known = find(unit); known >= 0) return known;
  sites_.push_back({unit, 0, 0, Vector::Zero(functions_), Vector::Zero(functions_)});
  keyed_.emplace_back();
  places_.emplace(hash_of(unit), size() - 1);
  return size() - 1;
}

Index Sites::add(const Vector& unit, const Answer& answer, Index key) {
  const Index site = site_at(unit);
  add_to(site, answer, key);
  return site;
}

Index Sites::add(const Vector& unit, const Evaluated& known) {
  const Index site = site_at(unit);
  Site& s = sites_[static_cast<std::size_t>(site)];
  const bool was_whole = s.whole();
  s.state(known.se, static_cast<double>(known.count));  // of a mean of so many
  for (Index i = 0; i < functions_; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (std::isnan(known.values[k])) {
      s.unknown.resize(static_cast<std::size_t>(functions_), 0);
      s.unknown[k] += known.count;
      continue;
    }
    const auto before = static_cast<double>(s.seen(i)), more = static_cast<double>(known.count), all = before + more;
    const double delta = std::clamp(known.values[k], -largest, largest) - s.mean[i];
    const double se = known.se.empty() || std::isnan(known.se[k]) ? 0 : known.se[k];
    s.mean[i] += delta * more / all;
    s.squares[i] += delta * delta * before * more / all + se * se * more * (more - 1);
  }
  s.answered += known.count;
  answered_ += s.whole() && !was_whole;
  evaluations_ += known.count;
  return site;
}

void Sites::add_to(Index site, const Answer& answer, Index key) {
  Site& s = sites_[static_cast<std::size_t>(site)];
  ++evaluations_;
  failures_ += answer.failed();
  if (answer.failed()) {
    ++s.failed;
    return;
  }
  const bool was_whole = s.whole();
  s.add(answer.values, answer.se);
  answered_ += s.whole() && !was_whole;
  if (key >= 0 && !std::isnan(answer.values[0]))
    keyed_[static_cast<std::size_t>(site)].push_back({key, std::clamp(answer.values[0], -largest, largest)});
  for (std::size_t i = 0; i < distinct_.size(); ++i) distinct_[i].add(answer.values[i]);
}

double Sites::quantum(Index i) const {
  const DistinctValues& values = distinct_[static_cast<std::size_t>(i)];
  return values.few(static_cast<std::size_t>(answered_)) ? std::min(values.step(), largest) : 0;
}

namespace {

// What evaluators state of their errors joins what replicates say of the noise.
void join_stated(const Sites& sites, const std::vector<Index>& which, Index function, Vector& variance) {
  constexpr double trusted = 8, degrees = 8;  // what a statement and what replicates count for
  double sum = 0, count = 0;
  for (const Index i : which)
    if (const auto stated = sites[i].stated_variance(function)) {
      sum += *stated;
      ++count;
    }
  if (count == 0) return;
  for (Index a = 0; a < variance.size(); ++a) {
    const double stated = sites[which[static_cast<std::size_t>(a)]].stated_variance(function).value_or(sum / count);
    variance[a] = std::isnan(variance[a]) ? stated : (degrees * variance[a] + trusted * stated) / (degrees + trusted);
  }
}

}  // namespace

Vector noise_variances(const Sites& sites, const std::vector<Index>& which, Index function) {
  const auto n = static_cast<Index>(which.size());
  // Ranks of the level, so that nothing depends on units.
  std::vector<Index> order(which.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index k) { return sites[which[static_cast<std::size_t>(k)]].mean[function]; });
  Vector rank(n);
  for (Index k = 0; k < n; ++k)
    rank[order[static_cast<std::size_t>(k)]] = n > 1 ? static_cast<double>(k) / static_cast<double>(n - 1) : 0;
  double pooled = 0, degrees = 0;
  for (const Index i : which) {
    pooled += sites[i].squares[function];
    degrees += static_cast<double>(sites[i].seen(function) - 1);
  }
  Vector variance = Vector::Constant(n, std::nan(""));
  if (degrees == 0) {
    join_stated(sites, which, function, variance);
    return variance;
  }
  pooled /= degrees;
  constexpr double near = 0.2, alike = 0.2;  // of the cube's diagonal; of the ranks
  constexpr double faith = 4;                // degrees of freedom that the neighbours are worth
  constexpr double doubted = 2;              // degrees of freedom that all sites together are worth at each
  constexpr double whole = 0.5;  // degrees of freedom that all sites together are worth among the neighbours
  const double step = sites.quantum(function);
  for (Index a = 0; a < n; ++a) {
    const Site& here = sites[which[static_cast<std::size_t>(a)]];
    double sum = whole * pooled, weight = whole;
    for (Index b = 0; b < n; ++b) {
      const Site& there = sites[which[static_cast<std::size_t>(b)]];
      if (there.seen(function) < 2) continue;
      const double distance =
          (here.unit - there.unit).norm() / (near * std::sqrt(static_cast<double>(here.unit.size())));
      const double level = (rank[a] - rank[b]) / alike;
      const double w = std::exp(-0.5 * (distance * distance + level * level));
      sum += w * there.squares[function];
      weight += w * static_cast<double>(there.seen(function) - 1);
    }
    const double own = static_cast<double>(here.seen(function) - 1);
    // Something of what all sites say: a few equal replicates do not prove that noise has vanished here.
    variance[a] = (faith * sum / weight + here.squares[function] + doubted * pooled) / (faith + own + doubted);
    if (pooled > 0) {
      const auto all = static_cast<double>(here.seen(function));
      variance[a] = std::max(variance[a], step * step * (all + 1) / ((all + 2) * (all + 2)));
    }
  }
  join_stated(sites, which, function, variance);
  return variance;
}

}  // namespace zeroth
