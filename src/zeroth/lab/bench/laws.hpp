// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/lab/bench/bench.hpp"

namespace zeroth {

// The promises of the answer as laws, on small problems with known truth and one difficulty each:
//   ladder    more evaluations never make the median true score worse by more than its sampling error
//   start     the answer is never clearly worse than the start
//   claims    of answers said to be feasible 95 % are, of those said to be infeasible 90 %; intervals cover
//   units     the verdict does not change with the units of objective, constraints and variables
// A ledger of all runs goes to laws.csv.
void bench_laws(const BenchOptions& options);

}  // namespace zeroth
