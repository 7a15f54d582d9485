// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth::mcmc {

// Diagnostics of Markov chains in the two dialects that people quote: R's coda and Python's PyMC. A dead chain (all
// draws alike) is data, not an error: its effective size is 0, its Geweke score infinite, its R-hat infinite.

// How many independent draws the series is worth: n var / S(0) (coda's effectiveSize). It may exceed n: antithetic
// chains estimate means better than independent draws. Several chains add up.
double effective_size(std::span<const double> series);

// Geweke (1992): do the first 10 % and the last 50 % of a chain have the same mean?
//   coda:  z = (m1 - m2) / sqrt(S1(0)/n1 + S2(0)/n2), a true z-score: the worst of 50 good series is beyond 2 nearly
//   always. PyMC3: z = (m1 - m2) / sqrt(v1 + v2) for 20 starting points in the first half, without the lengths of the
//   windows: a
//          distance of means in units of spread, far below 2 for any chain that has settled.
struct GewekeWindows {
  double first = 0.1, last = 0.5;
};
double geweke_coda(std::span<const double> series, GewekeWindows windows = {});
// The scores at every start; empty when the series is too short (about 40 draws) to have 20 starts.
std::vector<double> geweke_pymc(std::span<const double> series, GewekeWindows windows = {}, int intervals = 20);
double worst_geweke_pymc(std::span<const double> series);  // largest |z| of these; infinite if there is none

// Gelman and Rubin (1992): is the spread between chains that of one chain? With W the mean within-chain variance, B/n
// the variance of the m chain means, n draws each:
//   PyMC3: sqrt(((n-1)/n W + B/n) / W);   PyMC2 adds B/(mn) to the numerator;
//   coda:  the latter times the degrees-of-freedom factor (d+3)/(d+1) (Brooks and Gelman 1998), with its 97.5 % upper
//   limit.
double gelman_rubin_pymc3(std::span<const std::span<const double>> chains);
double gelman_rubin_pymc2(std::span<const std::span<const double>> chains);
struct ScaleReduction {
  double estimate = 0, upper = 0;
};
ScaleReduction gelman_rubin_coda(std::span<const std::span<const double>> chains);
// coda's multivariate factor: sqrt((n-1)/n + (1 + 1/p)/n lambda_max(W^-1 B)) for p variables (columns), rows are draws.
double gelman_rubin_multivariate(std::span<const Matrix> chains);

}  // namespace zeroth::mcmc
