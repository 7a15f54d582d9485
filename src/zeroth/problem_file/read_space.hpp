// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/adapters/space.hpp"
#include "zeroth/problem_file/document.hpp"

namespace zeroth {

// The variables ([[variable]] or [variables]), the known sets over them ([set] or [[set]]), and the known limits
// (linear,
// [[linear]], known) of a problem file. `given` are known limits that no file can hold: functions.
Space read_space(const Document& document, std::vector<KnownLimit> given = {});

}  // namespace zeroth
