// SPDX-License-Identifier: MIT
#include "zeroth/model/unit_box.hpp"

#include <cmath>

#include "zeroth/core/error.hpp"

namespace zeroth {

UnitBox::UnitBox(const Spec& spec) : domain_(spec.domain) {
  // The ends of X along every axis, by letting the prox run far down and far up; exact for a box.
  constexpr double far = 1e12;
  const Index n = spec.dimension();
  const Vector center = domain_.center();
  lower_.resize(n);
  width_.resize(n);
  Vector corner_low(n), corner_high(n), out(n);
  for (Index i = 0; i < n; ++i) {
    const Vector axis = Vector::Unit(n, i);
    domain_.prox(axis, center, 1 / far, out);
    lower_[i] = out[i];
    domain_.prox(-axis, center, 1 / far, out);
    width_[i] = out[i] - lower_[i];
    if (!(width_[i] < 0.1 * far))
      throw Error("this solver needs bounds on every variable, and variable " + std::to_string(i) + " has none");
  }
  is_box_ = domain_.contains(lower_, 0) && domain_.contains(lower_ + width_, 0);
  for (Index i = 0; i < n; ++i) {
    const bool flagged = static_cast<std::size_t>(i) < spec.integer.size() && spec.integer[static_cast<std::size_t>(i)];
    whole_.push_back(flagged && width_[i] >= 1 && !(lower_[i] == 0 && width_[i] == 1) &&
                     std::floor(lower_[i]) == lower_[i] && std::floor(width_[i]) == width_[i]);
    any_whole_ = any_whole_ || whole_.back();
  }
}

Vector UnitBox::to_unit(const Vector& x) const {
  Vector unit(x.size());
  for (Index i = 0; i < x.size(); ++i)
    unit[i] = width_[i] > 0 ? std::clamp((x[i] - lower_[i]) / width_[i], 0.0, 1.0) : 0;
  return unit;
}

Vector UnitBox::to_domain(const Eigen::Ref<const Vector>& unit) const {
  Vector x = lower_ + width_.cwiseProduct(unit);
  for (Index i = 0; i < x.size(); ++i) {
    const double upper = lower_[i] + width_[i];
    if (whole(i)) x[i] = std::round(x[i]);
    if (whole(i) && x[i] > upper) x[i] = std::floor(upper);
    if (whole(i) && x[i] < lower_[i]) x[i] = std::ceil(lower_[i]);
    x[i] = std::clamp(x[i], lower_[i], upper);
  }
  domain_.project(x);
  return x;
}

Vector UnitBox::snap(const Eigen::Ref<const Vector>& unit) const {
  if (!any_whole_ && is_box_) return unit.cwiseMax(0.0).cwiseMin(1.0);
  return to_unit(to_domain(unit));
}

}  // namespace zeroth
