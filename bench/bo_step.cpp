// SPDX-License-Identifier: MIT
// CPU time of one step of the Bayesian solvers at n = 100 data points in 4 dimensions with 2 constraints, one thread;
// beside it what the original implementations took per step on the same kind of machine: laGP 1.5-9, 45 ms, mean over n
// = 10..100 of a 4-D problem with one constraint and modelled objective; PESC, 8 s at n = 40.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/cpu_time.hpp"

namespace {

using namespace zeroth;

Problem four_dimensional() {
  Problem p;
  p.spec.domain = Domain::box(4, 0, 1);
  p.spec.constraints = 2;
  p.spec.budget = 120;
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> v) {
    v[0] = x[0] + x[1] + std::pow(x[2] - 0.4, 2) + x[3] * x[3] + 0.01 * noise.normal();
    v[1] =
        1.5 - x[0] - 2 * x[1] - 0.5 * std::sin(6.28318 * (x[0] * x[0] - 2 * x[1])) - 0.2 * x[2] + 0.01 * noise.normal();
    v[2] = x[0] * x[0] + x[1] * x[1] + x[3] - 1.5 + 0.01 * noise.normal();
  };
  return p;
}

void measure(const std::string& solver, const Settings& settings, int until, double reference_ms) {
  const Problem problem = four_dimensional();
  Search search = solver_named(solver).make(problem.spec, settings, 1);
  const auto step = [&] {
    std::vector<Answer> answers;
    for (const Query& q : search.ask()) answers.push_back(evaluate_once(problem, q));
    search.tell(answers);
  };
  for (int n = 0; n < until; ++n) step();
  constexpr int steps = 10;  // one of them fits the length scales anew, as every tenth does
  const double begin = cpu_seconds();
  for (int k = 0; k < steps; ++k) step();
  const double ms = 1e3 * (cpu_seconds() - begin) / steps;
  fmt::print("{:<10} {:>8.1f} ms per step at n = {} to {}", solver, ms, until, until + steps);
  if (reference_ms > 0) fmt::print("; original {:.0f} ms, ratio 1/{:.1f}", reference_ms, reference_ms / ms);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main() {
  const auto number = [](std::int64_t n) { return Setting{n, "bench"}; };
  measure("albo", {{"candidates", number(0)}}, 95, 45);  // as many as the original had
  measure("albo", {}, 95, 0);
  measure("slack-al", {}, 95, 0);
  measure("admmbo", {{"decoupled", {false, "bench"}}}, 95, 0);
  measure("trust-bo", {}, 95, 0);
  measure("pesc", {{"start", number(35)}}, 35, 8000);
  measure("pesc", {{"start", number(95)}}, 95, 0);
}
