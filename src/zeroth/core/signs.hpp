// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

namespace zeroth {

// Directions of random signs (Rademacher): element i is +1 or -1, as bit i % 64 of word i / 64 of the key's stream
// says. One random word gives 64 of them, so that drawing a direction again costs no more than going over a vector
// once.

struct WeightedSigns {
  std::uint64_t key = 0;
  double weight = 0;
};

// out[i] = sum_k weight_k u_k[offset + i], added up in the order given. Fast where `offset` is a multiple of 64.
void combine_signs(std::span<const WeightedSigns> directions, std::span<double> out, std::uint64_t offset = 0);

void fill_signs(std::uint64_t key, std::span<double> out, std::uint64_t offset = 0);

}  // namespace zeroth
