// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/apps/network_adaptation.hpp"
#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// A trained network meets other images: adapted by evaluations alone under a limit on what it may forget, beside
// two-point descent without the limit and beside backpropagation.
void bench_adaptation(const BenchOptions& options);

// What one way of adapting reaches as it goes.
struct AdaptationPath {
  std::string method;
  std::vector<double> evaluations;  // of both losses for the first two; steps of backpropagation for the others
  std::vector<NetworkAdaptation::Accuracy> accuracy;
};

// By conex with random signs and eta_t = eta; `limited`: with the constraint.
AdaptationPath adapt_by_evaluations(const NetworkAdaptation& network, bool limited, double eta,
                                    std::int64_t evaluations, std::int64_t shown, int jobs);
AdaptationPath adapt_by_gradients(const NetworkAdaptation& network, bool both, std::int64_t steps, std::int64_t shown);

}  // namespace zeroth
