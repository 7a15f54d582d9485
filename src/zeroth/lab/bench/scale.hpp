// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <limits>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/run/run_state.hpp"

namespace zeroth {

// What very many variables and many workers cost.
void bench_scale(const BenchOptions& options);

// Its parts.
void print_iterations(Index most);    // cost and memory of an iteration
void print_precisions(bool reduced);  // what single precision costs in accuracy
void print_replicas(bool reduced);    // bytes per evaluation, times of each part, and the model's efficiency
void print_workers(bool reduced);     // efficiency measured beside the model's
void print_busy_shares(bool reduced);

// A problem of n variables and one constraint whose points may be described; what solvers of the bench are set to.
Spec scale_spec(Index n);
Settings scale_settings(const std::string& solver, const std::string& directions, std::int64_t batch);

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The least of several, which is what the work costs.
double least_seconds(int repeats, const auto& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) least = std::min(least, seconds_of(work));
  return least;
}

}  // namespace zeroth
