// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/pesc/pesc_options.hpp"

namespace zeroth {

Search pesc(Spec spec, PescOptions options, std::uint64_t seed);

}  // namespace zeroth
