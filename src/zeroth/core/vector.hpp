// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Core>
#include <limits>
#include <span>

namespace zeroth {

using Index = Eigen::Index;                        // signed, as Eigen counts
using Vector = Eigen::VectorXd;                    // a point, a direction, one number per function
using Matrix = Eigen::MatrixXd;                    // by columns
using ConstVectorView = Eigen::Map<const Vector>;  // somebody else's numbers seen as a vector

// Eigen cuts long products into blocks that fit the caches of the machine it finds itself on, and where the cuts lie
// shows in the last bit of a sum, which is enough to lead a search elsewhere. So all machines cut as one with these
// caches would: the same seed, the same run.
inline const bool same_blocks_everywhere = [] {
  constexpr Index kilobyte = 1024;
  Eigen::setCpuCacheSizes(48 * kilobyte, 2048 * kilobyte, 32768 * kilobyte);
  return true;
}();

inline constexpr double infinity = std::numeric_limits<double>::infinity();  // of doubles

// A span and an Eigen vector are two names for the same numbers; neither of these copies.
inline std::span<const double> as_span(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
inline ConstVectorView as_vector(std::span<const double> s) { return {s.data(), static_cast<Index>(s.size())}; }

}  // namespace zeroth
