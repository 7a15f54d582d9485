// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex_options.hpp"

namespace zeroth {

// Dispatches: Hessian matrices while they fit (n up to 2,000 and 400 MB for all functions), vectors only beyond that.
Search adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed);
Search wide_adaptive_conex(Spec spec, AdaptiveConexOptions options, std::uint64_t seed);

}  // namespace zeroth
