// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace zeroth {

// A sequence a_t = scale * (t + 1)^power, t = 0, 1, ...: what the paper writes gamma_t, tau_t, eta_t, theta_t.
struct Schedule {
  double scale = 1;  // a_0
  double power = 0;  // zero: constant

  // a_t.
  double operator()(std::int64_t t) const {
    return power == 0 ? scale : scale * std::pow(static_cast<double>(t + 1), power);
  }
  bool operator==(const Schedule&) const = default;  // the same numbers
};

// "20" or "20*t^0.5"; anything else is an Error that says so.
Schedule parse_schedule(std::string_view text);
std::string to_string(const Schedule& schedule);

}  // namespace zeroth
