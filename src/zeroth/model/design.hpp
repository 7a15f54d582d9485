// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/core/random.hpp"
#include "zeroth/core/vector.hpp"

namespace zeroth {

// Designs in the unit cube; the points are the columns.

// How much of a box a design may cover: all of it up to four dimensions, less along every axis the more there are,
// since nearly all of a box in many dimensions is at its edges.
double thinness(Index dimension);

Matrix latin_hypercube(Index dimension, Index count, Rng& rng);

// The best of `tries` Latin hypercubes by the smallest distance between two points.
Matrix maximin_latin_hypercube(Index dimension, Index count, Rng& rng, int tries = 50);

// `count` of the candidate columns that make log|exp(-|x-x'|^2 / (0.001 d^2)) + 0.01 I| large: random swaps, kept when
// the determinant grows (the initial design of the augmented-Lagrangian papers).
Matrix d_optimal_subset(const Matrix& candidates, Index count, Rng& rng, int swaps = 5000);

// Joe and Kuo's Sobol sequence under a random digital shift; the next points go on where the last ones ended.
class SobolSequence {
 public:
  SobolSequence(Index dimension, std::uint64_t key);
  Matrix next(Index count);

 private:
  Index dimension_;
  std::uint64_t taken_ = 0;
  std::vector<std::uint64_t> shift_;
};

}  // namespace zeroth
