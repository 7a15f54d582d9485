// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/conex/conex_options.hpp"

namespace zeroth {

// Algorithm 1, SZO-ConEx.
Search conex(Spec spec, ConexOptions options, std::uint64_t seed);

}  // namespace zeroth
