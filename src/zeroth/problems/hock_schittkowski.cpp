// SPDX-License-Identifier: MIT
#include "zeroth/problems/hock_schittkowski.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <memory>

#include "zeroth/problems/hock_schittkowski_entry.hpp"

namespace zeroth {
namespace {

using X = std::span<const double>;
using V = std::span<double>;

using hock_schittkowski_data::Entry, hock_schittkowski_data::sq;

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
      {10,
       {-10, 10},
       {-20, -20},
       {20, 20},
       1,
       -1,
       [](X x, V f) {
         f[0] = x[0] - x[1];
         f[1] = 3 * sq(x[0]) - 2 * x[0] * x[1] + sq(x[1]) - 1;
       }},
      {11,
       {4.9, 0.1},
       {-10, -10},
       {10, 10},
       1,
       -8.498464223,
       [](X x, V f) {
         f[0] = sq(x[0] - 5) + sq(x[1]) - 25;
         f[1] = sq(x[0]) - x[1];
       }},
      {12,
       {0, 0},
       {-10, -10},
       {10, 10},
       1,
       -30,
       [](X x, V f) {
         f[0] = 0.5 * sq(x[0]) + sq(x[1]) - x[0] * x[1] - 7 * x[0] - 7 * x[1];
         f[1] = 4 * sq(x[0]) + sq(x[1]) - 25;
       }},
      {18,
       {2, 2},
       {2, 0},
       {50, 50},
       2,
       5,
       [](X x, V f) {
         f[0] = 0.01 * sq(x[0]) + sq(x[1]);
         f[1] = 25 - x[0] * x[1];
         f[2] = 25 - sq(x[0]) - sq(x[1]);
       }},
      {21,
       {2, -1},
       {2, -50},
       {50, 50},
       1,
       -99.96,
       [](X x, V f) {
         f[0] = 0.01 * sq(x[0]) + sq(x[1]) - 100;
         f[1] = 10 - 10 * x[0] + x[1];
       }},
      {22,
       {2, 2},
       {-5, -5},
       {5, 5},
       2,
       1,
       [](X x, V f) {
         f[0] = sq(x[0] - 2) + sq(x[1] - 1);
         f[1] = x[0] + x[1] - 2;
         f[2] = sq(x[0]) - x[1];
       }},
      {23,
       {3, 1},
       {-50, -50},
       {50, 50},
       5,
       2,
       [](X x, V f) {
         f[0] = sq(x[0]) + sq(x[1]);
         f[1] = 1 - x[0] - x[1];
         f[2] = 1 - sq(x[0]) - sq(x[1]);
         f[3] = 9 - 9 * sq(x[0]) - sq(x[1]);
         f[4] = x[1] - sq(x[0]);
         f[5] = x[0] - sq(x[1]);
       }},
      {24,
       {1, 0.5},
       {0, 0},
       {10, 10},
       3,
       -1,
       [](X x, V f) {
         f[0] = (sq(x[0] - 3) - 9) * x[1] * x[1] * x[1] / (27 * std::sqrt(3.0));
         f[1] = x[1] - x[0] / std::sqrt(3.0);
         f[2] = -x[0] - std::sqrt(3.0) * x[1];
         f[3] = x[0] + std::sqrt(3.0) * x[1] - 6;
       }},
      {29,
       {1, 1, 1},
       {-5, -5, -5},
       {5, 5, 5},
       1,
       -22.627417,
       [](X x, V f) {
         f[0] = -x[0] * x[1] * x[2];
         f[1] = sq(x[0]) + 2 * sq(x[1]) + 4 * sq(x[2]) - 48;
       }},
      {30,
       {1, 1, 1},
       {1, -10, -10},
       {10, 10, 10},
       1,
       1,
       [](X x, V f) {
         f[0] = sq(x[0]) + sq(x[1]) + sq(x[2]);
         f[1] = 1 - sq(x[0]) - sq(x[1]);
       }},
      {31,
       {1, 1, 1},
       {-10, 1, -10},
       {10, 10, 1},
       1,
       6,
       [](X x, V f) {
         f[0] = 9 * sq(x[0]) + sq(x[1]) + 9 * sq(x[2]);
         f[1] = 1 - x[0] * x[1];
       }},
      {33,
       {0, 0, 3},
       {0, 0, 0},
       {5, 5, 5},
       2,
       -4.585786438,
       [](X x, V f) {
         f[0] = (x[0] - 1) * (x[0] - 2) * (x[0] - 3) + x[2];
         f[1] = sq(x[0]) + sq(x[1]) - sq(x[2]);
         f[2] = 4 - sq(x[0]) - sq(x[1]) - sq(x[2]);
       }},
      {34,
       {0, 1.05, 2.9},
       {0, 0, 0},
       {3, 20, 10},
       2,
       -0.834032445,
       [](X x, V f) {
         f[0] = -x[0];
         f[1] = std::exp(x[0]) - x[1];
         f[2] = std::exp(std::min(x[1], 50.0)) - x[2];
       }},
      {35,
       {0.5, 0.5, 0.5},
       {0, 0, 0},
       {3, 3, 3},
       1,
       1.0 / 9,
       [](X x, V f) {
         f[0] = 9 - 8 * x[0] - 6 * x[1] - 4 * x[2] + 2 * sq(x[0]) + 2 * sq(x[1]) + sq(x[2]) + 2 * x[0] * x[1] +
                2 * x[0] * x[2];
         f[1] = x[0] + x[1] + 2 * x[2] - 3;
       }},
      {36,
       {10, 10, 10},
       {0, 0, 0},
       {20, 11, 42},
       1,
       -3300,
       [](X x, V f) {
         f[0] = -x[0] * x[1] * x[2];
         f[1] = x[0] + 2 * x[1] + 2 * x[2] - 72;
       }},
      {37,
       {10, 10, 10},
       {0, 0, 0},
       {42, 42, 42},
       2,
       -3456,
       [](X x, V f) {
         f[0] = -x[0] * x[1] * x[2];
         f[1] = x[0] + 2 * x[1] + 2 * x[2] - 72;
         f[2] = -x[0] - 2 * x[1] - 2 * x[2];
       }},
      {43,
       {0, 0, 0, 0},
       {-5, -5, -5, -5},
       {5, 5, 5, 5},
       3,
       -44,
       [](X x, V f) {
         f[0] = sq(x[0]) + sq(x[1]) + 2 * sq(x[2]) + sq(x[3]) - 5 * x[0] - 5 * x[1] - 21 * x[2] + 7 * x[3];
         f[1] = sq(x[0]) + sq(x[1]) + sq(x[2]) + sq(x[3]) + x[0] - x[1] + x[2] - x[3] - 8;
         f[2] = sq(x[0]) + 2 * sq(x[1]) + sq(x[2]) + 2 * sq(x[3]) - x[0] - x[3] - 10;
         f[3] = 2 * sq(x[0]) + sq(x[1]) + sq(x[2]) + 2 * x[0] - x[1] - x[3] - 5;
       }},
      {44,
       {0, 0, 0, 0},
       {0, 0, 0, 0},
       {10, 10, 10, 10},
       6,
       -15,
       [](X x, V f) {
         f[0] = x[0] - x[1] - x[2] - x[0] * x[2] + x[0] * x[3] + x[1] * x[2] - x[1] * x[3];
         f[1] = x[0] + 2 * x[1] - 8;
         f[2] = 4 * x[0] + x[1] - 12;
         f[3] = 3 * x[0] + 4 * x[1] - 12;
         f[4] = 2 * x[2] + x[3] - 8;
         f[5] = x[2] + 2 * x[3] - 8;
         f[6] = x[2] + x[3] - 5;
       }},
      {65,
       {-4, 4, 0},
       {-4.5, -4.5, -5},
       {4.5, 4.5, 5},
       1,
       0.9535288567,
       [](X x, V f) {
         f[0] = sq(x[0] - x[1]) + sq(x[0] + x[1] - 10) / 9 + sq(x[2] - 5);
         f[1] = sq(x[0]) + sq(x[1]) + sq(x[2]) - 48;
       }},
      {66,
       {0, 1.05, 2.9},
       {0, 0, 0},
       {3, 20, 10},
       2,
       0.5181632741,
       [](X x, V f) {
         f[0] = 0.2 * x[2] - 0.8 * x[0];
         f[1] = std::exp(x[0]) - x[1];
         f[2] = std::exp(std::min(x[1], 50.0)) - x[2];
       }},
      {76,
       {0.5, 0.5, 0.5, 0.5},
       {0, 0, 0, 0},
       {5, 5, 5, 5},
       3,
       -4.681818181,
       [](X x, V f) {
         f[0] = sq(x[0]) + 0.5 * sq(x[1]) + sq(x[2]) + 0.5 * sq(x[3]) - x[0] * x[2] + x[2] * x[3] - x[0] - 3 * x[1] +
                x[2] - x[3];
         f[1] = x[0] + 2 * x[1] + x[2] + x[3] - 5;
         f[2] = 3 * x[0] + x[1] + 2 * x[2] - x[3] - 4;
         f[3] = 1.5 - x[1] - 4 * x[2];
       }},
      {100,
       {1, 2, 0, 4, 0, 1, 1},
       {-10, -10, -10, -10, -10, -10, -10},
       {10, 10, 10, 10, 10, 10, 10},
       4,
       680.6300573,
       [](X x, V f) {
         f[0] = sq(x[0] - 10) + 5 * sq(x[1] - 12) + std::pow(x[2], 4) + 3 * sq(x[3] - 11) + 10 * std::pow(x[4], 6) +
                7 * sq(x[5]) + std::pow(x[6], 4) - 4 * x[5] * x[6] - 10 * x[5] - 8 * x[6];
         f[1] = 2 * sq(x[0]) + 3 * std::pow(x[1], 4) + x[2] + 4 * sq(x[3]) + 5 * x[4] - 127;
         f[2] = 7 * x[0] + 3 * x[1] + 10 * sq(x[2]) + x[3] - x[4] - 282;
         f[3] = 23 * x[0] + sq(x[1]) + 6 * sq(x[5]) - 8 * x[6] - 196;
         f[4] = 4 * sq(x[0]) + sq(x[1]) - 3 * x[0] * x[1] + 2 * sq(x[2]) + 5 * x[5] - 11 * x[6];
       }},
      {113,
       {2, 3, 5, 5, 1, 2, 7, 3, 6, 10},
       std::vector<double>(10, -10),
       std::vector<double>(10, 15),
       8,
       24.3062091,
       [](X x, V f) {
         f[0] = sq(x[0]) + sq(x[1]) + x[0] * x[1] - 14 * x[0] - 16 * x[1] + sq(x[2] - 10) + 4 * sq(x[3] - 5) +
                sq(x[4] - 3) + 2 * sq(x[5] - 1) + 5 * sq(x[6]) + 7 * sq(x[7] - 11) + 2 * sq(x[8] - 10) + sq(x[9] - 7) +
                45;
         f[1] = -(105 - 4 * x[0] - 5 * x[1] + 3 * x[6] - 9 * x[7]);
         f[2] = -(-10 * x[0] + 8 * x[1] + 17 * x[6] - 2 * x[7]);
         f[3] = -(8 * x[0] - 2 * x[1] - 5 * x[8] + 2 * x[9] + 12);
         f[4] = -(-3 * sq(x[0] - 2) - 4 * sq(x[1] - 3) - 2 * sq(x[2]) + 7 * x[3] + 120);
         f[5] = -(-5 * sq(x[0]) - 8 * x[1] - sq(x[2] - 6) + 2 * x[3] + 40);
         f[6] = -(-0.5 * sq(x[0] - 8) - 2 * sq(x[1] - 4) - 3 * sq(x[4]) + x[5] + 30);
         f[7] = -(-sq(x[0]) - 2 * sq(x[1] - 2) + 2 * x[0] * x[1] - 14 * x[4] + 6 * x[5]);
         f[8] = -(3 * x[0] - 6 * x[1] - 12 * sq(x[8] - 8) + 7 * x[9]);
       }},
      {118,
       {20, 55, 15, 20, 60, 20, 20, 60, 20, 20, 60, 20, 20, 60, 20},
       {8, 43, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
       {21, 57, 16, 90, 120, 60, 90, 120, 60, 90, 120, 60, 90, 120, 60},
       29,
       664.82045,
       [](X x, V f) {
         f[0] = 0;
         for (std::size_t k = 0; k < 5; ++k)
           f[0] += 2.3 * x[3 * k] + 1e-4 * sq(x[3 * k]) + 1.7 * x[3 * k + 1] + 1e-4 * sq(x[3 * k + 1]) +
                   2.2 * x[3 * k + 2] + 1.5e-4 * sq(x[3 * k + 2]);
         std::size_t i = 1;
         for (std::size_t j = 1; j < 5; ++j) {
           const double a = x[3 * j] - x[3 * j - 3] + 7, b = x[3 * j + 1] - x[3 * j - 2] + 7,
                        c = x[3 * j + 2] - x[3 * j - 1] + 7;
           f[i++] = -a;
           f[i++] = a - 13;
           f[i++] = -b;
           f[i++] = b - 14;
           f[i++] = -c;
           f[i++] = c - 13;
         }
         const double demand[] = {60, 50, 70, 85, 100};
         for (std::size_t k = 0; k < 5; ++k) f[i++] = demand[k] - x[3 * k] - x[3 * k + 1] - x[3 * k + 2];
       }},
  };
  return all;
}

}  // namespace

std::vector<int> hock_schittkowski_numbers() {
  std::vector<int> numbers;
  for (const Entry& e : entries()) numbers.push_back(e.number);
  return numbers;
}

std::vector<int> hock_schittkowski_equality_numbers() {
  std::vector<int> numbers;
  for (const Entry& e : hock_schittkowski_data::with_equalities()) numbers.push_back(e.number);
  return numbers;
}

Problem hock_schittkowski(const HockSchittkowskiOptions& o) {
  const Entry* entry = nullptr;
  for (const Entry& e : entries())
    if (e.number == o.number) entry = &e;
  for (const Entry& e : hock_schittkowski_data::with_equalities())
    if (e.number == o.number) entry = &e;
  if (!entry)
    throw Error(fmt::format("there is no Hock-Schittkowski problem {} here; see docs/benchmarks.md", o.number));
  const auto n = static_cast<Index>(entry->start.size());
  const auto vector = [n](const std::vector<double>& v) { return Vector(ConstVectorView(v.data(), n)); };
  Problem problem;
  problem.name = fmt::format("hs{}", entry->number);
  problem.spec.domain = Domain::box(vector(entry->lower), vector(entry->upper));
  problem.spec.constraints = entry->constraints;
  problem.spec.equalities = entry->equalities;
  problem.spec.start = vector(entry->start);
  Truth truth;
  truth.best_value = entry->optimum;
  const auto evaluate = entry->evaluate;
  truth.expected = [evaluate](X x, V values) { evaluate(x, values); };
  // The scale of noise: how far the objective is from its optimum at the start, and the constraints' size there.
  Vector first(problem.spec.functions()), sd(problem.spec.functions());
  evaluate(as_span(problem.spec.start), {first.data(), static_cast<std::size_t>(first.size())});
  const double range = std::max({std::abs(first[0] - entry->optimum), 0.1 * std::abs(entry->optimum), 0.1});
  sd[0] = o.noise * range;
  for (Index i = 1; i < sd.size(); ++i) sd[i] = o.noise * std::min(range, std::max(1.0, std::abs(first[i])));
  problem.truth = std::move(truth);
  problem.oracle = [evaluate, sd](X x, Rng& noise, V values) {
    // Fresh noise at every evaluation, as from a simulator that ignores its seed.
    std::uint64_t hash = noise.bits();
    for (const double v : x) hash = derive_key(hash, std::bit_cast<std::uint64_t>(v));
    Rng own(hash);
    evaluate(x, values);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += sd[static_cast<Index>(i)] * own.normal();
  };
  return problem;
}

}  // namespace zeroth
