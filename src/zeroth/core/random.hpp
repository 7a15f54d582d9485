// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace zeroth {

// All randomness in zeroth is a pure function of a 64-bit key and a position: Philox4x64-10 (Salmon et al., SC 2011) as
// the counter-based generator, our own distributions on top, so a run is the same on every standard library and however
// the work is split. There is no global generator.

// A key made from another key and up to two labels; distinct labels give independent streams.
std::uint64_t derive_key(std::uint64_t key, std::uint64_t label, std::uint64_t index = 0);

// Noise keys travel to evaluators as JSON numbers, so they keep to the integers that a double holds exactly.
inline constexpr std::uint64_t noise_key_limit = std::uint64_t{1} << 53;
inline std::uint64_t noise_key(std::uint64_t key, std::uint64_t label, std::uint64_t index = 0) {
  return derive_key(key, label, index) & (noise_key_limit - 1);
}

// A sequential stream: what an oracle or a solver draws from.
class Rng {
 public:
  explicit Rng(std::uint64_t key) : key_(key) {}

  std::uint64_t bits();                         // the next 64 random bits
  double uniform();                             // in (0, 1), never an end point
  double uniform(double lower, double upper);   // between the two
  double normal();                              // standard normal
  double gamma(double shape);                   // unit scale
  double student_t(double degrees_of_freedom);  // not rescaled
  std::uint64_t below(std::uint64_t n);         // uniform on 0..n-1, n > 0, without modulo bias

 private:
  std::uint64_t key_;
  std::uint64_t block_ = 0;
  std::array<std::uint64_t, 4> buffer_{};
  unsigned used_ = 4;
};

// Element i is a pure function of (key, offset + i): any part of a direction can be regenerated anywhere.
void fill_normal(std::uint64_t key, std::span<double> out, std::uint64_t offset = 0);

// Random words by their position: element i is a pure function of (key, offset + i). What signs.hpp reads bit by bit.
void fill_words(std::uint64_t key, std::span<std::uint64_t> out, std::uint64_t offset = 0);

}  // namespace zeroth
