// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/orders.hpp"

#include <limits>

namespace zeroth::adaptive {

bool Orders::fit(const Vector& w, const Vector& level_noise, const Vector& slope_noise, const Vector& weight,
                 double handicap) {
  bool fitted = false;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < orders_.size(); ++k) {
    if (!orders_[k].fit(w, level_noise, slope_noise)) continue;
    fitted = true;
    const double variance = (k > 0 ? handicap : 1) * orders_[k].slope_variance.colwise().mean().dot(weight);
    if (variance < least) {
      least = variance;
      best_ = k;
    }
  }
  return fitted;
}

}  // namespace zeroth::adaptive
