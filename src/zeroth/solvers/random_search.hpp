// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// The floor that everything must beat: independent uniform points, and the best among those whose one noisy evaluation
// was feasible (the least violated one while there is none).
struct RandomSearchOptions {
  std::int64_t batch = 0;
};

inline OptionList options_of(RandomSearchOptions& o) {
  return {{"batch", o.batch, "points asked at once; 0: as many as the engine is wide", nonnegative}};
}

Search random_search(Spec spec, RandomSearchOptions options, std::uint64_t seed);

}  // namespace zeroth
