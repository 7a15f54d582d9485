// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "zeroth/core/options.hpp"

namespace zeroth {

// Constraint extrapolation with everything that Algorithm 1 asks its user for measured instead.
struct AdaptiveConexOptions {
  std::int64_t block = 0;
  double damping = 1;
  double caution = 0.5;
  double radius = 0;
};

inline OptionList options_of(AdaptiveConexOptions& o) {
  return {{"block", o.block, "directions measured between two steps; 0: chosen", nonnegative},
          {"damping", o.damping, "prox weight in units of the Hessian model's error", nonnegative},
          {"caution", o.caution, "constraint margin in standard errors of its level", nonnegative},
          {"radius", o.radius, "difference radius as a share of the largest that fits X; 0: measured", nonnegative}};
}

}  // namespace zeroth
