// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/smooth.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "zeroth/lab/bench/table.hpp"
#include "zeroth/solvers/adaptive_conex/basis.hpp"

namespace zeroth {

double smooth_limit(const SmoothOptions& o, const Problem& problem, double share) {
  const Vector& best = problem.truth->best_point;
  const double y = problem.truth->multipliers[0], n = static_cast<double>(o.n), sd2 = o.noise_sd * o.noise_sd;
  const double target = share * std::abs(problem.truth->best_value);
  const auto level = [&](double variance) { return variance * y * y / (target * target); };
  if (o.noise_form == "multiplicative") return 0;
  if (o.noise_form == "additive") return level(sd2);
  Vector values(2);
  const auto lagrangian = [&](const Vector& x) {
    problem.truth->expected(as_span(x), {values.data(), 2});
    return values[0] + y * values[1];
  };
  const double here = lagrangian(best);
  const Matrix directions = adaptive::Basis(o.n, 1).matrix();
  const bool tilts = o.noise_form == "gradient";
  const double growth = o.noise_form == "growing" ? std::pow(1 + best.squaredNorm() / n, 2) : 1;
  const double room = 2 - best.cwiseAbs().maxCoeff();  // within the box [-2, 2]^n
  const auto reach = [&](const Matrix& units) { return room / units.cwiseAbs().maxCoeff(); };
  double least = std::numeric_limits<double>::infinity();
  for (double r = reach(directions); r > 0.01; r *= 0.8) {
    Vector bias = Vector::Zero(o.n);
    double trace = 0;
    for (Index j = 0; j < o.n; ++j) {
      const double up = lagrangian(best + r * directions.col(j)), down = lagrangian(best - r * directions.col(j));
      bias += (up - down) / (2 * r) * directions.col(j);
      trace += (up + down - 2 * here) / (r * r);
    }
    double left = target;
    if (const double size = bias.norm(); size > 1e-9 * trace) {
      const double length = std::min(r, reach(bias / size));
      const Vector along = length / size * bias;
      const double curvature = (lagrangian(best + along) + lagrangian(best - along) - 2 * here) / (length * length);
      left -= 0.5 * size * size / curvature;
    }
    if (!(left > 0)) continue;
    // Slopes along a direction vary by sd^2 / r^2 per evaluation there, or under a tilt by sd^2 / n per key.
    const double slope_variance = tilts ? sd2 / n : n * sd2 * growth / (r * r);
    least = std::min(least, slope_variance * (1 + y * y) * n * n / trace / (2 * left));
  }
  return std::max(least, level(tilts ? sd2 * best.squaredNorm() / n : sd2 * growth));
}

void bench_smooth(const BenchOptions& options) {
  std::vector<BenchCell> cells;
  std::vector<std::int64_t> sizes;
  for (const char* family : {"logistic", "quartic", "rosenbrock", "queue", "hinge"})
    for (const std::int64_t n : {5, 20, 100, 300})
      for (const char* noise : {"additive", "independent", "growing", "multiplicative", "gradient"}) {
        if (options.reduced && (n > 5 || std::string(noise) != "independent")) continue;
        const auto instance_options = [=](std::int64_t instance) {
          SmoothOptions o;
          o.family = family;
          o.n = n;
          o.noise_form = noise;
          o.instance = instance;
          return o;
        };
        cells.push_back({fmt::format("{} n = {}, noise {}", family, n, noise),
                         [=](std::int64_t instance) { return smooth_problem(instance_options(instance)); },
                         [=](std::int64_t instance, const Problem& problem) {
                           return smooth_limit(instance_options(instance), problem);
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
