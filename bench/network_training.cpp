// SPDX-License-Identifier: MIT
//
// Where the time of training goes: CPU seconds of 5000 iterations (batch 128, 784 inputs), and the share of the matrix
// products. These are run again by themselves, on matrices of the same sizes, so their share is not overstated: alone
// they have the caches to themselves.
#include <fmt/format.h>

#include <algorithm>

#include "zeroth/apps/network_tuning.hpp"
#include "zeroth/lab/cpu_time.hpp"

namespace {

using namespace zeroth;

constexpr int steps = 100, rounds = 7;

void measure(const ImageSet& set, const Split& rows, Index units) {
  NetworkSetting setting{0.16, 2.8e-3, 0.72, 0.855, 0.05, 0.016, 2.5e-4, 3, {units, units, units}};
  Training training(set.train, rows.train, setting, steps * rounds + 1, 1);
  training.step();
  const NetworkShape shape{set.train.features, setting.hidden, 10};
  const auto widths = shape.widths();
  MatrixProduct<float> multiply;
  std::array<Dense<float>, 5> activation;
  std::array<Dense<float>, 4> weights, gradient;
  for (std::size_t l = 0; l < 5; ++l) activation[l].setRandom(widths[l], prediction_batch);
  for (std::size_t l = 0; l < 4; ++l) weights[l] = gradient[l] = Dense<float>::Random(widths[l], widths[l + 1]);
  double whole = 1e300, products = 1e300;
  for (int round = 0; round < rounds; ++round) {
    double begin = cpu_seconds();
    for (int k = 0; k < steps; ++k) training.step();
    whole = std::min(whole, (cpu_seconds() - begin) / steps);
    begin = cpu_seconds();
    for (int k = 0; k < steps; ++k)
      for (std::size_t l = 0; l < 4; ++l) {
        multiply(Form::left_transposed, weights[l], activation[l], activation[l + 1]);
        multiply(Form::right_transposed, activation[l], activation[l + 1], gradient[l]);
        if (l > 0) multiply(Form::plain, weights[l], activation[l + 1], activation[l]);
        activation[l + 1].setConstant(0.5f);  // keeps the numbers ordinary
      }
    products = std::min(products, (cpu_seconds() - begin) / steps);
  }
  const double operations = 3 * shape.megaflops() - 2e-6 * static_cast<double>(prediction_batch * widths[0] * units);
  fmt::print(
      "{0:>4}-{0}-{0}: {1:6.2f} s per 5000 iterations, products {2:4.1f} % of it at {3:.0f} GFLOP/s; prediction "
      "{4:.3f} ms\n",
      units, 5000 * whole, 100 * products / whole, operations * 1e-3 / products, 1e3 * prediction_seconds(shape, 300));
}

}  // namespace

int main() {
  const ImageSet set = synthetic_images(6000, 100, 1);
  const Split rows = split(6000, 0.9, 1);
  for (const Index units : {64, 128, 256, 512}) measure(set, rows, units);
}
