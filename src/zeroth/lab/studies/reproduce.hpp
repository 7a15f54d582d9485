// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace zeroth {

// What of the paper can be run again, by name: `zeroth reproduce NAME`.
struct ReproduceOptions {
  std::int64_t trials = 0;  // 0: the study's own default
  bool full = false;        // further than the default affords
  bool smoke = false;       // seconds, for the tests
  bool one_point = false;   // rates: one-point feedback beside the two-point one
  int jobs = 0;             // trials that run at the same time; 0: as many as there are cores
  std::filesystem::path out = ".";
  std::vector<std::string> solvers;                  // only these; empty: all of the study's
  std::vector<std::int64_t> evaluations;             // only with so many; empty: the study's own
  std::function<void(const std::string&)> progress;  // one line at a time; may be empty
};

struct Reproduction {
  std::string name, summary;
  // Writes tables, CSV and figures below `out` and returns the table as text for stdout.
  std::string (*run)(const ReproduceOptions&);
};

const std::vector<Reproduction>& reproductions();

std::string reproduce_hmc(const ReproduceOptions& options);
std::string reproduce_qcqp_convex(const ReproduceOptions& options);
std::string reproduce_qcqp_nonconvex(const ReproduceOptions& options);
std::string reproduce_nn_mnist(const ReproduceOptions& options);
std::string reproduce_nn_cifar10(const ReproduceOptions& options);
std::string reproduce_rates(const ReproduceOptions& options);
std::string reproduce_one_point_rates(const ReproduceOptions& options);

}  // namespace zeroth
