// SPDX-License-Identifier: MIT
#include "zeroth/core/random.hpp"

#include <Random123/philox.h>

#include <cassert>

#include "zeroth/core/portable_math.hpp"

namespace zeroth {
namespace {

using Philox = r123::Philox4x64;
using Words = std::array<std::uint64_t, 4>;

// The second key word separates uses of one key: the sequential stream, the indexed normals, their rare rejections and
// derived keys can never share a counter.
enum Use : std::uint64_t { sequential = 1, indexed = 2, indexed_retry = 3, derived = 4, words = 5 };

inline Words philox(std::uint64_t key, Use use, std::uint64_t counter0, std::uint64_t counter1 = 0) {
  const Philox::ctr_type counter = {{counter0, counter1, 0, 0}};
  const Philox::key_type pair = {{key, use}};
  const auto r = Philox()(counter, pair);
  return {r[0], r[1], r[2], r[3]};
}

inline double open_unit(std::uint64_t bits) { return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53; }

// Ziggurat of 256 layers (Marsaglia and Tsang 2000, in the form of Doornik 2005): one 64-bit word gives the layer (low
// 8 bits) and a 53-bit signed abscissa (high bits); 98.8 % of words need nothing more than a multiplication.
struct Ziggurat {
  static constexpr int layers = 256;
  static constexpr double tail_start = 3.6541528853610088;
  static constexpr double layer_area = 4.92867323399e-3;
  std::array<double, layers + 1> edge;
  std::array<double, layers> ratio;

  Ziggurat() {
    double f = portable::exp(-0.5 * tail_start * tail_start);
    edge[0] = layer_area / f;
    edge[1] = tail_start;
    for (int i = 2; i < layers; ++i) {
      edge[i] = std::sqrt(-2 * portable::log(layer_area / edge[i - 1] + f));
      f = portable::exp(-0.5 * edge[i] * edge[i]);
    }
    edge[layers] = 0;
    for (int i = 0; i < layers; ++i) ratio[i] = edge[i + 1] / edge[i];
  }
};

const Ziggurat ziggurat;

inline double signed_unit(std::uint64_t word) {
  return static_cast<double>(static_cast<std::int64_t>(word) >> 11) * 0x1p-52;  // in [-1, 1)
}

// The whole distribution for one normal, drawing further words from `next` when the first one is not enough.
template <class NextWord>
double normal_from(std::uint64_t word, NextWord next) {
  for (;;) {
    const auto layer = static_cast<std::size_t>(word & 0xff);
    const double u = signed_unit(word);
    const double x = u * ziggurat.edge[layer];
    if (std::abs(u) < ziggurat.ratio[layer]) return x;
    if (layer == 0) {  // Marsaglia's tail
      double a = 0, b = 0;
      do {
        a = -portable::log(open_unit(next())) / Ziggurat::tail_start;
        b = -portable::log(open_unit(next()));
      } while (2 * b < a * a);
      return u < 0 ? -(Ziggurat::tail_start + a) : Ziggurat::tail_start + a;
    }
    const double upper = portable::exp(-0.5 * (ziggurat.edge[layer] * ziggurat.edge[layer] - x * x));
    const double lower = portable::exp(-0.5 * (ziggurat.edge[layer + 1] * ziggurat.edge[layer + 1] - x * x));
    if (lower + open_unit(next()) * (upper - lower) < 1) return x;
    word = next();
  }
}

double retried_normal(std::uint64_t key, std::uint64_t position, std::uint64_t word) {
  Words words{};
  std::uint64_t draw = 0;
  return normal_from(word, [&] {
    if (draw % 4 == 0) words = philox(key, indexed_retry, position, draw / 4);
    return words[draw++ % 4];
  });
}

inline double indexed_normal(std::uint64_t key, std::uint64_t position, std::uint64_t word) {
  const auto layer = static_cast<std::size_t>(word & 0xff);
  const double u = signed_unit(word);
  if (std::abs(u) < ziggurat.ratio[layer]) [[likely]]
    return u * ziggurat.edge[layer];
  return retried_normal(key, position, word);
}

}  // namespace

std::uint64_t derive_key(std::uint64_t key, std::uint64_t label, std::uint64_t index) {
  return philox(key, derived, label, index)[0];
}

std::uint64_t Rng::bits() {
  if (used_ == 4) {
    buffer_ = philox(key_, sequential, block_++);
    used_ = 0;
  }
  return buffer_[used_++];
}

double Rng::uniform() { return open_unit(bits()); }

double Rng::uniform(double lower, double upper) { return lower + (upper - lower) * uniform(); }

double Rng::normal() {
  return normal_from(bits(), [this] { return bits(); });
}

// Marsaglia and Tsang (2000); below shape 1 the usual boost by U^(1/shape).
double Rng::gamma(double shape) {
  assert(shape > 0);
  if (shape < 1) {
    const double boost = portable::exp(portable::log(uniform()) / shape);
    return boost * gamma(shape + 1);
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = normal();
    const double root = 1 + c * z;
    if (root <= 0) continue;
    const double v = root * root * root;
    if (portable::log(uniform()) < 0.5 * z * z + d * (1 - v + portable::log(v))) return d * v;
  }
}

double Rng::student_t(double degrees_of_freedom) {
  const double z = normal();
  return z / std::sqrt(2 * gamma(degrees_of_freedom / 2) / degrees_of_freedom);
}

std::uint64_t Rng::below(std::uint64_t n) {
  assert(n > 0);
  const std::uint64_t excess = (0 - n) % n;  // 2^64 mod n words would be over-represented
  for (;;) {
    const std::uint64_t word = bits();
    if (word >= excess) return word % n;
  }
}

void fill_normal(std::uint64_t key, std::span<double> out, std::uint64_t offset) {
  // Several counters in flight: the rounds of one Philox block wait for each other, those of different blocks do not.
  constexpr std::size_t lanes = 4, blocks = 4, stride = lanes * blocks;
  std::size_t i = 0;
  const auto one = [&] {
    const std::uint64_t position = offset + i;
    out[i++] = indexed_normal(key, position, philox(key, indexed, position / lanes)[position % lanes]);
  };
  while (i < out.size() && (offset + i) % lanes != 0) one();
  for (; i + stride <= out.size(); i += stride) {
    const std::uint64_t position = offset + i;
    std::array<Words, blocks> words;
    for (std::size_t b = 0; b < blocks; ++b) words[b] = philox(key, indexed, position / lanes + b);
    for (std::size_t j = 0; j < stride; ++j)
      out[i + j] = indexed_normal(key, position + j, words[j / lanes][j % lanes]);
  }
  while (i < out.size()) one();
}

void fill_words(std::uint64_t key, std::span<std::uint64_t> out, std::uint64_t offset) {
  constexpr std::size_t lanes = 4, blocks = 4, stride = lanes * blocks;
  std::size_t i = 0;
  const auto one = [&] {
    const std::uint64_t position = offset + i;
    out[i++] = philox(key, Use::words, position / lanes)[position % lanes];
  };
  while (i < out.size() && (offset + i) % lanes != 0) one();
  for (; i + stride <= out.size(); i += stride) {  // several counters in flight, as above
    std::array<Words, blocks> drawn;
    for (std::size_t b = 0; b < blocks; ++b) drawn[b] = philox(key, Use::words, (offset + i) / lanes + b);
    for (std::size_t j = 0; j < stride; ++j) out[i + j] = drawn[j / lanes][j % lanes];
  }
  while (i < out.size()) one();
}

}  // namespace zeroth
