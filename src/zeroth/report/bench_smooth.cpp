// SPDX-License-Identifier: MIT
#include "zeroth/report/bench_smooth.hpp"

#include <fmt/format.h>

#include "zeroth/problems/smooth.hpp"
#include "zeroth/report/bench_table.hpp"

namespace zeroth {

void bench_smooth(const BenchOptions& options) {
  std::vector<BenchCell> cells;
  std::vector<std::int64_t> sizes;
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue", "hinge"})
    for (const std::int64_t n : {5, 20, 100, 300})
      for (const char* noise : {"additive", "independent", "growing", "multiplicative", "gradient"}) {
        if (options.reduced && (n > 5 || std::string(noise) != "independent")) continue;
        cells.push_back({fmt::format("{} n = {}, noise {}", family, n, noise), [=](std::int64_t instance) {
                           SmoothOptions o;
                           o.family = family;
                           o.n = n;
                           o.noise_form = noise;
                           o.instance = instance;
                           return smooth_problem(o);
                         }});
        sizes.push_back(n);
      }
  run_bench(
      "bench-smooth", cells,
      [&](const BenchCell& cell) {
        const std::int64_t n = sizes[static_cast<std::size_t>(&cell - cells.data())];
        const std::int64_t few = options.full ? options.trials : std::min<std::int64_t>(options.trials, 3);
        const std::int64_t cap = options.reduced ? 2000 : std::max<std::int64_t>(20000, 100 * n);
        const double seconds = options.full ? 60 : 5;
        std::vector<BenchEntry> list{{"adaptive-conex", options.trials, {cap, 300}}};
        for (const char* name : {"slsqp-frozen", "slsqp-fresh", "cobyla-frozen", "cobyla-fresh", "conex-tuned",
                                 "spsa-al", "regression", "random"}) {
          const std::string solver = name;
          if (n > 50 && (solver == "regression" || solver.starts_with("cobyla"))) continue;
          // Frozen ones end by themselves, soon, and at the optimum of one draw of the noise: whether that is within
          // the tolerance is a coin's toss, so they get as many instances as ours.
          list.push_back({solver, solver.ends_with("frozen") ? options.trials : few, {cap, seconds}});
        }
        return list;
      },
      options);
}

}  // namespace zeroth
