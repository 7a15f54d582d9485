// SPDX-License-Identifier: MIT
//
// Who is compared with whom in the paper's simulations, and how far each may go. Budgets are numbers of evaluations,
// not seconds, so that a study gives the same bytes everywhere.
#include <fmt/format.h>

#include <algorithm>

#include "zeroth/lab/studies/simulation.hpp"

namespace zeroth {
namespace {

const std::vector<double> paper_radii{0.05, 0.1, 2};
const std::vector<std::string> bayesian{"albo", "slack-al", "admmbo", "pesc"};

QcqpOptions problem_of(std::int64_t n, const std::string& noise, bool nonconvex) {
  QcqpOptions o;
  o.n = n;
  o.noise = noise;
  o.indefinite = nonconvex;
  return o;
}

struct Effort {
  std::int64_t conex, adaptive;      // joint evaluations
  std::int64_t bayes, admmbo, pesc;  // of albo and slack-al; of the other two
  std::int64_t trust;                // of trust-bo; 0: not run
  std::int64_t trials, bayes_trials, pesc_trials;
};

// What a step of a Bayesian system costs grows with n and with the cube of the data, and their curves end where their
// evaluations do: the default is what twenty minutes on two cores afford. ADMMBO asks one function at a time, so its
// evaluations are about as many calls. PESC draws functions in all n dimensions: seconds per step, hence fewer
// trials. Where the race is close (up to n = 50, without convexity up to n = 200) the others have as many as ours, and
// at n = 50, where they are cheap, at least ten.
Effort effort(std::int64_t n, bool nonconvex, const ReproduceOptions& o) {
  Effort e{};
  if (o.smoke) {
    e = {20000, 2000, 60, 120, 20, 60, o.trials > 0 ? o.trials : 3, 1, 1};
  } else {
    const bool small = n <= 20;
    e.conex = small ? 20000 : o.full ? 1000000 : n <= 200 || nonconvex ? 120000 : 40000;
    e.adaptive = small ? 2000 : 20 * n;
    e.bayes = small ? 100 : o.full ? 1000 : n <= 50 ? 300 : n <= 200 ? 400 : 200;
    e.admmbo = small ? 200 : o.full ? 1500 : n <= 200 ? 400 : 300;
    e.pesc = small ? 60 : o.full ? 150 : n <= 50 ? 80 : n <= 200 ? 75 : 12;
    e.trust = small ? e.bayes : nonconvex && n <= 200 ? 250 : 0;
    e.trials = o.trials > 0 ? o.trials : o.full ? 100 : 3;
    if (n == 50) e.trials = std::max<std::int64_t>(10, e.trials);
    const bool close = n <= 50 || (nonconvex && n <= 200);
    e.bayes_trials = o.full || small || close ? e.trials : std::min<std::int64_t>(3, e.trials);
    e.pesc_trials = small || o.full ? e.bayes_trials : std::min<std::int64_t>(n <= 50 ? 3 : 1, e.bayes_trials);
    if (!small && !o.evaluations.empty()) {
      const std::size_t place = o.evaluations.size() == 1 ? 0 : n <= 50 ? 0 : n <= 200 ? 1 : 2;
      e.bayes = e.admmbo = e.pesc = o.evaluations[place];
    }
  }
  return e;
}

std::int64_t budget_of(const std::string& solver, const Effort& e) {
  return solver == "pesc" ? e.pesc : solver == "admmbo" ? e.admmbo : e.bayes;
}

Settings steps_settings(const Steps& steps, double nu) {
  return {{"eta", {fmt::format("{}*t^0.5", steps.eta), "the search"}},
          {"tau", {fmt::format("{}*t^0.5", steps.tau), "the search"}},
          {"nu", {std::vector<double>{nu}, "the study"}}};
}

SimulationPanel panel(std::int64_t n, const std::string& noise, bool nonconvex, const ReproduceOptions& o) {
  const Effort e = effort(n, nonconvex, o);
  SimulationPanel p{fmt::format("n{}-{}", n, noise),
                    fmt::format("n = {}, {} noise", n, noise == "t5" ? "t5" : "N(0, 1)"),
                    problem_of(n, noise, nonconvex),
                    {}};
  const std::string algorithm = nonconvex ? "proximal-conex" : "conex";
  // A convex problem shows after a while which steps are good; a nonconvex one when the iterates have found a corner.
  const std::int64_t tried = std::min<std::int64_t>(e.conex, !nonconvex ? 10000 : n <= 200 ? 120000 : 40000);
  const Steps steps = search_steps(p.problem, algorithm, tried, o.out / "figures" / "qcqp-steps.csv", o.jobs);
  for (const double nu : paper_radii)
    p.variants.push_back({fmt::format("SZO-ConEx nu={}", nu), algorithm, steps_settings(steps, nu), e.conex, e.trials});
  for (const auto& solver : bayesian) {
    // Somebody may have afforded more than the default, with --evaluations.
    const std::int64_t stored = longest_stored(simulation_file(o, nonconvex), p.name, solver);
    p.variants.push_back({solver,
                          solver,
                          {},
                          std::max(budget_of(solver, e), stored),
                          solver == "pesc" ? e.pesc_trials : e.bayes_trials});
  }
  p.variants.push_back({"adaptive-conex", "adaptive-conex", {}, e.adaptive, e.trials});
  if (e.trust > 0) p.variants.push_back({"trust-bo", "trust-bo", {}, e.trust, e.bayes_trials});
  return p;
}

std::vector<SimulationPanel> panels(bool nonconvex, const ReproduceOptions& o) {
  std::vector<SimulationPanel> all;
  if (o.smoke) return {panel(4, "normal", nonconvex, o)};
  for (const std::int64_t n : {200, 500})
    for (const char* noise : {"normal", "t5"}) all.push_back(panel(n, noise, nonconvex, o));
  for (const std::int64_t n : {50, 4, 10, 20}) all.push_back(panel(n, "normal", nonconvex, o));
  return all;
}

}  // namespace

std::filesystem::path simulation_file(const ReproduceOptions& o, bool nonconvex) {
  return o.out / "figures" / (nonconvex ? "qcqp-nonconvex.csv" : "qcqp-convex.csv");
}

std::vector<SimulationPanel> convex_panels(const ReproduceOptions& o) { return panels(false, o); }
std::vector<SimulationPanel> nonconvex_panels(const ReproduceOptions& o) { return panels(true, o); }

// Algorithm 1 with one thing changed at a time, at n = 50.
std::vector<SimulationPanel> ablation_panels(const ReproduceOptions& o) {
  const std::int64_t n = o.smoke ? 5 : 50;
  const std::int64_t budget = o.smoke ? 2000 : 50000, trials = o.trials > 0 ? o.trials
                                                               : o.smoke    ? 2
                                                               : o.full     ? 100
                                                                            : 10;
  SimulationPanel common{fmt::format("ablation-n{}", n),
                         fmt::format("n = {}, one change at a time", n),
                         problem_of(n, "normal", false),
                         {}};
  const Steps steps = search_steps(common.problem, "conex", std::min<std::int64_t>(budget, 10000),
                                   o.out / "figures" / "qcqp-steps.csv", o.jobs);
  const auto add = [&](const std::string& name, const std::string& key, OptionValue value) {
    Variant v{name, "conex", steps_settings(steps, 0.1), budget, trials};
    if (!key.empty()) v.settings[key] = {std::move(value), "the ablation"};
    common.variants.push_back(std::move(v));
  };
  add("as in the paper", "", {});
  add("theta=0", "theta", std::string("0"));
  add("plain constraint values", "linearised", false);
  add("shared directions", "shared_directions", true);
  add("batch=4", "batch", std::int64_t{4});
  add("batch=16", "batch", std::int64_t{16});
  SimulationPanel independent = common;
  independent.name += "-independent";
  independent.title += ", independent noise";
  independent.problem.noise_form = "independent";
  return {common, independent};
}

}  // namespace zeroth
