// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/core/options.hpp"

namespace zeroth {

// The probability with which every evaluated point must be feasible, if the solver's options ask for one; 0: they do
// not.
double safe_probability(const std::string& solver, const Settings& settings);

}  // namespace zeroth
