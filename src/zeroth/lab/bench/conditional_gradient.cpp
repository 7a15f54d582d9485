// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/conditional_gradient.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/true_error.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

Vector normal_vector(Rng& rng, Index size, double scale) {
  Vector v(size);
  for (double& e : v) e = scale * rng.normal();
  return v;
}

Domain set_named(const std::string& set, std::int64_t size, Rng& rng) {
  if (set == "simplex") return Domain::simplex(size);
  if (set == "l1-ball") return Domain::l1_ball(Vector::Zero(size), 1);
  if (set == "nuclear-ball") return Domain::nuclear_ball(size, size, 1);
  if (set != "polytope") throw Error("there is no set '" + set + "' here");
  Matrix vertices(size, 3 * size);
  for (Index j = 0; j < vertices.cols(); ++j) vertices.col(j) = normal_vector(rng, size, 1);
  return Domain::polytope(vertices);
}

double microseconds(const std::function<void()>& work) {
  int repeats = 0;
  const auto begin = std::chrono::steady_clock::now();
  double seconds = 0;
  do {
    work();
    ++repeats;
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  } while (seconds < 0.3);
  return 1e6 * seconds / repeats;
}

}  // namespace

Problem nearest_point(const std::string& set, std::int64_t size) {
  Rng rng(derive_key(7, static_cast<std::uint64_t>(size)));
  Problem problem;
  problem.name = "nearest-point-" + set;
  Spec& spec = problem.spec;
  spec.domain = set_named(set, size, rng);
  spec.constraints = 1;
  spec.common_noise = spec.defined_everywhere = true;
  const Index n = spec.dimension();
  const Vector a = spec.domain.center() + normal_vector(rng, n, 1), b = normal_vector(rng, n, 1 / std::sqrt(n));
  Vector free = a;
  spec.domain.project(free);
  const double c = 0.5 * (b.dot(free) + b.dot(spec.domain.center())) - 0.02;  // cuts the unconstrained optimum off
  double low = 0, high = 1e4;
  Vector x = free;
  for (int halving = 0; halving < 200; ++halving) {
    const double lambda = 0.5 * (low + high);
    x = a - lambda * b;
    spec.domain.project(x);
    (b.dot(x) > c ? low : high) = lambda;
  }
  Truth truth;
  truth.expected = [a, b, c](std::span<const double> at, std::span<double> values) {
    values[0] = 0.5 * (as_vector(at) - a).squaredNorm();
    values[1] = b.dot(as_vector(at)) - c;
  };
  truth.best_point = x;
  truth.best_value = 0.5 * (x - a).squaredNorm();
  truth.multipliers = Vector::Constant(1, high);
  problem.oracle = [expected = truth.expected](std::span<const double> at, Rng& noise, std::span<double> values) {
    expected(at, values);
    double tilt = 0;  // moves the gradient: noise that differences do not cancel
    for (const double v : at) tilt += v * noise.normal();
    values[0] += 0.1 * tilt + 0.1 * noise.normal();
    values[1] += 0.1 * noise.normal();
  };
  problem.truth = std::move(truth);
  return problem;
}

void bench_conditional_gradient(const BenchOptions& o) {
  const auto trials = static_cast<std::size_t>(o.reduced ? 2 : std::min<std::int64_t>(o.trials, 10));
  const double last = o.reduced ? 1e4 : o.full ? 1e6 : 1e5;
  std::ofstream csv(o.out / "bench-conditional-gradient.csv");
  csv << "set,n,solver,T,error,error_se\n";
  fmt::print(
      "min |x - a|^2/2 over X with one noisy linear constraint, 4 evaluations per iteration, {} trials;\n"
      "error: max(|gap|, violation) without noise, mean +- standard error\n{:<14}{:>5}  {:<26}",
      trials, "set", "n", "solver");
  std::vector<std::int64_t> Ts;
  for (double exponent = 3; exponent <= std::log10(last) + 1e-9; exponent += 0.5)
    Ts.push_back(std::llround(std::pow(10, exponent)));
  for (const auto T : Ts) fmt::print("{:>12}", fmt::format("T={}", T));
  fmt::print("   slope\n");
  for (const auto& [set, size] :
       {std::pair<std::string, std::int64_t>{"simplex", 20}, {"l1-ball", 20}, {"nuclear-ball", 5}, {"polytope", 10}}) {
    const Problem problem = nearest_point(set, size);
    for (const std::string solver : {"conex-cg", "conex"}) {
      Settings settings;
      settings["shared_directions"].value = true;
      settings["nu"].value = 0.01;
      if (solver == "conex") settings["schedule"].value = std::string("adaptive");
      fmt::print("{:<14}{:>5}  {:<26}", set, problem.spec.dimension(),
                 solver == "conex" ? "conex, prox, adaptive" : solver);
      std::vector<double> log_T, log_error;
      for (const auto T : Ts) {
        std::vector<double> errors(trials);
        parallel_for(o.jobs, trials,
                     [&](std::size_t k) { errors[k] = true_error(problem, solver, settings, 4 * T, k + 1).worst(); });
        const Moments m = moments(errors);
        csv << fmt::format("{},{},{},{},{:.6g},{:.3g}\n", set, problem.spec.dimension(), solver, T, m.mean, m.se);
        fmt::print("{:>12.5f}", m.mean);
        std::fflush(stdout);
        log_T.push_back(std::log(static_cast<double>(T)));
        log_error.push_back(std::log(m.mean));
      }
      const Line line = fit_line(log_T, log_error);
      fmt::print("   {:.2f} [{:.2f}, {:.2f}]\n", line.slope, line.lower, line.upper);
    }
  }
  fmt::print(
      "of conditional gradients with averaged estimates: -1/3\n\nmicroseconds for one step over X\n"
      "{:<14}{:>9}{:>22}{:>12}{:>9}\n",
      "set", "n", "linear minimisation", "projection", "ratio");
  for (const auto& [set, size] : {std::pair<std::string, std::int64_t>{"simplex", 10000},
                                  {"l1-ball", 10000},
                                  {"nuclear-ball", o.reduced ? 10 : 60},
                                  {"polytope", o.reduced ? 10 : 60}}) {
    Rng rng(3);
    const Domain domain = set_named(set, size, rng);
    const Vector v = normal_vector(rng, domain.dimension(), 1);
    Vector out(domain.dimension());
    const double linear = microseconds([&] { domain.minimize_linear(v, out); });
    const double projection = microseconds([&] {
      out = v;
      domain.project(out);
    });
    fmt::print("{:<14}{:>9}{:>22.1f}{:>12.1f}{:>9.1f}\n", set, domain.dimension(), linear, projection,
               projection / linear);
  }
}

}  // namespace zeroth
