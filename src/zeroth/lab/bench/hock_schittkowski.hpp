// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

struct HockSchittkowskiTrial {
  double gap = 0, violation = 0;  // of the checked answer, by noiseless values; gap in units of |f*|
  double stated = 0;              // probability of feasibility that the result states
  std::string status;
};
HockSchittkowskiTrial run_hock_schittkowski(int number, const std::string& solver, std::int64_t budget,
                                            std::uint64_t seed);

void bench_hock_schittkowski(const BenchOptions& options);

}  // namespace zeroth
