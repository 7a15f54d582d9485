// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "zeroth/core/options.hpp"
#include "zeroth/solvers/adaptive_conex/tuning.hpp"

namespace zeroth {

// Constraint extrapolation with everything that Algorithm 1 asks its user for measured instead.
struct AdaptiveConexOptions {
  std::int64_t block = 0;
  double damping = 1;
  double caution = 0.5;
  double radius = 0;
  std::string directions = "orthonormal";
  std::string precision = "double";
  adaptive::Tuning tuning;  // not for users: what `zeroth bench sensitivity` halves and doubles
};

inline OptionList options_of(AdaptiveConexOptions& o) {
  return {{"block", o.block, "directions measured between two steps; 0: chosen", nonnegative},
          {"damping", o.damping, "prox weight in units of the Hessian model's error", nonnegative},
          {"caution", o.caution, "constraint margin in standard errors of its level", nonnegative},
          {"radius", o.radius, "difference radius as a share of the largest that fits X; 0: measured", nonnegative},
          {"directions", o.directions,
           "with more than 2,000 variables: dense waves, orthogonal to each other; or random signs, which cost least",
           Choices{{"orthonormal", "signs"}}},
          {"precision", o.precision,
           "with more than 2,000 variables, how x and the memory of slopes are kept; float: half the memory",
           Choices{{"double", "float"}}}};
}

}  // namespace zeroth
