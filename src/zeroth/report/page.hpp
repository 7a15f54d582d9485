// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zeroth {

// One HTML file with everything in it: script, style, plotting library and `data` (JSON from page_data). Opens offline.
std::string page(const std::string& title, const std::string& data);

}  // namespace zeroth
