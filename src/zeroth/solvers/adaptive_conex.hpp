// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

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

// Dispatches: Hessian matrices while they fit (n up to 2,000 and 400 MB for all functions), vectors only beyond that.
Search adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed);
Search wide_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed);

}  // namespace zeroth
