// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/solvers/trust_bo/trust_bo.hpp"

namespace zeroth {

// The default. A global model of the whole set (trust-bo) and a local search by slopes (adaptive-conex) work side by
// side on one budget. The model learns from every evaluation of both. Again and again their recommendations are
// compared by fresh evaluations; the winner gets more of what follows, and a local search that lost begins again where
// the model recommends. `note` says who led and why.
struct AutoOptions {
  double least_share = 1.0 / 16;
  double compare = 0.05;
  double safe = 0;
};

inline OptionList options_of(AutoOptions& o) {
  return {{"least_share", o.least_share, "share of the evaluations that the side which keeps losing still gets",
           Range{.lower = 0, .upper = 0.5}},
          {"compare", o.compare, "share of the evaluations that go into comparing the two sides' recommendations",
           Range{.lower = 0, .upper = 0.5}},
          {"safe", o.safe, safe_help, Range{.lower = 0, .upper = 0.9999}}};
}

Search auto_solver(Spec spec, AutoOptions options, std::uint64_t seed);

}  // namespace zeroth
