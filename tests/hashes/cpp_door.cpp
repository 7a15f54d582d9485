// SPDX-License-Identifier: MIT
//
// The C++ door, for tests/hashes/result_hashes.py and tests/python/test_doors.py: prints the bits of answers.
//   zeroth_cpp_door                            one line per solver, on a problem of its own
//   zeroth_cpp_door SOLVER BUDGET SEED NOISE   of the benchmark qcqp with n = 3, m = 2
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "zeroth/problems/qcqp.hpp"
#include "zeroth/zeroth.hpp"

namespace {

void show(double v) { std::printf(" %016llx", std::bit_cast<unsigned long long>(v)); }

zeroth::Problem own_problem() {
  zeroth::Problem problem;
  problem.spec.domain = zeroth::Domain::box(3, 0, 1);
  problem.spec.constraints = 1;
  problem.spec.common_noise = true;
  problem.oracle = [](std::span<const double> x, zeroth::Rng& noise, std::span<double> values) {
    values[0] = (x[0] - 0.2) * (x[0] - 0.2) + (x[1] - 0.9) * (x[1] - 0.9) + x[2] + 0.05 * noise.normal();
    values[1] = 0.4 - x[0] + 0.05 * noise.normal();
  };
  return problem;
}

void every_solver() {
  for (const zeroth::SolverEntry& entry : zeroth::solvers()) {
    if (entry.name == "pesc" || entry.name == "admmbo") continue;  // they think for long; the other doors have them
    zeroth::MinimizeOptions options;
    options.solver = entry.name;
    const bool models = entry.name == "trust-bo" || entry.name == "albo" || entry.name == "slack-al";
    options.budget = models ? 40 : 450;  // more than auto gives to a model
    options.seed = 5;
    std::printf("%s", entry.name.c_str());
    try {
      const zeroth::Result r = zeroth::minimize(own_problem(), options);
      for (const double v : r.x) show(v);
      show(r.objective.mean);
      show(r.objective.se);
      for (const auto& c : r.constraints) {
        show(c.value.mean);
        show(c.value.se);
      }
      std::printf(" %lld\n", static_cast<long long>(r.evaluations));
    } catch (const std::exception&) {
      std::printf(" refused\n");
    }
  }
}

}  // namespace

int main(int count, char** words) {
  if (count < 5) {
    every_solver();
    return 0;
  }
  zeroth::MinimizeOptions options;
  options.solver = words[1];
  options.budget = std::atoll(words[2]);
  options.seed = std::strtoull(words[3], nullptr, 10);
  const zeroth::Result r = zeroth::minimize(zeroth::qcqp({.n = 3, .m = 2, .noise = words[4]}), options);
  for (const double v : r.x) show(v);
  show(r.objective.mean);
  show(r.objective.se);
  for (const auto& c : r.constraints) show(c.value.mean);
  std::printf(" %lld\n", static_cast<long long>(r.evaluations));
}
