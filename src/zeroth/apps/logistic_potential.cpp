// SPDX-License-Identifier: MIT
//
// Written in Eigen's packets (4 doubles with AVX2) because the fused form cannot be said in matrix expressions: they
// would read the data twice and keep every intermediate in memory. Multiply-adds are explicit, so every build gives the
// same bits.
#include "zeroth/apps/logistic_potential.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

#include "zeroth/core/portable_math.hpp"

namespace zeroth {
namespace {

namespace packet = Eigen::internal;
using Packet = packet::packet_traits<double>::type;
constexpr Index lanes = packet::packet_traits<double>::size;
constexpr Index packets = 4;  // per block and chain: 8 accumulators, 1 datum and 2 coefficients fit into 16 registers
constexpr Index block = packets * lanes;
// A product of this many factors in [1, 2] stays far below the largest double.
constexpr int factors_per_logarithm = 512;

double logarithm_of(const Packet& product) {
  double total = 0;
  std::array<double, lanes> lane;
  packet::pstoreu(lane.data(), product);
  for (const double factor : lane) total += portable::log(factor);
  return total;
}

// From z = a'q, the weight 1/(1 + e^z) of its row in the gradient; e^-|z| never overflows.
inline Packet weight_of(const Packet& z, Packet& product, Packet& excess) {
  const Packet one = packet::pset1<Packet>(1), zero = packet::pset1<Packet>(0);
  const Packet e = packet::pexp(packet::pnegate(packet::pabs(z)));
  const Packet sum = packet::padd(one, e);
  product = packet::pmul(product, sum);
  excess = packet::padd(excess, packet::pmax(packet::pnegate(z), zero));
  return packet::pdiv(packet::pselect(packet::pcmp_lt(z, zero), one, e), sum);
}

}  // namespace

LogisticPotential::LogisticPotential(const Matrix& rows, double prior_variance)
    : parameters_(rows.cols()),
      rows_(rows.rows()),
      prior_precision_(1 / prior_variance),
      blocks_((rows_ + block - 1) / block),
      data_(Vector::Zero(blocks_ * block * parameters_)) {
  assert(parameters_ <= most_parameters);
  for (Index i = 0; i < rows_; ++i)
    for (Index j = 0; j < parameters_; ++j)
      data_[(i / block) * block * parameters_ + j * block + i % block] = rows(i, j);
}

void LogisticPotential::evaluate(const Pair& q, Pair& gradient, std::array<double, 2>& value) const {
  const double* q0 = q.col(0).data();
  const double* q1 = q.col(1).data();
  Packet sum0[most_parameters], sum1[most_parameters];  // std::array would drop the alignment of the type, and warn
  for (Index j = 0; j < parameters_; ++j) sum0[j] = sum1[j] = packet::pset1<Packet>(0);
  const Packet one = packet::pset1<Packet>(1);
  Packet product0 = one, product1 = one, excess0 = packet::pset1<Packet>(0), excess1 = excess0;
  double logs0 = 0, logs1 = 0;
  int factors = 0;

  const double* a = data_.data();
  for (Index b = 0; b < blocks_; ++b, a += block * parameters_) {
    Packet z0[packets], z1[packets];
#pragma GCC unroll 4
    for (Index k = 0; k < packets; ++k) z0[k] = z1[k] = packet::pset1<Packet>(0);
    for (Index j = 0; j < parameters_; ++j) {
      const Packet c0 = packet::pset1<Packet>(q0[j]), c1 = packet::pset1<Packet>(q1[j]);
#pragma GCC unroll 4
      for (Index k = 0; k < packets; ++k) {
        const Packet datum = packet::pload<Packet>(a + j * block + k * lanes);
        z0[k] = packet::pmadd(datum, c0, z0[k]);
        z1[k] = packet::pmadd(datum, c1, z1[k]);
      }
    }
#pragma GCC unroll 4
    for (Index k = 0; k < packets; ++k) {
      z0[k] = weight_of(z0[k], product0, excess0);
      z1[k] = weight_of(z1[k], product1, excess1);
    }
    for (Index j = 0; j < parameters_; ++j) {
      Packet g0 = sum0[j], g1 = sum1[j];
#pragma GCC unroll 4
      for (Index k = 0; k < packets; ++k) {
        const Packet datum = packet::pload<Packet>(a + j * block + k * lanes);
        g0 = packet::pmadd(datum, z0[k], g0);
        g1 = packet::pmadd(datum, z1[k], g1);
      }
      sum0[j] = g0;
      sum1[j] = g1;
    }
    factors += packets;
    if (factors >= factors_per_logarithm || b + 1 == blocks_) {
      logs0 += logarithm_of(product0);
      logs1 += logarithm_of(product1);
      product0 = product1 = one;
      factors = 0;
    }
  }

  const double padding = static_cast<double>(blocks_ * block - rows_) * std::numbers::ln2;  // rows of zeros
  for (Index j = 0; j < parameters_; ++j) {
    gradient(j, 0) = prior_precision_ * q0[j] - packet::predux(sum0[j]);
    gradient(j, 1) = prior_precision_ * q1[j] - packet::predux(sum1[j]);
  }
  value[0] = logs0 + packet::predux(excess0) - padding + 0.5 * prior_precision_ * q.col(0).squaredNorm();
  value[1] = logs1 + packet::predux(excess1) - padding + 0.5 * prior_precision_ * q.col(1).squaredNorm();
}

}  // namespace zeroth
