// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/integer_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "zeroth/lab/parallel.hpp"
#include "zeroth/report/statistics.hpp"
#include "zeroth/run/minimize.hpp"

namespace zeroth {
namespace {

struct BenchWholeLabel {
  enum : std::uint64_t { items = 0x6b6e6170, truth };
};
constexpr double late_allowed = 0.1;
constexpr int truth_days = 1000;

// Best value for every capacity, weights being whole.
double best_knapsack(const std::vector<double>& value, const std::vector<int>& weight, int capacity) {
  std::vector<double> best(static_cast<std::size_t>(capacity) + 1, 0.0);
  for (std::size_t i = 0; i < value.size(); ++i)
    for (int c = capacity; c >= weight[i]; --c)
      best[static_cast<std::size_t>(c)] =
          std::max(best[static_cast<std::size_t>(c)], best[static_cast<std::size_t>(c - weight[i])] + value[i]);
  return best.back();
}

// One day of 12 hours; arrivals a minute 0.6, 1.2, 0.8 in the three shifts, service takes 4 minutes on average. A clerk
// whose shift ends finishes the customer. Returns the share of the customers who waited for more than 3 minutes.
double share_late(std::span<const double> clerks, Rng& noise) {
  constexpr double shift = 240, rates[] = {0.6, 1.2, 0.8};
  std::priority_queue<double, std::vector<double>, std::greater<>> busy;  // when those who work will be free
  double clock = 0, late = 0, customers = 0;
  for (;;) {
    const auto now = static_cast<std::size_t>(std::min(2.0, clock / shift));
    clock -= std::log(noise.uniform()) / rates[now];
    if (clock >= 3 * shift) break;
    const auto on_duty = static_cast<std::size_t>(clerks[static_cast<std::size_t>(clock / shift)]);
    const double service = -4 * std::log(noise.uniform());
    while (!busy.empty() && busy.top() <= clock) busy.pop();
    double begin = clock;
    while (busy.size() >= on_duty) {
      begin = busy.top();
      busy.pop();
    }
    busy.push(begin + service);
    late += begin - clock > 3;
    ++customers;
  }
  return customers > 0 ? late / customers : 0;
}

struct WholeEntrant {
  const char* label;
  const char* solver;  // empty: enumeration, an equal share of the budget for every point
};

struct Outcome {
  double value = 0;
  bool feasible = false;
  bool said = false;  // that it is, with 95 % confidence
};

Outcome judged(const Problem& p, const Vector& x) {
  std::vector<double> v(2);
  p.truth->expected(as_span(x), v);
  return {v[0], v[1] <= 0};
}

Outcome enumerate(const Problem& p, std::int64_t budget, std::uint64_t seed) {
  Vector low = Vector::Constant(p.spec.dimension(), -1e9), high = Vector::Constant(p.spec.dimension(), 1e9);
  p.spec.domain.project(low);
  p.spec.domain.project(high);
  std::int64_t points = 1;
  for (Index k = 0; k < low.size(); ++k) points *= static_cast<std::int64_t>(high[k] - low[k]) + 1;
  const std::int64_t each = std::max<std::int64_t>(1, budget / points);
  Vector best = low;
  double best_value = std::numeric_limits<double>::infinity();
  std::int64_t used = 0;
  for (std::int64_t index = 0; index < points && used + each <= budget; ++index) {
    Vector x = low;
    std::int64_t rest = index;
    for (Index k = 0; k < low.size(); ++k) {
      const auto levels = static_cast<std::int64_t>(high[k] - low[k]) + 1;
      x[k] += static_cast<double>(rest % levels);
      rest /= levels;
    }
    double objective = 0, constraint = 0;
    std::vector<double> v(2);
    for (std::int64_t r = 0; r < each; ++r, ++used) {
      Rng noise(derive_key(seed, 1, static_cast<std::uint64_t>(used)));
      p.oracle(as_span(x), noise, v);
      objective += v[0] / static_cast<double>(each);
      constraint += v[1] / static_cast<double>(each);
    }
    if (constraint <= 0 && objective < best_value) {
      best_value = objective;
      best = x;
    }
  }
  return judged(p, best);
}

void print_cell(const std::string& label, const Problem& problem, std::int64_t budget, std::size_t trials, int jobs,
                const std::vector<WholeEntrant>& entrants, const BenchOptions& options) {
  fmt::print("\n{}, {} evaluations, optimum {:.4g}\n", label, budget, problem.truth->best_value);
  for (const WholeEntrant& e : entrants) {
    if (!options.solvers.empty() && std::ranges::find(options.solvers, e.solver) == options.solvers.end()) continue;
    std::vector<Outcome> outcomes(trials);
    parallel_for(jobs, trials, [&](std::size_t k) {
      const std::uint64_t seed = 1001 + k;
      if (!*e.solver) {
        outcomes[k] = enumerate(problem, budget, seed);
        return;
      }
      MinimizeOptions o;
      o.solver = e.solver;
      o.budget = budget;
      o.seed = seed;
      const Result result = minimize(problem, o);
      outcomes[k] = judged(problem, result.x);
      outcomes[k].said = result.constraints[0].probability_feasible >= 0.95;
    });
    std::vector<double> gap;
    std::size_t exact = 0;
    int said = 0, wrongly = 0;
    for (const Outcome& o : outcomes) {
      said += o.said;
      wrongly += o.said && !o.feasible;
      if (o.feasible) {
        gap.push_back(100 * (o.value - problem.truth->best_value) / std::abs(problem.truth->best_value));
        exact += gap.back() < 1e-6;
      }
    }
    const Moments m = moments(gap);
    fmt::print("  {:<28} feasible {:>2}/{}  gap of those {:>16}  optimal {:>2}/{}{}\n", e.label, gap.size(), trials,
               gap.empty()       ? "-"
               : gap.size() == 1 ? fmt::format("{:.2f} %", m.mean)
                                 : fmt::format("{:.2f} +- {:.2f} %", m.mean, m.se),
               exact, trials, *e.solver ? fmt::format("  said {}, wrongly {}", said, wrongly) : "");
  }
}

}  // namespace

Problem noisy_knapsack(Index items, std::uint64_t instance) {
  Rng rng(derive_key(instance, BenchWholeLabel::items));
  std::vector<double> value;
  std::vector<int> weight;
  int total = 0;
  for (Index i = 0; i < items; ++i) {
    weight.push_back(10 + 5 * static_cast<int>(rng.below(9)));
    value.push_back(weight.back() * rng.uniform(0.6, 1.4));
    total += weight.back();
  }
  const int capacity = total / 10 * 5;
  // Noise averages out over evaluations, so a capacity that is met exactly could not be confirmed: it lies between two
  // weights.
  const double limit = capacity + 2.5;
  Problem p;
  p.name = "knapsack";
  p.spec.domain = Domain::box(items, 0, 1);
  p.spec.integer.assign(static_cast<std::size_t>(items), true);
  p.spec.constraints = 1;
  p.spec.common_noise = true;
  p.oracle = [value, weight, limit](std::span<const double> x, Rng& noise, std::span<double> values) {
    values[0] = 0;
    values[1] = -limit;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double in = std::nearbyint(x[i]), error = 1 + 0.1 * noise.normal();
      values[0] -= value[i] * in;
      values[1] += weight[i] * error * in;
    }
  };
  p.truth.emplace();
  p.truth->expected = [value, weight, limit](std::span<const double> x, std::span<double> values) {
    values[0] = 0;
    values[1] = -limit;
    for (std::size_t i = 0; i < x.size(); ++i) {
      values[0] -= value[i] * std::nearbyint(x[i]);
      values[1] += weight[i] * std::nearbyint(x[i]);
    }
  };
  p.truth->best_value = -best_knapsack(value, weight, capacity);
  return p;
}

Problem staffing(int most) {
  Problem p;
  p.name = "staffing";
  p.spec.domain = Domain::box(3, 1, most);
  p.spec.integer.assign(3, true);
  p.spec.constraints = 1;
  p.spec.common_noise = true;
  p.oracle = [](std::span<const double> x, Rng& noise, std::span<double> values) {
    const double clerks[] = {std::nearbyint(x[0]), std::nearbyint(x[1]), std::nearbyint(x[2])};
    values[0] = clerks[0] + clerks[1] + 1.2 * clerks[2];  // evenings are paid better
    values[1] = share_late(clerks, noise) - late_allowed;
  };
  // The truth of a point: 1,000 days, the same for all, done when first asked for.
  p.truth.emplace();
  p.truth->expected = [oracle = p.oracle](std::span<const double> x, std::span<double> values) {
    std::vector<double> v(2);
    values[1] = 0;
    for (std::uint64_t day = 0; day < truth_days; ++day) {
      Rng noise(derive_key(BenchWholeLabel::truth, day));
      oracle(x, noise, v);
      values[1] += v[1] / truth_days;
    }
    values[0] = v[0];
  };
  p.truth->best_value = std::numeric_limits<double>::infinity();
  std::vector<double> v(2), x(3);
  for (x[0] = 1; x[0] <= most; ++x[0])
    for (x[1] = 1; x[1] <= most; ++x[1])
      for (x[2] = 1; x[2] <= most; ++x[2]) {
        const double wage = x[0] + x[1] + 1.2 * x[2];
        if (wage >= p.truth->best_value) continue;
        if (4 * x[0] < 0.5 * 4 || x[1] < 4) continue;  // far too few for the rush: no need to simulate
        p.truth->expected(x, v);
        if (v[1] <= 0) p.truth->best_value = wage;
      }
  return p;
}

void bench_integer_variables(const BenchOptions& options) {
  const auto trials = static_cast<std::size_t>(options.reduced ? 2 : options.trials);
  fmt::print(
      "integer variables; {} seeds; judged by noiseless values at the recommended point, mean +- standard error\n",
      trials);
  const std::vector<WholeEntrant> small{{"adaptive-conex (rounding)", "adaptive-conex"},
                                        {"trust-bo (levels)", "trust-bo"},
                                        {"random", "random"},
                                        {"enumeration", ""}};
  const std::vector<WholeEntrant> large{{"adaptive-conex (rounding)", "adaptive-conex"}, {"random", "random"}};
  print_cell("knapsack, 10 items", noisy_knapsack(10, 1), 150, trials, options.jobs, small, options);
  if (!options.reduced) {
    print_cell("knapsack, 10 items", noisy_knapsack(10, 1), 2000, trials, options.jobs, {small[0], small[2], small[3]},
               options);
    print_cell("knapsack, 30 items", noisy_knapsack(30, 2), 3000, trials, options.jobs, large, options);
    print_cell("knapsack, 100 items", noisy_knapsack(100, 3), 10000, trials, options.jobs, large, options);
    print_cell("staffing, 3 shifts of 1 to 10", staffing(10), 150, trials, options.jobs, small, options);
    print_cell("staffing, 3 shifts of 1 to 10", staffing(10), 2000, trials, options.jobs,
               {small[0], small[2], small[3]}, options);
  }
}

}  // namespace zeroth
