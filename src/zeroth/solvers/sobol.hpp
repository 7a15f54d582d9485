// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// The even floor: points of a digitally shifted Sobol sequence (Joe and Kuo's direction numbers) scaled to the bounds,
// and the best among those whose one noisy evaluation was feasible, as random search has it.
struct SobolOptions {
  std::int64_t batch = 0;
};

inline OptionList options_of(SobolOptions& o) {
  return {{"batch", o.batch, "points asked at once; 0: as many as the engine is wide", nonnegative}};
}

Search sobol_search(Spec spec, SobolOptions options, std::uint64_t seed);

}  // namespace zeroth
