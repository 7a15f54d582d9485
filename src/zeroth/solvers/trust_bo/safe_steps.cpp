// SPDX-License-Identifier: MIT
#include "zeroth/solvers/trust_bo/safe_steps.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

constexpr double safe_modesty = 1.5;       // models are surer than they should be
constexpr double first_safe_reach = 0.04;  // of the cube's edge: steps before there is a model
constexpr double safe_reach = 0.12;        // from a safe site
constexpr double safe_share = 0.5;         // of a site's distance to a limit
constexpr int safe_halvings = 6, safe_tries = 24;

}  // namespace

Vector SafeSteps::small_step(const Vector& from, double size, Rng& rng) const {
  Vector u = from;
  for (Index k = 0; k < u.size(); ++k)
    if (box_.categories(k) == 0) u[k] = std::clamp(u[k] + size * (2 * rng.uniform() - 1), 0.0, 1.0);
  return box_.snap(u);
}

Vector SafeSteps::first(Index number, Rng& rng) const {
  return number < replicates ? start_ : small_step(start_, first_safe_reach, rng);
}

Vector SafeSteps::probability(const Matrix& units) const {
  const Beliefs b = model_.predict(units);
  Vector out = Vector::Ones(units.cols());
  for (Index k = 0; k < units.cols(); ++k) {
    for (Index i = 1; i < model_.functions(); ++i)
      out[k] -= normal_cdf((b.mean(i, k) - model_.upper(i)) / std::max(safe_modesty * b.sd(i, k), 1e-12));
    out[k] = std::max(0.0, out[k]);
  }
  return out;
}

bool SafeSteps::start_is_infeasible() const {
  const Index site = model_.sites().find(start_);
  if (site < 0 || model_.sites()[site].answered < 3) return false;
  const Site& s = model_.sites()[site];
  const auto n = static_cast<double>(s.answered);
  for (Index i = 1; i < model_.functions(); ++i)
    if (s.mean[i] > 3 * std::sqrt(s.squares[i] / (n * (n - 1)))) return true;
  return false;
}

void SafeSteps::update() {
  sites_.clear();
  const auto count = static_cast<Index>(model_.active().size());
  if (count == 0) return;
  Matrix units(start_.size(), count);
  for (Index k = 0; k < count; ++k) units.col(k) = model_.sites()[model_.active()[static_cast<std::size_t>(k)]].unit;
  const Vector safe = probability(units);
  const Beliefs b = model_.predict(units);
  steepest_ = Vector::Zero(model_.functions());
  std::vector<Index> which;
  Vector slope;
  for (Index k = 0; k < count; ++k) {
    for (Index i = 1; i < model_.functions(); ++i) {
      (void)model_.function(i).mean(units.col(k), &slope);
      steepest_[i] = std::max(steepest_[i], slope.lpNorm<1>());
    }
    if (safe[k] < probability_) continue;
    sites_.push_back(units.col(k));
    which.push_back(k);
  }
  room_.resize(model_.functions(), static_cast<Index>(which.size()));
  for (std::size_t s = 0; s < which.size(); ++s)
    for (Index i = 0; i < model_.functions(); ++i)
      room_(i, static_cast<Index>(s)) = i == 0 ? 0 : std::max(0.0, model_.upper(i) - b.mean(i, which[s]));
}

bool SafeSteps::near_enough(const Vector& unit) const {
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    const double distance = (unit - sites_[s]).lpNorm<Eigen::Infinity>();
    if (distance > safe_reach) continue;
    bool holds = true;
    for (Index i = 1; i < model_.functions() && holds; ++i)
      holds = steepest_[i] * distance <= safe_share * room_(i, static_cast<Index>(s));
    if (holds) return true;
  }
  return false;
}

Vector SafeSteps::allowed(const Vector& wanted, Rng& rng) const {
  if (sites_.empty()) return start_;
  const auto may = [&](const Vector& u) { return near_enough(u) && probability(u)[0] >= probability_; };
  if (may(wanted)) return wanted;
  const Vector* anchor = &*std::ranges::min_element(sites_, {}, [&](const Vector& s) { return (s - wanted).norm(); });
  const double length = (wanted - *anchor).lpNorm<Eigen::Infinity>();
  double share = length > 0 ? std::min(1.0, safe_reach / length) : 0;
  for (int k = 0; k < safe_halvings && length > 0; ++k, share *= 0.5) {
    const Vector u = box_.snap(*anchor + share * (wanted - *anchor));
    if (u != *anchor && may(u)) return u;
  }
  // That way is closed. Under noise the site itself is worth another evaluation; without, any other step is.
  if (model_.noisy() && rng.uniform() < 0.5) return *anchor;
  for (int k = 0; k < safe_tries; ++k) {
    const Vector& from = sites_[static_cast<std::size_t>(rng.below(sites_.size()))];
    const Vector u = small_step(from, safe_reach * std::pow(0.5, k % 4), rng);
    if (model_.sites().find(u) < 0 && may(u)) return u;
  }
  return *anchor;
}

}  // namespace zeroth
