// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

struct MinimizeOptions {        // What minimize() is told beside the problem.
  std::string solver = "auto";  // by its name in the catalog
  std::int64_t budget = 1000;   // joint evaluations, the final check included
  std::uint64_t seed = 1;       // names all randomness of the run
  int jobs = 1;                 // threads that evaluate; the oracle must then be safe to call from several
  // About the problem's values, in the words of a problem file: "probability(wait <= 3) >= 0.95". Empty: E[f_i] <= 0.
  std::vector<std::string> constraints;
  std::string objective;  // what is minimised of it: "cvar(cost, 0.9)". Empty: its mean
  Vector spread;          // how far is far, of variables whose bounds in spec.domain are infinite; empty: 1 each
  Settings settings;      // the solver's own options; see `zeroth describe SOLVER`
};

// The C++ interface: the whole run in memory, without a store. Bad options throw an Error.
Result minimize(const Problem& problem, const MinimizeOptions& options = {});

}  // namespace zeroth
