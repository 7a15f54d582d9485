// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/scale.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/followed_run.hpp"

namespace zeroth {
namespace {

constexpr Index first_wide = 10'000;  // below, adaptive-conex keeps second derivatives, and its cost is another story
using Clock = std::chrono::steady_clock;

double seconds_of(const auto& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// The least of several, which is what the work costs.
double least_seconds(int repeats, const auto& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repeats; ++k) least = std::min(least, seconds_of(work));
  return least;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

Spec spec_of(Index n) {
  Spec spec;
  spec.domain = Domain::box(n, -1, 1);
  spec.constraints = 1;
  spec.common_noise = true;
  spec.defined_everywhere = true;
  spec.budget = 1'000'000;
  return spec;
}

// Cheap, smooth, and told by sums over x alone; its time is not counted.
Answer answer_to(const Query& q) {
  const auto x = as_vector(q.x);
  const double n = static_cast<double>(x.size()), mean = x.mean();
  return {{(x.array() - 0.5).square().sum() / n, mean - 0.2}, ""};
}

void print_iterations(Index most) {
  fmt::print(
      "One iteration, one constraint, shared directions, on one core: its time, as multiples of one pass y += a x "
      "over\n"
      "vectors of that length and of drawing one normal vector, and what the solver holds, in vectors of length n.\n\n"
      "  {:<15} {:>9} {:>12} {:>10} {:>9} {:>9} {:>9}\n",
      "solver", "n", "ms", "ns per n", "passes", "normals", "vectors");
  for (const char* solver : {"conex", "adaptive-conex"})
    for (Index n = 1000; n <= most; n *= 10) {
      if (n < first_wide && std::string_view(solver) == "adaptive-conex") continue;
      const int repeats = n >= 1'000'000 ? 3 : 15;
      double pass = 0, normals = 0;
      {
        Vector x = Vector::Ones(n), y = Vector::Zero(n);
        pass = least_seconds(repeats, [&] { y += 0.5 * x; });
        normals = least_seconds(repeats, [&] { fill_normal(7, {y.data(), static_cast<std::size_t>(n)}); });
      }
      const double before = resident_bytes();
      Settings settings;
      if (std::string_view(solver) == "conex") settings["shared_directions"] = {true, "the bench"};
      RunState run(spec_of(n), solver_named(solver).make(spec_of(n), settings, 1), unchecked());
      double iteration = std::numeric_limits<double>::infinity();
      // The first steps find their feet; adaptive-conex may answer some batches with a cheaper kind of step.
      for (int k = 0; k < repeats + 3; ++k) {
        receive_batch(run, answer_to);
        const double time = seconds_of([&] { run.advance(); });
        if (k >= 3) iteration = std::min(iteration, time);
      }
      const double held = (resident_bytes() - before) / 8 / static_cast<double>(n);
      fmt::print("  {:<15} {:>9} {:>12.4f} {:>10.2f} {:>9.1f} {:>9.1f} {:>9}\n", solver, n, 1e3 * iteration,
                 1e9 * iteration / static_cast<double>(n), iteration / pass, iteration / normals,
                 n >= 1'000'000 ? fmt::format("{:.1f}", held) : "-");
    }
}

void print_workers(bool reduced) {
  const double sleep = reduced ? 0.005 : 0.02;
  constexpr std::int64_t batch = 16;
  const int iterations = reduced ? 2 : 8;
  fmt::print(
      "\nWorkers: conex with {} directions a batch ({} evaluations an iteration), an oracle that sleeps {:.0f} ms; {} "
      "iterations.\n"
      "Efficiency: the evaluations' own time over workers times elapsed time. Rank 0: the solver's own time per "
      "evaluation.\n\n"
      "  {:>9} {:>14}",
      batch, 4 * batch, 1e3 * sleep, iterations, "n", "own us/evaluation");
  const std::vector<int> workers{1, 2, 4, 8, 16};
  for (const int w : workers) fmt::print(" {:>6} w", w);
  fmt::print("\n");
  for (const Index n : reduced ? std::vector<Index>{1000} : std::vector<Index>{1000, 10'000, 100'000, 1'000'000}) {
    std::string line;
    double own = 0;
    for (const int w : workers) {
      Problem p;
      p.spec = spec_of(n);
      p.oracle = [sleep](std::span<const double> x, Rng&, std::span<double> values) {
        std::this_thread::sleep_for(std::chrono::duration<double>(sleep));
        values[0] = x[0];
        values[1] = x[1];
      };
      const auto engine = threads_engine(p, w);
      Settings settings{{"shared_directions", {true, "the bench"}}, {"batch", {batch, "the bench"}}};
      RunState run(p.spec, solver_named("conex").make(p.spec, settings, 1), unchecked());
      double evaluated = 0, told = 0;
      const double elapsed = seconds_of([&] {
        for (int k = 0; k < (w == 1 ? std::max(1, iterations / 8) : iterations); ++k) {
          const std::int64_t first = run.evaluations();
          engine->evaluate(run.batch(),
                           [&](std::size_t i, Answer a, const Circumstances&) {
                             run.receive(first + static_cast<std::int64_t>(i), std::move(a));
                           },
                           {});
          evaluated += static_cast<double>(run.batch().size());
          told += seconds_of([&] { run.advance(); });
        }
      });
      own = told / evaluated;
      line += fmt::format(" {:>6.1f} %", 100 * evaluated * sleep / (w * elapsed));
    }
    fmt::print("  {:>9} {:>14.1f}{}\n", n, 1e6 * own, line);
  }
}

}  // namespace

void bench_scale(const BenchOptions& options) {
  print_iterations(options.reduced ? 10'000 : 10'000'000);
  print_workers(options.reduced);
  print_busy_shares(options.reduced);
}

}  // namespace zeroth
