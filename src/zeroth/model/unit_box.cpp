// SPDX-License-Identifier: MIT
#include "zeroth/model/unit_box.hpp"

#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {

UnitBox::UnitBox(const Spec& spec) : domain_(spec.domain) {
  const Index n = spec.dimension();
  const Box ends = domain_.bounds();
  lower_ = ends.lower;
  width_ = ends.upper - ends.lower;
  for (Index i = 0; i < n; ++i)
    if (!std::isfinite(width_[i]))
      throw Error("this solver needs bounds on every variable, and variable " + std::to_string(i) + " has none");
  is_box_ = domain_.separable();
  categories_ = spec.categories;
  active_ = spec.active;
  // Between whole points of a set that is no box hardly anything is allowed: there whoever evaluates finds the nearest.
  if (is_box_ || spec.integer.empty()) known_ = spec.known;
  for (Index i = 0; i < n; ++i) {
    const bool flagged = static_cast<std::size_t>(i) < spec.integer.size() && spec.integer[static_cast<std::size_t>(i)];
    whole_.push_back(flagged && width_[i] >= 1 && !(lower_[i] == 0 && width_[i] == 1) &&
                     std::floor(lower_[i]) == lower_[i] && std::floor(width_[i]) == width_[i]);
    if (categories(i) > 0) whole_.back() = true;
    any_whole_ = any_whole_ || whole_.back();
  }
  log_offset_ = spec.log_offset;
  if (log_offset_.size() != n) {
    log_offset_.resize(n);
    for (Index i = 0; i < n; ++i) log_offset_[i] = zeroth::log_offset(lower_[i], lower_[i] + width_[i]);
  }
  for (Index i = 0; i < n; ++i)
    if (categories(i) > 0) log_offset_[i] = 0;
  if (active_) {
    resting_ = rounded(lower_ + 0.5 * width_);
    find_sometimes();
  }
}

// By looking: conditions are code. What no sample shows to be inactive is treated as a number that always counts.
void UnitBox::find_sometimes() {
  constexpr int samples = 4000;
  sometimes_.assign(whole_.size(), false);
  Rng rng(0x73746d);
  Vector x(lower_.size());
  std::vector<std::uint8_t> flags(whole_.size());
  for (int k = 0; k < samples; ++k) {
    for (Index i = 0; i < x.size(); ++i)
      x[i] = lower_[i] + width_[i] * (categories(i) > 0 ? category_at(i, rng.uniform()) : rng.uniform());
    x = rounded(std::move(x));
    active_(as_span(x), flags);
    for (std::size_t i = 0; i < flags.size(); ++i) sometimes_[i] = sometimes_[i] || flags[i] == 0;
  }
}

bool UnitBox::allowed(const Eigen::Ref<const Vector>& unit) const {
  if (!known_) return true;
  const Vector x = to_domain(snap(unit));
  if (known_(as_span(x))) return true;
  // What was projected may lie a rounding error outside; that is put right by whoever evaluates.
  constexpr double rounding = 1e-9;
  return !is_box_ && known_(as_span(Vector(x + rounding * (domain_.center() - x))));
}

Vector UnitBox::allowed_instead(Vector unit, const Vector& inside, Rng& rng) const {
  constexpr int draws = 200, halvings = 20;
  if (allowed(unit)) return unit;
  for (int k = 0; k < draws; ++k)
    if (Vector other = sample(rng); allowed(other)) return other;
  double in = 0, out = 1;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (in + out);
    (allowed(inside + middle * (unit - inside)) ? in : out) = middle;
  }
  return snap(inside + in * (unit - inside));
}

bool UnitBox::sometimes(Index i) const { return !sometimes_.empty() && sometimes_[static_cast<std::size_t>(i)]; }

Index UnitBox::level_of(Index i, double unit) const {
  return std::clamp<Index>(std::lround(unit * static_cast<double>(categories(i) - 1)), 0, categories(i) - 1);
}

double UnitBox::category_at(Index i, double share) const {
  const int levels = categories(i);
  const int level = std::clamp(static_cast<int>(share * levels), 0, levels - 1);
  return levels > 1 ? static_cast<double>(level) / (levels - 1) : 0;
}

std::vector<std::uint8_t> UnitBox::active(const Eigen::Ref<const Vector>& unit) const {
  std::vector<std::uint8_t> flags(whole_.size(), 1);
  if (!active_) return flags;
  const Vector x = rounded(lower_ + width_.cwiseProduct(unit));
  active_(as_span(x), flags);
  return flags;
}

Vector UnitBox::rounded(Vector x) const {
  for (Index i = 0; i < x.size(); ++i) {
    const double upper = lower_[i] + width_[i];
    if (const int levels = categories(i); levels > 0) {
      const double step = levels > 1 ? width_[i] / (levels - 1) : 0;
      x[i] = step > 0 ? lower_[i] + step * std::round((x[i] - lower_[i]) / step) : lower_[i];
    } else if (whole(i)) {
      x[i] = std::round(x[i]);
      if (x[i] > upper) x[i] = std::floor(upper);
      if (x[i] < lower_[i]) x[i] = std::ceil(lower_[i]);
    }
    x[i] = std::clamp(x[i], lower_[i], upper);
  }
  return x;
}

Vector UnitBox::to_unit(const Vector& x) const {
  Vector unit(x.size());
  for (Index i = 0; i < x.size(); ++i)
    unit[i] = width_[i] > 0 ? std::clamp((x[i] - lower_[i]) / width_[i], 0.0, 1.0) : 0;
  return unit;
}

Vector UnitBox::to_domain(const Eigen::Ref<const Vector>& unit) const {
  Vector x = rounded(lower_ + width_.cwiseProduct(unit));
  if (active_) {
    std::vector<std::uint8_t> flags(whole_.size());
    active_(as_span(x), flags);
    for (Index i = 0; i < x.size(); ++i)
      if (flags[static_cast<std::size_t>(i)] == 0) x[i] = resting_[i];
  }
  domain_.project(x);
  return x;
}

Vector UnitBox::snap(const Eigen::Ref<const Vector>& unit) const {
  if (!any_whole_ && is_box_ && !active_) return unit.cwiseMax(0.0).cwiseMin(1.0);
  return to_unit(to_domain(unit));
}

}  // namespace zeroth
