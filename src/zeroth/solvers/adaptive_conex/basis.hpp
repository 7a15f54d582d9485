// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "zeroth/core/domain.hpp"

namespace zeroth::adaptive {

// Orthonormal search directions that are dense and never stored: column k of the Hartley matrix with random signs,
//   u_k[j] = sign_j (cos + sin)(2 pi j k / n) / sqrt(n),
// orthogonal for every n. No entry exceeds sqrt(2/n), so a step along u_k moves every variable a little and stays in a
// box at a Euclidean length of order sqrt(n), where a coordinate step would leave it at length one: differences of
// noisy values gain that factor. The order of the columns is a random permutation.
class Basis {
 public:
  Basis(Index n, std::uint64_t key);
  Index dimension() const { return n_; }
  void direction(Index k, Vector& u) const;  // O(n) time and memory
  Matrix matrix() const;                     // all of them as columns
  double largest_entry() const;              // of any direction
  // Variables begin .. begin + u.size() of direction k, the same to rounding; several times faster. `begin` is a
  // multiple of 64.
  void part(Index k, Index begin, Eigen::Ref<Vector> u) const;

 private:
  Index n_;
  std::vector<std::uint32_t> order_;
  std::vector<signed char> sign_;
};

// How far each variable may go: half its interval where X bounds it, otherwise the size of its start. The solver works
// in x / scale, so that one radius serves all variables.
Vector scales(const Domain& domain, const Vector& start);

}  // namespace zeroth::adaptive
