// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "zeroth/core/statistics/running_moments.hpp"
#include "zeroth/model/sites.hpp"

// Noise under one key at a site i and at the reference b: y_ik = f_i + beta_i c_k + e_ik, where c_k is what the
// reference shows under key k. beta_i is a regression within sites, over i and its neighbours, since what is shared
// fades with distance; it is shrunk by its own error and 0 where that error is as large as itself. The mean at i less
// beta_i times the mean of c_k over its keys has the noise of e alone.
namespace zeroth {
namespace {

constexpr std::size_t enough_keys = 8;
constexpr double near = 0.2;  // of the cube's diagonal

// Squares and products within a site.
struct Within {
  double cc = 0, cy = 0, yy = 0, degrees = 0;

  void add(const Within& other, double weight) {
    cc += weight * other.cc;
    cy += weight * other.cy;
    yy += weight * other.yy;
    degrees += weight * other.degrees;
  }
  double slope() const {
    if (!(cc > 0) || !(yy > 0) || degrees < 2) return 0;
    const double explained = std::min(cy * cy / (cc * yy), 1 - 1e-12);
    const double ratio = explained * (degrees - 1) / (1 - explained);  // an F statistic
    return cy / cc * std::max(0.0, 1 - 1 / ratio);
  }
};

}  // namespace

Index Sites::reference() const {
  const auto most = std::ranges::max_element(keyed_, {}, &std::vector<Keyed>::size);
  return most == keyed_.end() || most->size() < enough_keys ? -1 : most - keyed_.begin();
}

std::optional<double> Sites::noise_under(Index key) const {
  const auto found = residual_.find(key);
  return found == residual_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Index> Sites::known_key(Index site, Rng& rng) const {
  const Index b = reference();
  if (b < 0 || site == b) return {};
  const auto& theirs = keyed_[static_cast<std::size_t>(b)];
  const auto used = [&](Index key) {
    return site >= 0 &&
           std::ranges::any_of(keyed_[static_cast<std::size_t>(site)], [&](const Keyed& k) { return k.key == key; });
  };
  constexpr int tries = 8;
  for (int t = 0; t < tries; ++t)
    if (const Index key = theirs[static_cast<std::size_t>(rng.below(theirs.size()))].key; !used(key)) return key;
  return {};
}

void Sites::remove_shared_noise(const std::vector<Index>& which) {
  const Index b = reference();
  residual_.clear();
  if (b < 0) return;
  RunningMoments own;
  for (const Keyed& k : keyed_[static_cast<std::size_t>(b)]) own.add(k.value);
  for (const Keyed& k : keyed_[static_cast<std::size_t>(b)]) residual_[k.key] = k.value - own.mean;

  std::vector<Within> within(which.size());
  for (std::size_t a = 0; a < which.size(); ++a) {
    if (which[a] == b) continue;
    RunningMoments c, y;
    double products = 0;
    for (const Keyed& k : keyed_[static_cast<std::size_t>(which[a])]) {
      const auto shown = noise_under(k.key);
      if (!shown) continue;
      const double before = *shown - c.mean;
      c.add(*shown);
      y.add(k.value);
      products += before * (k.value - y.mean);
    }
    if (c.count < 2) continue;
    within[a] = {c.squares, products, y.squares, c.count - 1};
  }
  Within rest;  // what is left, over all sites
  for (std::size_t a = 0; a < which.size(); ++a) {
    if (which[a] == b) continue;
    Site& site = sites_[static_cast<std::size_t>(which[a])];
    Within local;
    for (std::size_t o = 0; o < which.size(); ++o) {
      if (within[o].degrees == 0) continue;
      const double distance =
          (site.unit - (*this)[which[o]].unit).norm() / (near * std::sqrt(static_cast<double>(site.unit.size())));
      local.add(within[o], std::exp(-0.5 * distance * distance));
    }
    site.shared = local.slope();
    RunningMoments corrected;
    for (const Keyed& k : keyed_[static_cast<std::size_t>(which[a])])
      corrected.add(k.value - site.shared * noise_under(k.key).value_or(0));
    if (corrected.count == static_cast<double>(site.answered)) {  // nothing but keyed evaluations
      site.mean[0] = corrected.mean;
      site.squares[0] = corrected.squares;
      rest.yy += corrected.squares;
      rest.degrees += corrected.count - 1;
    }
  }
  // The reference is what the others are relative to: its own noise is common to all, and what is left counts as
  // theirs.
  Site& at = sites_[static_cast<std::size_t>(b)];
  if (own.count < static_cast<double>(at.answered)) return;  // evaluated under no key, too
  const double left = rest.degrees < static_cast<double>(enough_keys)
                          ? own.variance()
                          : std::min(rest.yy / rest.degrees, own.variance());
  reference_noise_ = own.deviation();
  level_variance_ = (own.variance() - left) / own.count;
  at.shared = 1;
  at.mean[0] = own.mean;
  at.squares[0] = left * (own.count - 1);
}

}  // namespace zeroth
