// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/problems/quadratic.hpp"

namespace zeroth {

// The problem of the paper's simulations (Section 4):
//   min x'A_0 x + b_0'x + c_0   s.t.   x'A_i x + b_i'x + c_i <= 1,  i = 1..m,
// written here with every constraint shifted by one, so that feasible means <= 0.
// A_i = G'G/n with standard normal G; indefinite: (G + G')/sqrt(8n), whose spectrum fills [-1, 1]; b_i standard normal.
struct QcqpOptions {
  std::int64_t n = 10;
  std::int64_t m = 1;
  std::int64_t instance = 1;
  bool indefinite = false;
  double curvature = 1;
  double offset = 0;
  std::string noise = "normal";
  double noise_sd = 1;
  std::string noise_form = "additive";
  std::string set = "box";
  double size = 5;
};

inline OptionList options_of(QcqpOptions& o) {
  return {{"n", o.n, "number of variables", at_least_one},
          {"m", o.m, "number of constraints", nonnegative},
          {"instance", o.instance, "seed of the random matrices; the instance stays fixed whatever the run's seed"},
          {"indefinite", o.indefinite, "indefinite matrices instead of positive semidefinite ones"},
          {"curvature", o.curvature, "factor on all A_i; 0 makes every function linear", nonnegative},
          {"offset", o.offset, "c_0 and c_i are uniform on [-offset, offset]", fraction},
          {"noise", o.noise, "distribution of the noise; t5 is Student's t with 5 degrees of freedom, not rescaled",
           Choices{{"normal", "t5", "none"}}},
          {"noise_sd", o.noise_sd, "scale of the noise", nonnegative},
          {"noise_form", o.noise_form,
           "additive: common to all points seen under one noise key, so two-point differences cancel it; independent: "
           "fresh at every evaluation whatever the key; multiplicative: scales the value; gradient: tilts b, moves the "
           "gradient",
           Choices{{"additive", "independent", "multiplicative", "gradient"}}},
          {"set", o.set, "the set X", Choices{{"box", "ball", "space"}}},
          {"size", o.size, "half-width of the box, radius of the ball", positive}};
}

// f_0, f_1 - 1, ..., f_m - 1 of an instance.
std::vector<Quadratic> qcqp_functions(const QcqpOptions& options);

Problem qcqp(const QcqpOptions& options);

}  // namespace zeroth
