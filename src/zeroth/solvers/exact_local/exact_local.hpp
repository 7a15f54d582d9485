// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"

namespace zeroth {

// A local search for functions without noise on a bounded set: sequential quadratic programming on interpolation models
// in a trust region. It ends when the trust region is as small as rounding allows. Inside `auto` it is what follows
// slopes where no noise is in sight.
Search exact_local_search(Spec spec);

}  // namespace zeroth
