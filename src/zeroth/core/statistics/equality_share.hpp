// SPDX-License-Identifier: MIT
#pragma once

namespace zeroth {

// Of the largest |h| seen: an equality counts as met within it, if nobody says otherwise.
inline constexpr double equality_share = 0.01;

}  // namespace zeroth
