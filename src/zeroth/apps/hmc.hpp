// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>

#include "zeroth/apps/logistic_potential.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// Tuning Hamiltonian Monte Carlo (Section 4.1 of the paper; Gelbart, Snoek, Adams 2014; Hernandez-Lobato et al. 2015):
// get as many effective samples as a fixed amount of computing gives, while the chains pass Geweke's and Gelman and
// Rubin's tests. The target is the posterior of a logistic regression on the German credit data.

struct HmcSetting {
  std::int64_t steps;  // leapfrog steps L of a trajectory
  double step_size;    // epsilon
  double mass;         // kappa: M = kappa I
  double burn_in;      // fraction of the iterations thrown away
};

struct HmcEffort {
  std::int64_t gradients = 12500;  // of both chains together; an iteration costs 2 L of them
  double seconds = 0;              // if positive, the clock decides instead, as in the paper
};

struct HmcChains {
  std::array<Matrix, 2> draws;  // after burn-in; rows are draws
  double acceptance = 0;
  std::int64_t iterations = 0;
};

// Two chains from N(0, 1e-3^2), in lockstep. Momentum p ~ N(0, kappa I), H = U(q) + p'p/(2 kappa). Throws
// std::runtime_error at a divergence: an energy error above 1000, the rule of Stan.
HmcChains run_hmc(const LogisticPotential& potential, const HmcSetting& setting, const HmcEffort& effort,
                  std::uint64_t key);

struct HmcDiagnosis {
  double effective_size;  // the worst parameter's, summed over chains
  double geweke;          // the worst of all parameters and chains; at most `worst_score`, a dead chain's
  double rhat;            // the worst parameter's; likewise
};
inline constexpr double worst_score = 10;
HmcDiagnosis diagnose(const HmcChains& chains, const std::string& dialect);  // "pymc" or "coda"

struct HmcOptions {
  std::int64_t gradients = 12500;
  double seconds = 0;
  std::string diagnostics = "pymc";
  double geweke_limit = 0;
  double rhat_limit = 1.2;
  std::int64_t rows = 800;
  std::int64_t subsample = 1;
  double prior_variance = 1;
};

inline OptionList options_of(HmcOptions& o) {
  return {{"gradients", o.gradients, "gradients of both chains that one evaluation may use", {.lower = 1000}},
          {"seconds", o.seconds, "if positive, seconds of one evaluation instead; answers then depend on the machine",
           nonnegative},
          {"diagnostics", o.diagnostics, "whose Geweke and R-hat: PyMC3's, as in the paper, or R coda's",
           Choices{{"pymc", "coda"}}},
          {"geweke_limit", o.geweke_limit,
           "worst Geweke score allowed; 0: 2 for pymc, 3.3 for coda, where the worst of 50 good scores is below it 19 "
           "times in 20",
           nonnegative},
          {"rhat_limit", o.rhat_limit, "worst R-hat allowed", {.lower = 1}},
          {"rows", o.rows, "loans in the regression", {.lower = 50, .upper = 1000}},
          {"subsample", o.subsample, "seed that draws them from the 1000", nonnegative},
          {"prior_variance", o.prior_variance, "of every coefficient", positive}};
}

// The four variables: steps (log, 1 to 64, rounded), step_size (log, 0.005 to 0.5), mass (log, 0.1 to 10), burn_in (0
// to 0.5).
std::vector<Unit> hmc_units();
// Rounds the steps to the nearest integer, ties by a coin of `noise`.
HmcSetting hmc_setting(std::span<const double> x, Rng& noise);
Vector hmc_point(const HmcSetting& setting);

// f_0 = -log(max(effective samples, 1)), f_1 = Geweke - limit, f_2 = R-hat - limit. The logarithm because effective
// samples span three decades over the box.
Problem hmc(const HmcOptions& options);

}  // namespace zeroth
