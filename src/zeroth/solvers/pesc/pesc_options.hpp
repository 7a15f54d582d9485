// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "zeroth/core/options.hpp"

namespace zeroth {

// Predictive entropy search with constraints (Hernandez-Lobato et al., ICML 2015; JMLR 17, 2016).
struct PescOptions {
  std::int64_t start = 1;
  std::int64_t samples = 10;
  std::int64_t burn_in = 20;
  std::int64_t features = 500;
  std::int64_t grid = 1000;
  double delta = 0.01;
  bool decoupled = false;
  double equality_tolerance = 0.01;
  std::string noise = "own";
};

inline OptionList options_of(PescOptions& o) {
  return {{"start", o.start, "points of the initial design", at_least_one},
          {"samples", o.samples, "draws of hyperparameters, each with one draw of the minimiser", at_least_one},
          {"burn_in", o.burn_in, "sweeps of the slice sampler before the kept ones", nonnegative},
          {"features", o.features, "random features of a sampled function", Range{.lower = 10}},
          {"grid", o.grid, "points on which functions are scanned before they are refined", Range{.lower = 10}},
          {"delta", o.delta, "a recommended point meets every constraint with probability 1 - delta",
           Range{.lower = 1e-6, .upper = 0.5}},
          {"decoupled", o.decoupled, "ask only the function that tells most about the minimiser"},
          {"equality_tolerance", o.equality_tolerance, "an equality holds within this", positive},
          {"noise", o.noise, "own: noise variances are sampled with the other hyperparameters; none: exact functions",
           Choices{{"own", "none"}}}};
}

}  // namespace zeroth
