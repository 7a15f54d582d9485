// SPDX-License-Identifier: MIT
//
// Gradients of the logistic posterior per second of one core at 800 x 25: the fused kernel of two chains beside Eigen's
// plain form (two matrix-vector products and an array exponential), in one run, turn and turn about. CPU time, so that
// a busy machine does not blur the ratio.
#include <fmt/format.h>

#include <algorithm>

#include "zeroth/apps/german_credit.hpp"
#include "zeroth/apps/hmc.hpp"
#include "zeroth/apps/logistic_potential.hpp"
#include "zeroth/lab/cpu_time.hpp"

namespace {

using namespace zeroth;

double plain(const Matrix& rows, const Vector& q, Vector& z, Vector& w, Vector& gradient) {
  z.noalias() = rows * q;
  w = (1 + z.array().exp()).inverse();
  gradient = q;
  gradient.noalias() -= rows.transpose() * w;
  return 0.5 * q.squaredNorm() - (1 - w.array()).log().sum();
}

}  // namespace

int main() {
  const Matrix rows = german_credit_design(800, 1);
  const LogisticPotential potential(rows, 1);
  constexpr int repeats = 4000, rounds = 9;
  LogisticPotential::Pair q = LogisticPotential::Pair::Constant(rows.cols(), 2, 0.05), pair_gradient(rows.cols(), 2);
  std::array<double, 2> values{};
  Vector x = q.col(0), z(rows.rows()), w(rows.rows()), gradient(rows.cols());
  double ours = 1e300, eigen = 1e300, sink = 0;
  for (int round = 0; round < rounds; ++round) {
    double begin = cpu_seconds();
    for (int k = 0; k < repeats; ++k) {
      q(0, 0) = 1e-6 * k;
      potential.evaluate(q, pair_gradient, values);
      sink += values[0] + pair_gradient(3, 1);
    }
    ours = std::min(ours, cpu_seconds() - begin);
    begin = cpu_seconds();
    for (int k = 0; k < repeats; ++k) {
      x[0] = 1e-6 * k;
      sink += plain(rows, x, z, w, gradient) + gradient[3];
    }
    eigen = std::min(eigen, cpu_seconds() - begin);
  }
  const double our_rate = 2 * repeats / ours, eigen_rate = repeats / eigen;
  fmt::print("gradients per second at {} x {}: fused pair {:.0f}, Eigen's two products {:.0f}: ratio {:.2f}\n",
             rows.rows(), rows.cols(), our_rate, eigen_rate, our_rate / eigen_rate);

  const HmcSetting best{5, 0.063, 1, 0};
  double sampling = 1e300, diagnosing = 1e300;
  for (int round = 0; round < rounds; ++round) {
    double begin = cpu_seconds();
    const HmcChains chains = run_hmc(potential, best, {.gradients = 12500}, 1);
    sampling = std::min(sampling, cpu_seconds() - begin);
    begin = cpu_seconds();
    sink += diagnose(chains, "pymc").effective_size;
    diagnosing = std::min(diagnosing, cpu_seconds() - begin);
  }
  fmt::print("one evaluation of 12,500 gradients: {:.1f} ms, of which diagnostics {:.1f} %\n",
             1e3 * (sampling + diagnosing), 100 * diagnosing / (sampling + diagnosing));
  return sink == 0 ? 1 : 0;
}
