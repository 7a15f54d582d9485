// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "zeroth/core/options.hpp"

namespace zeroth {

// [stop]: whatever holds first ends the run. 0 stands for a rule that was not given.
struct StopRules {
  double objective_halfwidth = 0;
  double probability = 0;
  double seconds = 0;
  std::int64_t evaluations_without_progress = 0;
  double expected_improvement = 0;
};

inline OptionList options_of(StopRules& o) {
  return {{"objective_halfwidth", o.objective_halfwidth, "half-width of the objective's 95 % interval", nonnegative},
          {"probability", o.probability, "probability that every constraint holds", fraction},
          {"seconds", o.seconds, "time since the run began", nonnegative},
          {"evaluations_without_progress", o.evaluations_without_progress,
           "evaluations since the best point last got better", nonnegative},
          {"expected_improvement", o.expected_improvement,
           "what going on is expected to gain, in units of the objective; for solvers with a model", nonnegative}};
}

}  // namespace zeroth
