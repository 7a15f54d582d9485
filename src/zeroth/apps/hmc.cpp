// SPDX-License-Identifier: MIT
#include "zeroth/apps/hmc.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "zeroth/apps/german_credit.hpp"
#include "zeroth/apps/mcmc/diagnostics.hpp"

namespace zeroth {
namespace {

std::span<const double> column(const Matrix& draws, Index j) {
  return {draws.col(j).data(), static_cast<std::size_t>(draws.rows())};
}

// Sidak: |z| of 50 independent standard normals stays below this with probability 0.95.
constexpr double coda_geweke_limit = 3.3, pymc_geweke_limit = 2;

}  // namespace

HmcDiagnosis diagnose(const HmcChains& chains, const std::string& dialect) {
  const bool coda = dialect == "coda";
  HmcDiagnosis worst{std::numeric_limits<double>::infinity(), 0, 0};
  for (Index j = 0; j < chains.draws[0].cols(); ++j) {
    const std::array<std::span<const double>, 2> pair{column(chains.draws[0], j), column(chains.draws[1], j)};
    double size = 0;
    for (const auto& series : pair) {
      size += mcmc::effective_size(series);
      worst.geweke =
          std::max(worst.geweke, coda ? std::abs(mcmc::geweke_coda(series)) : mcmc::worst_geweke_pymc(series));
    }
    worst.effective_size = std::min(worst.effective_size, size);
    worst.rhat = std::max(worst.rhat, coda ? mcmc::gelman_rubin_coda(pair).estimate : mcmc::gelman_rubin_pymc3(pair));
  }
  // A dead chain scores infinity, which no solver could use, and a number makes as clear a case.
  worst.geweke = std::min(worst.geweke, worst_score);
  worst.rhat = std::min(worst.rhat, worst_score);
  return worst;
}

std::vector<Unit> hmc_units() {
  return {{"steps", 1, 64, true, true},
          {"step_size", 0.005, 0.5, true, false},
          {"mass", 0.1, 10, true, false},
          {"burn_in", 0, 0.5, false, false}};
}

HmcSetting hmc_setting(std::span<const double> x, Rng& noise) {
  static const std::vector<Unit> units = hmc_units();
  const double steps = units[0].value(x[0]);
  const bool coin = noise.uniform() < 0.5;  // drawn always, so that the streams below it stay in place
  const double below = std::floor(steps), over = steps - below;
  const double whole = over > 0.5 || (over == 0.5 && coin) ? below + 1 : below;
  return {static_cast<std::int64_t>(std::clamp(whole, units[0].lower, units[0].upper)), units[1].value(x[1]),
          units[2].value(x[2]), units[3].value(x[3])};
}

Vector hmc_point(const HmcSetting& setting) {
  const auto units = hmc_units();
  Vector x(4);
  x << units[0].position(static_cast<double>(setting.steps)), units[1].position(setting.step_size),
      units[2].position(setting.mass), units[3].position(setting.burn_in);
  return x;
}

Problem hmc(const HmcOptions& o) {
  const auto potential = std::make_shared<const LogisticPotential>(
      german_credit_design(o.rows, static_cast<std::uint64_t>(o.subsample)), o.prior_variance);
  const double geweke_limit = o.geweke_limit > 0        ? o.geweke_limit
                              : o.diagnostics == "coda" ? coda_geweke_limit
                                                        : pymc_geweke_limit;
  Problem problem;
  problem.name = "hmc";
  problem.units = hmc_units();
  problem.constraint_names = {"geweke", "rhat"};
  problem.maximize = true;
  Spec& spec = problem.spec;
  spec.domain = Domain::box(4, 0, 1);
  spec.constraints = 2;
  // What a careful beginner takes: small steps, long trajectories, a good part thrown away. Feasible, and far from the
  // best.
  spec.start = hmc_point({20, 0.02, 1, 0.3});
  spec.common_noise = o.seconds == 0;
  problem.oracle = [potential, o, geweke_limit](std::span<const double> x, Rng& noise, std::span<double> values) {
    const HmcSetting setting = hmc_setting(x, noise);
    const HmcChains chains = run_hmc(*potential, setting, {o.gradients, o.seconds}, noise.bits());
    const HmcDiagnosis d = diagnose(chains, o.diagnostics);
    values[0] = -std::log(std::max(d.effective_size, 1.0));
    values[1] = d.geweke - geweke_limit;
    values[2] = d.rhat - o.rhat_limit;
  };
  return problem;
}

}  // namespace zeroth
