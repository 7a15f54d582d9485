// SPDX-License-Identifier: MIT
#include "zeroth/solvers/auto/log_scale.hpp"

#include <algorithm>

namespace zeroth {
namespace {

// Offsets are lower / (upper - lower), or a hundredth where the lower bound is zero: bounds a factor of 100 apart say
// that nobody knows the order of magnitude.
bool far_apart(double offset) { return offset > 0 && offset < 0.01; }

}  // namespace

bool LogScale::possible(const Spec& spec) {
  if (!std::isfinite(spec.domain.diameter()) || !spec.domain.separable() || !spec.integer.empty() ||
      !spec.categories.empty() || spec.active || spec.cost.size() > 0)
    return false;
  const UnitBox box(spec);
  for (Index k = 0; k < spec.dimension(); ++k)
    if (far_apart(box.log_offset()[k])) return true;
  return false;
}

LogScale::LogScale(const Spec& spec) : spec_(spec), box_(spec), warp_{box_.log_offset()} {
  for (Index k = 0; k < spec.dimension(); ++k)
    if (!far_apart(warp_.offset[k])) warp_.offset[k] = 0;
}

Spec LogScale::spec() const {
  Spec there = spec_;
  const Index n = spec_.dimension();
  there.domain = Domain::box(n, 0, 1);
  there.start = from_problem(spec_.first_point());
  there.log_offset = Vector::Zero(n);
  for (Evaluated& known : there.evaluated) known.x = from_problem(known.x);
  there.known_points.clear();
  if (spec_.known) there.known = [this](std::span<const double> z) { return spec_.known(as_span(to_problem(z))); };
  return there;
}

Vector LogScale::to_problem(std::span<const double> z) const {
  Vector x(static_cast<Index>(z.size()));
  for (Index k = 0; k < x.size(); ++k) {
    const double lower = box_.lower(k), upper = box_.upper(k);
    x[k] = std::clamp(lower + (upper - lower) * warp_.back(k, z[static_cast<std::size_t>(k)]), lower, upper);
  }
  return x;
}

Vector LogScale::from_problem(const Vector& x) const {
  return warp_(box_.to_unit(x)).col(0).cwiseMax(0.0).cwiseMin(1.0);
}

std::span<const Query> LogScale::to_problem(std::span<const Query> batch) {
  batch_.assign(batch.begin(), batch.end());
  x_.clear();
  for (const Query& q : batch) x_.push_back(to_problem(q.x));
  for (std::size_t k = 0; k < batch_.size(); ++k) batch_[k].x = as_span(x_[k]);
  return batch_;
}

void LogScale::to_problem(Incumbent& incumbent) const {
  const auto map = [this](Vector& z) { z = to_problem(as_span(z)); };
  map(incumbent.x);
  std::ranges::for_each(incumbent.cautious, map);
  std::ranges::for_each(incumbent.candidates, map);
  if (incumbent.believe)
    incumbent.believe = [this, there = std::move(incumbent.believe)](const Vector& x) {
      return there(from_problem(x));
    };
  if (incumbent.cautious_at)
    incumbent.cautious_at = [this, there = std::move(incumbent.cautious_at)](double deviations) {
      return to_problem(as_span(there(deviations)));
    };
}

}  // namespace zeroth
