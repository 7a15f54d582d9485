// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/estimator.hpp"
#include "zeroth/core/options.hpp"

namespace zeroth {

struct ConexOptions {
  std::string schedule = "fixed";
  Schedule eta{100, 0.5};
  Schedule tau{100, 0.5};
  Schedule theta{1, 0};
  Schedule gamma{1, 0};
  std::vector<double> nu = {0.1};
  std::int64_t iterations = 0;
  bool linearised = true;
  bool sums = false;
  std::string precision = "double";
  bool measure_distance = false;  // no option: proximal-conex asks for W(point, start) with every described point
  Estimator estimator;
};

inline OptionList options_of(ConexOptions& o) {
  OptionList list{
      {"schedule", o.schedule,
       "fixed: the sequences below; theorem: those of Theorem 3.1 from the problem's constants; adaptive: from what "
       "the "
       "run has seen, nothing to set",
       Choices{{"fixed", "theorem", "adaptive"}}},
      {"eta", o.eta, "eta_t, the inverse primal step", positive},
      {"tau", o.tau, "tau_t, the inverse dual step", positive},
      {"theta", o.theta, "theta_t, the extrapolation; the theory asks for 1", nonnegative},
      {"gamma", o.gamma, "gamma_t, the weights of the average", positive},
      {"nu", o.nu, "smoothing radii: one for all functions, or one each (objective first)", positive},
      {"iterations", o.iterations, "T; 0: as many as the budget allows", nonnegative},
      {"linearised", o.linearised,
       "constraints enter step 3 by their linearisation from the last point; false: by their plain smoothed values"},
      {"sums", o.sums,
       "step 5 asks only for F_0 + y'F at each point, one number from each party where functions live apart; needs "
       "shared_directions, and the linearisation then rests on one direction"},
      {"precision", o.precision,
       "how x is kept; float: half the memory with very many variables, each step rounded to seven digits",
       Choices{{"double", "float"}}}};
  for (auto& option : options_of(o.estimator)) list.push_back(std::move(option));
  return list;
}

}  // namespace zeroth
