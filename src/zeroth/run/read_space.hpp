// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/run/document.hpp"
#include "zeroth/run/space.hpp"

namespace zeroth {

// The variables ([[variable]] or [variables]) and the known sets over them ([set] or [[set]]) of a problem file.
Space read_space(const Document& document);

}  // namespace zeroth
