// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "zeroth/core/random.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

// Univariate slice sampling of every coordinate in random order, one sweep, with doubling and its acceptance test
// (Neal, "Slice sampling", Annals of Statistics 31, 2003, Figures 4 to 6). `log_density` may return -infinity, but not
// at x. Returns the log density at the new x.
double slice_sweep(const std::function<double(const Vector&)>& log_density, Vector& x, double log_density_at_x,
                   double width, Rng& rng);

}  // namespace zeroth
