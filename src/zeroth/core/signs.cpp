// SPDX-License-Identifier: MIT
#include "zeroth/core/signs.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {

constexpr std::size_t word_bits = 64, most_words = 64;
constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// Four numbers at a time, as compilers for every machine know them.
using Four = double __attribute__((vector_size(32)));
using FourWords = std::uint64_t __attribute__((vector_size(32)));

// For four bits, which of four numbers change their sign: those whose bit is 0.
constexpr std::array<FourWords, 16> make_flips() {
  std::array<FourWords, 16> flips{};
  for (unsigned bits = 0; bits < 16; ++bits)
    flips[bits] = FourWords{(bits & 1) != 0 ? 0 : sign_bit, (bits & 2) != 0 ? 0 : sign_bit,
                            (bits & 4) != 0 ? 0 : sign_bit, (bits & 8) != 0 ? 0 : sign_bit};
  return flips;
}
constexpr std::array<FourWords, 16> flips = make_flips();

inline Four with_signs(const FourWords& weight, std::uint64_t bits) {
  return std::bit_cast<Four>(weight ^ flips[bits & 15]);
}

double one(double weight, std::uint64_t word, std::uint64_t position) {
  return (word >> (position % word_bits) & 1) != 0 ? weight : -weight;
}

void add_one(std::span<const WeightedSigns> directions, double& out, std::uint64_t position) {
  out = 0;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    std::uint64_t word = 0;
    fill_words(directions[k].key, {&word, 1}, position / word_bits);
    const double v = one(directions[k].weight, word, position);
    out = k == 0 ? v : out + v;
  }
}

// Sixteen elements stay in registers while all directions are added.
void add_chunk(const FourWords* weights, const std::uint64_t* words, std::size_t count, unsigned shift, bool first,
               double* out) {
  Four a, b, c, d;
  std::size_t k = 0;
  if (first) {
    const std::uint64_t bits = words[0] >> shift;
    a = with_signs(weights[0], bits), b = with_signs(weights[0], bits >> 4);
    c = with_signs(weights[0], bits >> 8), d = with_signs(weights[0], bits >> 12);
    k = 1;
  } else {
    std::memcpy(&a, out, sizeof a), std::memcpy(&b, out + 4, sizeof b);
    std::memcpy(&c, out + 8, sizeof c), std::memcpy(&d, out + 12, sizeof d);
  }
  for (; k < count; ++k) {
    const std::uint64_t bits = words[k * most_words] >> shift;
    const FourWords weight = weights[k];
    a += with_signs(weight, bits), b += with_signs(weight, bits >> 4);
    c += with_signs(weight, bits >> 8), d += with_signs(weight, bits >> 12);
  }
  std::memcpy(out, &a, sizeof a), std::memcpy(out + 4, &b, sizeof b);
  std::memcpy(out + 8, &c, sizeof c), std::memcpy(out + 12, &d, sizeof d);
}

}  // namespace

void combine_signs(std::span<const WeightedSigns> directions, std::span<double> out, std::uint64_t offset) {
  constexpr std::size_t group = 16;  // directions at a time
  std::array<std::uint64_t, group * most_words> words;
  std::array<FourWords, group> weights;
  if (directions.empty()) std::ranges::fill(out, 0.0);
  std::size_t i = 0;
  while (i < out.size() && (offset + i) % word_bits != 0 && !directions.empty()) {
    add_one(directions, out[i], offset + i);
    ++i;
  }
  while (i + word_bits <= out.size() && !directions.empty()) {
    const std::size_t count = std::min(most_words, (out.size() - i) / word_bits);
    for (std::size_t first = 0; first < directions.size(); first += group) {
      const std::size_t now = std::min(group, directions.size() - first);
      for (std::size_t k = 0; k < now; ++k) {
        const WeightedSigns& d = directions[first + k];
        fill_words(d.key, {words.data() + k * most_words, count}, (offset + i) / word_bits);
        const auto bits = std::bit_cast<std::uint64_t>(d.weight);
        weights[k] = FourWords{bits, bits, bits, bits};
      }
      for (std::size_t w = 0; w < count; ++w)
        for (unsigned shift = 0; shift < word_bits; shift += 16)
          add_chunk(weights.data(), words.data() + w, now, shift, first == 0, out.data() + i + w * word_bits + shift);
    }
    i += count * word_bits;
  }
  for (; i < out.size() && !directions.empty(); ++i) add_one(directions, out[i], offset + i);
}

void fill_signs(std::uint64_t key, std::span<double> out, std::uint64_t offset) {
  const WeightedSigns one_direction{key, 1};
  combine_signs({&one_direction, 1}, out, offset);
}

}  // namespace zeroth
