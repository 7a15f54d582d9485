// SPDX-License-Identifier: MIT
#include "zeroth/lab/bench/law_problems.hpp"

#include <algorithm>
#include <cmath>

namespace zeroth {
namespace {

// Expected values, and one evaluation of them (a NaN is a failure).
struct Family {
  std::string name;
  Vector lower, upper, start;
  std::vector<bool> integer;
  std::vector<double> ranges;
  std::function<void(const Vector& x, std::span<double> values)> expected;
  std::function<void(const Vector& x, Rng& noise, std::span<double> values)> measured;
  std::function<bool(const Vector& x)> fails;
};

constexpr std::uint64_t family_label = 0x6c617773, noise_label = 0x6e6f697365;

double normal(Rng& r, double deviation) { return deviation * r.normal(); }

// Seen in whole steps, right on average.
double in_steps(double value, double step, Rng& r) { return step * std::floor(value / step + r.uniform()); }

// Additive noise on every function.
void add_noise(Family& f, double objective, double constraint) {
  f.measured = [expected = f.expected, objective, constraint](const Vector& x, Rng& r, std::span<double> v) {
    expected(x, v);
    v[0] += normal(r, objective);
    for (std::size_t i = 1; i < v.size(); ++i) v[i] += normal(r, constraint);
  };
}

Family bowl(Rng& r, const std::string& name) {
  Family f;
  f.name = name;
  f.lower = Vector::Zero(2);
  f.upper = Vector::Ones(2);
  f.start = Vector::Constant(2, 0.05);
  const Vector c{{r.uniform(0.3, 0.8), r.uniform(0.3, 0.8)}}, a{{r.uniform(0.5, 1.5), r.uniform(0.5, 1.5)}};
  const double b = a.dot(c) - r.uniform(0.1, 0.3);
  f.ranges = {b};
  f.expected = [c, a, b](const Vector& x, std::span<double> v) {
    v[0] = (x - c).squaredNorm();
    v[1] = a.dot(x) - b;
  };
  add_noise(f, 0.03, 0.05);
  return f;
}

Family steps(Rng& r) {
  Family f = bowl(r, "steps");
  const double h = r.uniform(0.1, 0.25);
  f.measured = [expected = f.expected, h](const Vector& x, Rng& n, std::span<double> v) {
    expected(x, v);
    for (double& value : v) value = in_steps(value + normal(n, 0.03), h, n);
  };
  return f;
}

Family counts(Rng& r) {
  Family f = bowl(r, "counts");
  // The limit is seen as a share of nine yes/no answers.
  const auto share = [g = f.expected](const Vector& x) {
    double v[2];
    g(x, v);
    return std::clamp(0.5 + 0.4 * v[1], 0.01, 0.99);
  };
  f.ranges = {0.4 * f.ranges[0]};
  f.measured = [expected = f.expected, share](const Vector& x, Rng& n, std::span<double> v) {
    expected(x, v);
    v[0] += normal(n, 0.02);
    int hits = 0;
    for (int k = 0; k < 9; ++k) hits += n.uniform() < share(x);
    v[1] = hits / 9.0 - 0.5;
  };
  f.expected = [expected = f.expected, share](const Vector& x, std::span<double> v) {
    expected(x, v);
    v[1] = share(x) - 0.5;
  };
  return f;
}

Family jump(Rng& r) {
  Family f = bowl(r, "jump");
  const double edge = r.uniform(0.15, 0.25);
  f.expected = [expected = f.expected, edge](const Vector& x, std::span<double> v) {
    expected(x, v);
    if (x[0] < edge) v[0] += 0.5;
  };
  add_noise(f, 0.03, 0.05);
  return f;
}

Family kink(Rng& r) {
  Family f = bowl(r, "kink");
  const Vector c{{r.uniform(0.4, 0.7), r.uniform(0.4, 0.7)}};
  f.expected = [expected = f.expected, c](const Vector& x, std::span<double> v) {
    expected(x, v);
    v[0] = (x - c).lpNorm<1>();
  };
  add_noise(f, 0.05, 0.05);
  return f;
}

Family integer(Rng& r) {
  Family f;
  f.name = "integer";
  f.lower = Vector{{1, 0.5}};
  f.upper = Vector{{8, 3}};
  f.start = Vector{{7, 2.5}};
  f.integer = {true, false};
  const double load = r.uniform(1.5, 3), price = r.uniform(2, 4);
  f.ranges = {2};
  f.expected = [load, price](const Vector& x, std::span<double> v) {
    const double servers = std::round(x[0]);
    v[0] = price * servers + 2 * x[1] * x[1];
    v[1] = load * load / (servers * x[1]) - 1;
  };
  f.measured = [expected = f.expected](const Vector& x, Rng& n, std::span<double> v) {
    expected(x, v);
    v[1] = -(v[1] + 1) * std::log(1 - n.uniform()) - 1;  // exponential waits
  };
  return f;
}

Family valleys(Rng& r) {
  Family f;
  f.name = "several valleys";
  f.lower = Vector::Zero(2);
  f.upper = Vector::Ones(2);
  f.start = Vector::Constant(2, 0.1);
  const double a = r.uniform(0.5, 1.5), limit = r.uniform(0.75, 0.85);
  f.ranges = {0.5};
  f.expected = [a, limit](const Vector& x, std::span<double> v) {
    constexpr double two_pi = 6.283185307179586;
    v[0] = 1 - x.mean() + 0.25 * (std::cos(two_pi * (3 * x[0] + a)) + std::cos(two_pi * (2 * x[1] + a)));
    v[1] = x[0] - limit;
  };
  add_noise(f, 0.05, 0.05);
  return f;
}

Family walls(Rng& r) {
  Family f;
  f.name = "walls";
  f.lower = Vector::Constant(2, 0.01);
  f.upper = Vector::Constant(2, 100);
  f.start = Vector::Constant(2, 20);
  const double a = r.uniform(0.5, 2), b = r.uniform(3, 6);
  f.ranges = {10};
  f.expected = [a, b](const Vector& x, std::span<double> v) {
    v[0] = a / x[0] + 1 / x[1] + 0.3 * x.sum();
    v[1] = x[0] + x[1] - b;
  };
  f.measured = [expected = f.expected](const Vector& x, Rng& n, std::span<double> v) {
    expected(x, v);
    v[0] *= 1 + normal(n, 0.05);
    v[1] += normal(n, 0.2);
  };
  return f;
}

Family half_fails(Rng& r) {
  Family f = bowl(r, "half fails");
  const double edge = r.uniform(0.45, 0.6);
  f.fails = [edge](const Vector& x) { return x[1] > edge; };
  return f;
}

Family heavy_tails(Rng& r) {
  Family f = bowl(r, "heavy tails");
  f.measured = [expected = f.expected](const Vector& x, Rng& n, std::span<double> v) {
    expected(x, v);
    for (double& value : v) value += 0.04 * n.student_t(3);
  };
  return f;
}

Family plateau(Rng& r) {
  Family f = bowl(r, "plateau");
  f.expected = [expected = f.expected](const Vector& x, std::span<double> v) {
    expected(x, v);
    v[0] = std::max(v[0], 0.02);
  };
  add_noise(f, 0.03, 0.05);
  return f;
}

Family no_noise(Rng& r) {
  Family f = bowl(r, "no noise");
  add_noise(f, 0, 0);
  return f;
}

Problem as_problem(const Family& f) {
  Problem p;
  p.name = f.name;
  p.spec.domain = Domain::box(f.lower, f.upper);
  p.spec.start = f.start;
  p.spec.integer = f.integer;
  p.spec.constraints = static_cast<Index>(f.ranges.size());
  p.oracle = [f](std::span<const double> x, Rng& noise, std::span<double> values) {
    const Vector point = as_vector(x);
    f.measured(point, noise, values);
    if (f.fails && f.fails(point)) values[0] = std::nan("");
  };
  Truth truth;
  truth.expected = [f](std::span<const double> x, std::span<double> values) {
    const Vector point = as_vector(x);
    f.expected(point, values);
    if (f.fails && f.fails(point)) values[0] = infinity;
  };
  // The optimum, on ever finer grids around the best so far.
  Vector low = f.lower, high = f.upper;
  std::vector<double> v(static_cast<std::size_t>(p.spec.functions()));
  for (int zoom = 0; zoom < 8; ++zoom) {
    constexpr int grid = 200;
    for (int i = 0; i <= grid; ++i)
      for (int j = 0; j <= grid; ++j) {
        Vector x{{low[0] + (high[0] - low[0]) * i / grid, low[1] + (high[1] - low[1]) * j / grid}};
        for (Index k = 0; k < 2; ++k)
          if (!f.integer.empty() && f.integer[static_cast<std::size_t>(k)]) x[k] = std::round(x[k]);
        truth.expected(as_span(x), v);
        if (std::any_of(v.begin() + 1, v.end(), [](double g) { return g > 0; })) continue;
        if (truth.best_point.size() > 0 && !(v[0] < truth.best_value)) continue;
        truth.best_value = v[0];
        truth.best_point = x;
      }
    const Vector width = (high - low) * 0.1;
    low = (truth.best_point - width).cwiseMax(f.lower);
    high = (truth.best_point + width).cwiseMin(f.upper);
  }
  p.truth = truth;
  return p;
}

}  // namespace

double LawProblem::score(const Vector& x) const {
  std::vector<double> v(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(x), v);
  double worst = (v[0] - problem.truth->best_value) / (start_value - problem.truth->best_value);
  for (std::size_t i = 0; i < ranges.size(); ++i) worst = std::max(worst, v[i + 1] / ranges[i]);
  return worst;
}

bool LawProblem::feasible(const Vector& x) const {
  std::vector<double> v(static_cast<std::size_t>(problem.spec.functions()));
  problem.truth->expected(as_span(x), v);
  return std::isfinite(v[0]) && std::all_of(v.begin() + 1, v.end(), [](double g) { return g <= 1e-9; });
}

namespace {

LawProblem entered(const Family& f) {
  LawProblem p{f.name, as_problem(f), 0, f.ranges};
  std::vector<double> v(static_cast<std::size_t>(p.problem.spec.functions()));
  f.expected(f.start, v);
  p.start_value = v[0];
  return p;
}

}  // namespace

namespace {

// A quadratic in ten variables whose optimum is the projection onto its limit.
LawProblem ten_variables(Rng& r) {
  constexpr Index n = 10;
  Vector c(n), a(n);
  for (Index k = 0; k < n; ++k) {
    c[k] = r.uniform(0.4, 0.7);
    a[k] = r.uniform(0.5, 1.5);
  }
  const double b = a.dot(c) - 0.8;
  LawProblem p;
  p.name = "ten variables";
  p.problem.name = p.name;
  p.problem.spec.domain = Domain::box(n, 0, 1);
  p.problem.spec.start = Vector::Constant(n, 0.05);
  p.problem.spec.constraints = 1;
  Truth truth;
  truth.expected = [c, a, b](std::span<const double> x, std::span<double> v) {
    v[0] = (as_vector(x) - c).squaredNorm();
    v[1] = a.dot(as_vector(x)) - b;
  };
  truth.best_point = c - 0.8 / a.squaredNorm() * a;
  truth.best_value = (truth.best_point - c).squaredNorm();
  p.problem.oracle = [expected = truth.expected](std::span<const double> x, Rng& noise, std::span<double> v) {
    expected(x, v);
    v[0] += normal(noise, 0.1);
    v[1] += normal(noise, 0.1);
  };
  p.problem.truth = truth;
  p.start_value = (p.problem.spec.start - c).squaredNorm();
  p.ranges = {b};
  return p;
}

}  // namespace

std::vector<LawProblem> law_problems(std::uint64_t instance) {
  std::vector<LawProblem> all;
  std::uint64_t number = 0;
  const auto enter = [&](Family (*make)(Rng&)) {
    Rng rng(derive_key(instance, family_label, number++));
    all.push_back(entered(make(rng)));
  };
  for (const auto make :
       {steps, counts, jump, kink, integer, valleys, walls, half_fails, heavy_tails, plateau, no_noise})
    enter(make);
  enter([](Rng& r) { return bowl(r, "bowl"); });
  Rng rng(derive_key(instance, family_label, number));
  all.push_back(ten_variables(rng));
  return all;
}

std::vector<LawProblem> noise_problems(std::uint64_t instance) {
  std::vector<LawProblem> all;
  const auto enter = [&](const char* name, const std::function<double(Rng&, double value)>& measured) {
    Rng rng(derive_key(instance, noise_label));
    Family f = bowl(rng, name);
    f.measured = [expected = f.expected, measured](const Vector& x, Rng& n, std::span<double> v) {
      expected(x, v);
      for (double& value : v) value = measured(n, value);
    };
    all.push_back(entered(f));
  };
  enter("normal noise", [](Rng& n, double v) { return v + 0.1 * n.normal(); });
  enter("t5 noise", [](Rng& n, double v) { return v + 0.08 * n.student_t(5); });
  enter("counts of nine", [](Rng& n, double v) {
    int hits = 0;
    for (int k = 0; k < 9; ++k) hits += n.uniform() < std::clamp(0.5 + 0.4 * v, 0.01, 0.99);
    return (hits / 9.0 - 0.5) / 0.4;
  });
  enter("exponential noise", [](Rng& n, double v) { return v + 0.1 * (-std::log(1 - n.uniform()) - 1); });
  enter("multiplicative noise", [](Rng& n, double v) { return v * (1 + 0.3 * n.normal()) + 0.02 * n.normal(); });
  return all;
}

}  // namespace zeroth
