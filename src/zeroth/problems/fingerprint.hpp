// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace zeroth {

// A number that depends on every bit of x: problems whose noise is not common to all points draw it with this.
inline std::uint64_t fingerprint(std::span<const double> x) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
  for (const double v : x) hash = (hash ^ std::bit_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdULL + (hash >> 29);
  return hash;
}

}  // namespace zeroth
