// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

struct CompassOptions {
  double step = 0.25;
  std::int64_t replicates = 4;
};

inline OptionList options_of(CompassOptions& o) {
  return {{"step", o.step, "first length of a step, in shares of the ranges", fraction},
          {"replicates", o.replicates, "evaluations that a point is judged by", at_least_one}};
}

Search compass(Spec spec, CompassOptions options, std::uint64_t seed);

}  // namespace zeroth
