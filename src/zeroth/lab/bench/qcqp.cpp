// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/qcqp.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "zeroth/lab/bench/table.hpp"

namespace zeroth {
namespace {

struct Noise {
  const char *label, *law, *form;
};
constexpr Noise noises[] = {{"no noise", "none", "additive"},
                            {"common normal", "normal", "additive"},
                            {"common t5", "t5", "additive"},
                            {"independent normal", "normal", "independent"},
                            {"independent t5", "t5", "independent"}};

// Caps keep the bench within an hour or so; an entrant that has not arrived by then shows ">". COBYLA's own work per
// evaluation grows as n^2 and more, the regression has (n + 1)(n + 2) / 2 parameters: both only up to 50 variables.
std::vector<BenchEntry> entrants(std::int64_t n, std::int64_t m, bool noisy, const BenchOptions& options) {
  const std::int64_t trials = options.trials, few = options.full ? trials : std::min<std::int64_t>(trials, 3);
  const std::int64_t cap = options.reduced ? 2000 : n <= 200 ? 100000 : 50000;
  const double seconds = options.full ? 120 : 10;
  const bool small = n <= 50;
  const std::int64_t ours = options.reduced ? 2000 : std::max<std::int64_t>(20000, 60 * n);
  std::vector<BenchEntry> list{{"adaptive-conex", trials, {ours, 600}}};
  if (small) list.push_back({"regression", n <= 10 ? trials : few, {cap, 5 * seconds}});
  list.push_back({"slsqp-frozen", few, {cap, seconds}});
  if (noisy) list.push_back({"slsqp-fresh", few, {cap, seconds}});
  if (small) list.push_back({"cobyla-frozen", few, {cap, seconds}});
  if (small && noisy) list.push_back({"cobyla-fresh", few, {cap, seconds}});
  list.push_back({"conex-tuned", few, {cap, 3 * seconds}});
  list.push_back({"conex-theorem", few, {cap / 5, seconds}});
  list.push_back({"spsa-al", few, {cap, 3 * seconds}});
  list.push_back({"random", few, {cap / 5, seconds}});
  if (m > 1 && !options.full) list.resize(small ? 3 : 2);  // ours and the two that come nearest
  return list;
}

}  // namespace

double qcqp_limit(const QcqpOptions& o, const Problem& problem, double radius, double share) {
  if (o.noise == "none" || !problem.truth) return std::nan("");
  const double variance = o.noise_sd * o.noise_sd * (o.noise == "t5" ? 5.0 / 3 : 1);
  const std::vector<Quadratic> f = qcqp_functions(o);
  const Vector& y = problem.truth->multipliers;
  Matrix h = 2 * f[0].A;
  for (Index i = 0; i < y.size(); ++i) h += 2 * y[i] * f[static_cast<std::size_t>(i) + 1].A;
  h.diagonal().array() += 1e-9;
  const Index n = h.rows();
  const double trace = Eigen::LLT<Matrix>(h).solve(Matrix::Identity(n, n)).trace();
  const double target = share * std::abs(problem.truth->best_value);
  const double slopes =
      static_cast<double>(n) * variance * (1 + y.squaredNorm()) * trace / (2 * radius * radius * target);
  const double level = variance * y.squaredNorm() / (target * target);
  return o.noise_form == "independent" ? std::max(slopes, level) : level;
}

void bench_qcqp(const BenchOptions& options) {
  for (const std::int64_t m : {1, 10}) {
    if (options.reduced && m > 1) return;
    std::vector<BenchCell> cells;
    std::vector<std::pair<std::int64_t, bool>> size_and_noise;
    for (const std::int64_t n : {10, 50, 200, 500})
      for (const Noise& noise : noises) {
        const bool normal = std::string(noise.law) == "normal";
        if (options.reduced && (n > 50 || !normal)) continue;
        if (!options.full && ((n == 500 && !normal) || (m > 1 && (n > 50 || !normal)))) continue;
        const auto instance_options = [=](std::int64_t instance) {
          QcqpOptions o;
          o.n = n;
          o.m = m;
          o.instance = instance;
          o.noise = noise.law;
          o.noise_form = noise.form;
          return o;
        };
        cells.push_back({fmt::format("qcqp n = {}, m = {}, {}", n, m, noise.label),
                         [=](std::int64_t instance) { return qcqp(instance_options(instance)); },
                         [=](std::int64_t instance, const Problem& problem) {
                           return qcqp_limit(instance_options(instance), problem);
                         }});
        size_and_noise.push_back({n, std::string(noise.law) != "none"});
      }
    run_bench(
        fmt::format("bench-qcqp-m{}", m), cells,
        [&](const BenchCell& cell) {
          const auto [n, noisy] = size_and_noise[static_cast<std::size_t>(&cell - cells.data())];
          return entrants(n, m, noisy, options);
        },
        options);
  }
}

}  // namespace zeroth
