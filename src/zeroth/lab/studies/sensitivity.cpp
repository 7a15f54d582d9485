// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/sensitivity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "zeroth/lab/bench/race.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/problems/qcqp.hpp"
#include "zeroth/problems/smooth.hpp"
#include "zeroth/solvers/adaptive_conex/adaptive_conex.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t sensitivity_budget = 3000;
constexpr double large_effect = 0.223;  // a quarter more: the logarithm of 1.25

struct SensitivityCell {
  std::string name;
  std::function<Problem(std::int64_t instance)> problem;
};

SensitivityCell quadratics(std::int64_t n, std::int64_t m, const char* form) {
  return {fmt::format("qcqp n = {}, m = {}, {}", n, m, form), [=](std::int64_t instance) {
            QcqpOptions o;
            o.n = n;
            o.m = m;
            o.instance = instance;
            o.noise_form = form;
            return qcqp(o);
          }};
}

SensitivityCell curves(const char* family, std::int64_t n, const char* form) {
  return {fmt::format("{} n = {}, {}", family, n, form), [=](std::int64_t instance) {
            SmoothOptions o;
            o.family = family;
            o.n = n;
            o.instance = instance;
            o.noise_form = form;
            return smooth_problem(o);
          }};
}

// One for each of the ways that the solver has: opening, regression, blocks under shared and independent noise.
std::vector<SensitivityCell> sensitivity_cells(bool reduced) {
  if (reduced) return {quadratics(4, 1, "additive")};
  return {quadratics(10, 10, "additive"),    quadratics(50, 1, "independent"),
          quadratics(50, 1, "additive"),     curves("quartic", 20, "multiplicative"),
          curves("queue", 5, "independent"), curves("rosenbrock", 100, "multiplicative")};
}

struct Effect {  // logarithms of ratios of evaluations, paired by instance
  double mean = 0, se = 0, worst = 0;
};

Effect effect_of(const std::vector<std::vector<double>>& usual, const std::vector<std::vector<double>>& changed) {
  Effect e;
  double squares = 0, count = 0;
  for (std::size_t c = 0; c < usual.size(); ++c) {
    double sum = 0;
    for (std::size_t t = 0; t < usual[c].size(); ++t) {
      const double ratio = std::log(changed[c][t] / usual[c][t]);
      sum += ratio;
      squares += ratio * ratio;
      ++count;
    }
    const double own = sum / static_cast<double>(usual[c].size());
    e.mean += own / static_cast<double>(usual.size());
    if (std::abs(own) > std::abs(e.worst)) e.worst = own;
  }
  e.se = std::sqrt(std::max(0.0, squares / count - e.mean * e.mean) / count);
  return e;
}

class Sensitivity {
 public:
  explicit Sensitivity(const BenchOptions& options)
      : options_(options),
        cells_(sensitivity_cells(options.reduced)),
        trials_(static_cast<std::size_t>(options.reduced ? 1 : std::min<std::int64_t>(options.trials, 5))),
        ledger_(options.out / "bench-sensitivity.csv", {"constant", "factor", "cell", "instance"}, {"first"}) {}

  // Evaluations to 1 %, per cell and instance, the budget where it does not arrive.
  std::vector<std::vector<double>> races(const std::string& constant, double adaptive::Tuning::*field, double factor) {
    AdaptiveConexOptions changed;
    if (field) changed.tuning.*field *= factor;
    std::vector<std::vector<double>> first(cells_.size(), std::vector<double>(trials_));
    parallel_for(options_.jobs, cells_.size() * trials_, [&](std::size_t k) {
      const SensitivityCell& cell = cells_[k / trials_];
      const std::int64_t instance = options_.first_instance + static_cast<std::int64_t>(k % trials_);
      const Ledger::Key key{constant, fmt::format("{}", factor), cell.name, fmt::format("{}", instance)};
      auto known = ledger_.find(key);
      if (!known) {
        const Problem problem = cell.problem(instance);
        const Competitor competitor{
            "adaptive-conex",
            [&](const Spec& spec, std::uint64_t seed) { return adaptive_conex(spec, changed, seed); },
            {}};
        const double budget = static_cast<double>(sensitivity_budget);
        known = {std::min(budget, race(problem, competitor, {sensitivity_budget}, 1).first)};
        ledger_.add(key, *known);
      }
      first[k / trials_][k % trials_] = known->front();
    });
    return first;
  }

  void print() {
    fmt::print(
        "{} problems, {} instances each: evaluations to 1 % (at most {}) against those with the usual constants\n\n",
        cells_.size(), trials_, sensitivity_budget);
    fmt::print("{:<32}{:>20}{:>10}{:>20}{:>10}\n", "constant", "half", "worst", "double", "worst");
    const auto usual = races("none", nullptr, 1);
    for (const auto& [name, field] : adaptive::tuning_fields) {
      if (!options_.only.empty() && std::string(name).find(options_.only) == std::string::npos) continue;
      std::string line = fmt::format("{:<32}", name);
      bool large = false;
      for (const double factor : {0.5, 2.0}) {
        const Effect e = effect_of(usual, races(name, field, factor));
        line +=
            fmt::format("{:>20}{:>10.2f}", fmt::format("{:.2f} +- {:.2f}", std::exp(e.mean), e.se), std::exp(e.worst));
        large = large || std::abs(e.mean) > std::max(large_effect, 2 * e.se);
      }
      fmt::print("{}{}\n", line, large ? "  large" : "");
      std::fflush(stdout);
    }
  }

 private:
  const BenchOptions& options_;
  std::vector<SensitivityCell> cells_;
  std::size_t trials_;
  Ledger ledger_;
};

}  // namespace

void bench_sensitivity(const BenchOptions& options) { Sensitivity(options).print(); }

}  // namespace zeroth
