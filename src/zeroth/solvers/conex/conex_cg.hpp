// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/estimator.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// Constraint extrapolation with conditional-gradient steps: no projection, only linear minimisation over X.
struct ConexCgOptions {
  Schedule tau{1, -1.0 / 6};
  std::vector<double> nu = {0.1};
  std::int64_t offset = 8;
  Estimator estimator;
};

inline OptionList options_of(ConexCgOptions& o) {
  OptionList list{{"tau", o.tau, "tau_t, the inverse dual step", positive},
                  {"nu", o.nu, "smoothing radii: one for all functions, or one each (objective first)", positive},
                  {"offset", o.offset, "steps are (offset + 1)/(t + offset): how long the first ones stay short of 1",
                   at_least_one}};
  for (auto& option : options_of(o.estimator)) list.push_back(std::move(option));
  return list;
}

Search conex_cg(Spec spec, ConexCgOptions options, std::uint64_t seed);

}  // namespace zeroth
