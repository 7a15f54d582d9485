// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/lab/bench/bench.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/report/statistics.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

constexpr double sd = 0.2, promised = 0.95;

// DrawnNoise of mean 0 and deviation 1, and its distribution function.
struct DrawnNoise {
  const char* name;
  double (*draw)(Rng&);
  double (*below)(double);
  double quantile;  // at `promised`
};

const DrawnNoise drawn_noises[] = {
    {"normal", [](Rng& r) { return r.normal(); }, [](double z) { return boost::math::cdf(boost::math::normal(), z); },
     1.6448536},
    {"exponential", [](Rng& r) { return -std::log(r.uniform()) - 1; },
     [](double z) { return z < -1 ? 0 : 1 - std::exp(-z - 1); }, 1.9957323},
    {"t3", [](Rng& r) { return r.student_t(3) / std::sqrt(3.0); },
     [](double z) { return boost::math::cdf(boost::math::students_t(3), z * std::sqrt(3.0)); }, 1.3587150}};

enum class View { stated, indicator, mean };

Problem problem_with(const DrawnNoise& noise, View view) {
  Problem p;
  p.name = "chance";
  p.spec.domain = Domain::box(2, -2, 2);
  p.spec.start = Vector::Zero(2);
  p.spec.constraints = 1;
  p.constraint_names = {"c"};
  p.oracle = [draw = noise.draw, view](std::span<const double> x, Rng& r, std::span<double> values) {
    values[0] = std::pow(x[0] - 1, 2) + std::pow(x[1] - 1, 2) + 0.2 * r.normal();
    const double c = x[0] + x[1] - 1 + sd * draw(r);
    values[1] = view == View::indicator ? (c > 0 ? 1.0 : 0.0) - (1 - promised) : c;
  };
  return p;
}

struct Entrant {
  const char* label;
  const char* solver;
  View view;
  std::vector<std::string> constraints;
};

}  // namespace

void bench_chance(const BenchOptions& options) {
  const std::vector<Entrant> entrants{
      {"probability(c <= 0) >= 0.95", "adaptive-conex", View::stated, {"probability(c <= 0) >= 0.95"}},
      {"quantile(c, 0.95) <= 0", "adaptive-conex", View::stated, {"quantile(c, 0.95) <= 0"}},
      {"probability(c <= 0) >= 0.95", "trust-bo", View::stated, {"probability(c <= 0) >= 0.95"}},
      {"the evaluator returns 1{c > 0} - 0.05", "adaptive-conex", View::indicator, {}},
      {"E[c] <= -1.645 sd, as for normal noise", "adaptive-conex", View::stated, {"mean(c) <= -0.329"}},
      {"probability(c <= 0) >= 0.95", "random", View::stated, {"probability(c <= 0) >= 0.95"}},
  };
  const auto trials = static_cast<std::size_t>(options.reduced ? 2 : options.trials);
  fmt::print(
      "min |x - 1|^2 where P(x_0 + x_1 - 1 + noise <= 0) >= {}; 2,000 evaluations (trust-bo: 150), {} seeds.\n"
      "cost and probability: noiseless, at the recommended point, mean +- standard error; kept: P >= {};\n"
      "said: the answer claims it with 95 % confidence\n",
      promised, trials, promised);
  for (const DrawnNoise& noise : drawn_noises) {
    const double edge = (1 - noise.quantile * sd) / 2;
    fmt::print("\n{} noise, optimum {:.4f}\n", noise.name, 2 * std::pow(1 - edge, 2));
    for (const Entrant& e : entrants) {
      if (!options.solvers.empty() && std::ranges::find(options.solvers, e.solver) == options.solvers.end()) continue;
      std::vector<double> cost(trials), probability(trials);
      std::vector<int> said(trials);
      parallel_for(options.jobs, trials, [&](std::size_t k) {
        MinimizeOptions o;
        o.solver = e.solver;
        o.budget = std::string_view(e.solver) == "trust-bo" ? 150 : options.reduced ? 600 : 2000;
        o.seed = 1001 + k;
        o.constraints = e.constraints;
        const Result r = minimize(problem_with(noise, e.view), o);
        cost[k] = (r.x.array() - 1).square().sum();
        probability[k] = noise.below((1 - r.x.sum()) / sd);
        said[k] = r.feasibility == Feasibility::confirmed;
      });
      const Moments c = moments(cost), p = moments(probability);
      fmt::print("  {:<40} {:<15} cost {:.3f} +- {:.3f}  probability {:.4f} +- {:.4f}  kept {}/{}  said {}/{}\n",
                 e.label, e.solver, c.mean, c.se, p.mean, p.se,
                 std::ranges::count_if(probability, [](double v) { return v >= promised; }), trials,
                 std::ranges::count(said, 1), trials);
    }
  }
}

}  // namespace zeroth
