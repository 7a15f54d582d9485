// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/lab/bench/scale.hpp"
#include "zeroth/run/loop.hpp"

namespace zeroth {
namespace {

using Clock = std::chrono::steady_clock;
constexpr double slow_share = 0.125;

// One evaluation in eight takes 25 times as long, as its noise key says: the same ones in every run.
struct Uneven {
  double short_seconds, long_seconds;
  double seconds(Rng noise) const { return noise.uniform() < slow_share ? long_seconds : short_seconds; }
};

struct BusyShare {
  double share = 0, seconds = 0;
  Vector x;
};

BusyShare busy_share(const std::string& solver, const Uneven& times, int workers, int width, int lag,
                     std::int64_t budget) {
  Problem p;
  p.spec.domain = Domain::box(2, 0, 1);
  p.spec.constraints = 1;
  p.spec.width = width;
  p.spec.lag = lag;
  p.spec.plan_for(budget, 0);
  std::mutex guard;
  double slept = 0;
  p.oracle = [&](std::span<const double> x, Rng& noise, std::span<double> values) {
    const double seconds = times.seconds(noise);
    values[0] = std::pow(x[0] - 0.7, 2) + std::pow(x[1] - 0.2, 2) + 0.01 * (noise.uniform() - 0.5);
    values[1] = x[0] + x[1] - 0.8;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const std::scoped_lock lock(guard);
    slept += seconds;
  };
  const auto engine = threads_engine(p, workers);
  RunRequest request;
  request.budget = budget;
  request.check_share = 0;
  const auto begin = Clock::now();
  const Result result = run(p.spec, solver_named(solver).make(p.spec, {}, 1), *engine, request);
  const double elapsed = std::chrono::duration<double>(Clock::now() - begin).count();
  return {slept / (workers * elapsed), elapsed, result.x};
}

}  // namespace

void print_busy_shares(bool reduced) {
  const Uneven times = reduced ? Uneven{0.001, 0.025} : Uneven{0.02, 0.5};
  const std::int64_t budget = reduced ? 64 : 256;
  constexpr int workers = 4;
  fmt::print(
      "\nUneven evaluations: {:.0f} ms, one in {:.0f} of them {:.0f} ms; {} workers, {} evaluations, no final check.\n"
      "Busy: the evaluations' own time over workers times elapsed time, the solver's own time included in the "
      "latter.\n\n"
      "  {:<14} {:>6} {:>6} {:>8} {:>10}\n",
      1e3 * times.short_seconds, 1 / slow_share, 1e3 * times.long_seconds, workers, budget, "solver", "width", "lag",
      "busy", "seconds");
  for (const std::string solver : {"random", "trust-bo", "adaptive-conex", "auto"})
    for (const auto& [width, lag] : std::vector<std::pair<int, int>>{{4, 0}, {4, 4}, {1, 16}, {1, 64}}) {
      if (reduced && solver == "auto" && lag != 16) continue;
      const BusyShare found = busy_share(solver, times, workers, width, lag, budget);
      fmt::print("  {:<14} {:>6} {:>6} {:>6.0f} % {:>10.1f}\n", solver, width, lag, 100 * found.share, found.seconds);
    }
}

}  // namespace zeroth
