// SPDX-License-Identifier: MIT
//
// The competitors of the bench that are not solvers of the catalog.
#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>
#include <nlopt.hpp>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/bench/race.hpp"
#include "zeroth/problems/qcqp_optimum.hpp"
#include "zeroth/solvers/adaptive_conex/basis.hpp"

namespace zeroth {
namespace {

struct BenchPeersLabel {
  enum : std::uint64_t { direction, noise };
};

// Spall's gains a / (k + A)^0.602 and c / k^0.101 on f_0 + sum [y_i + rho f_i]_+^2 / (2 rho), with y_i <- [y_i + rho
// f_i]_+ from the mean of the two evaluations. a is chosen from the first twenty gradients so that the first step is
// `first_step` of X; c is `width` of X.
Search spsa_al(Spec spec, double first_step, double width, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), m = spec.constraints;
  Vector x = spec.first_point(), mean = x, up, down, signs(n);
  incumbent.x = x;
  const Vector scale = adaptive::scales(spec.domain, x);
  Vector y = Vector::Zero(m), slopes(m + 1), levels(m + 1), first = Vector::Zero(n);
  std::vector<Query> batch(2);
  Rng rng(derive_key(seed, BenchPeersLabel::direction));
  const double rho = 2;
  double a = 0;
  const double stability = 0.1 * static_cast<double>(spec.budget) / 2;
  std::int64_t averaged = 0;
  for (std::int64_t k = 1;; ++k) {
    const double c = width / std::pow(static_cast<double>(k), 0.101);
    for (Index j = 0; j < n; ++j) signs[j] = rng.below(2) == 0 ? c : -c;
    Vector step = scale.cwiseProduct(signs), centre = x;
    spec.domain.make_room(centre, step, true);
    up = centre + step;
    down = centre - step;
    spec.domain.project(up);
    spec.domain.project(down);
    const std::uint64_t key = noise_key(seed, BenchPeersLabel::noise, static_cast<std::uint64_t>(2 * k));
    batch[0] = {as_span(up), key, {}};
    batch[1] = {as_span(down), spec.common_noise ? key : key + 1, {}};
    const auto answers = co_await evaluate(batch);
    if (answers[0].failed() || answers[1].failed()) continue;
    double slope = 0;
    for (Index i = 0; i <= m; ++i) {
      const double one = answers[0].values[static_cast<std::size_t>(i)],
                   two = answers[1].values[static_cast<std::size_t>(i)];
      slopes[i] = (one - two) / 2;
      levels[i] = (one + two) / 2;
      slope += slopes[i] * (i == 0 ? 1 : std::max(0.0, y[i - 1] + rho * levels[i]));
    }
    const Vector gradient = slope * signs.cwiseInverse();
    if (k <= 20) {
      first += gradient.cwiseAbs() / 20;
      if (k == 20) a = first_step * std::pow(stability + 1, 0.602) / std::max(1e-12, first.mean());
      continue;
    }
    x -= a / std::pow(static_cast<double>(k) + stability, 0.602) * scale.cwiseProduct(gradient);
    spec.domain.project(x);
    for (Index i = 0; i < m; ++i)
      y[i] = std::max(0.0, y[i] + rho * levels[i + 1] / std::pow(static_cast<double>(k), 0.6));
    if (2 * k > spec.budget / 2) mean += (x - mean) / static_cast<double>(++averaged);
    incumbent.x = averaged > 0 ? mean : x;
  }
}

// Least squares through uniform points within 40 % of the box around the start, refitted as the evaluations double.
Search quadratic_regression(Spec spec, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  const Index n = spec.dimension(), p = (n + 1) * (n + 2) / 2, functions = spec.functions();
  const Vector start = spec.first_point(), scale = adaptive::scales(spec.domain, start);
  incumbent.x = start;
  Matrix information = Matrix::Zero(p, p), right = Matrix::Zero(p, functions);
  Rng rng(derive_key(seed, BenchPeersLabel::direction));
  std::vector<Query> batch(1);
  Vector x, phi(p);
  std::int64_t next = p + p / 10;
  for (std::int64_t evaluations = 1;; ++evaluations) {
    x = start;
    for (Index j = 0; j < n; ++j) x[j] += rng.uniform(-0.8, 0.8) * scale[j];
    spec.domain.project(x);
    batch[0] = {as_span(x), noise_key(seed, BenchPeersLabel::noise, static_cast<std::uint64_t>(evaluations)), {}};
    const auto answers = co_await evaluate(batch);
    if (answers[0].failed()) continue;
    phi[0] = 1;
    phi.segment(1, n) = x;
    Index k = 1 + n;
    for (Index i = 0; i < n; ++i)
      for (Index j = i; j < n; ++j) phi[k++] = x[i] * x[j];
    information.selfadjointView<Eigen::Lower>().rankUpdate(phi);
    right += phi * as_vector(answers[0].values).transpose();
    if (evaluations < next) continue;
    next = evaluations + std::max<std::int64_t>(20, evaluations / 5);
    const Matrix theta = information.selfadjointView<Eigen::Lower>().ldlt().solve(right);
    std::vector<Quadratic> fitted(static_cast<std::size_t>(functions));
    for (Index f = 0; f < functions; ++f) {
      Quadratic& q = fitted[static_cast<std::size_t>(f)];
      q.c = theta(0, f);
      q.b = theta.col(f).segment(1, n);
      q.A = Matrix::Zero(n, n);
      k = 1 + n;
      for (Index i = 0; i < n; ++i)
        for (Index j = i; j < n; ++j, ++k) {
          q.A(i, j) += 0.5 * theta(k, f);
          q.A(j, i) += 0.5 * theta(k, f);
        }
      const Eigen::SelfAdjointEigenSolver<Matrix> eigen(q.A);  // the fit's noise must not make it nonconvex
      q.A = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(1e-3).asDiagonal() * eigen.eigenvectors().transpose();
      if (f > 0 && q.c >= 0) q.c = -1e-3;  // the exact solver needs a strictly feasible origin
    }
    const Vector best = solve_convex_qcqp(fitted, "box", scale.maxCoeff()).x;
    if (best.allFinite()) incumbent.x = best;
    spec.domain.project(incumbent.x);
  }
}

std::vector<double> list_of(const Vector& v) { return {v.data(), v.data() + v.size()}; }

// NLopt with callbacks: COBYLA as it is, SLSQP with forward differences. `frozen`: all evaluations under one key.
void nlopt_drive(nlopt::algorithm algorithm, bool frozen, const Problem& problem, std::uint64_t seed,
                 const std::function<bool(const Vector&)>& note) {
  const Spec& spec = problem.spec;
  const Index n = spec.dimension(), functions = spec.functions();
  const Vector start = spec.first_point(), scale = adaptive::scales(spec.domain, start);
  struct Shared {
    std::uint64_t evaluations = 0;
    std::vector<double> at;
    Vector values, recommended;
    Matrix jacobian;
    double merit = std::numeric_limits<double>::infinity();
    bool over = false;
  } shared;
  shared.recommended = start;
  const bool slopes = algorithm == nlopt::LD_SLSQP;
  const auto evaluate = [&](const Vector& x) {
    Query q;
    q.x = as_span(x);
    q.noise = noise_key(seed, BenchPeersLabel::noise, frozen ? 0 : ++shared.evaluations);
    const Answer answer = evaluate_once(problem, q);
    Vector values = answer.failed() ? Vector::Constant(functions, 1e6) : Vector(as_vector(answer.values));
    if (!note(shared.recommended)) shared.over = true;
    if (shared.over) throw nlopt::forced_stop();
    return values;
  };
  const auto refresh = [&](const std::vector<double>& x) {
    if (x == shared.at) return;
    shared.at = x;
    const Vector point = ConstVectorView(x.data(), n);
    shared.values = evaluate(point);
    const double merit = shared.values[0] + 10 * shared.values.tail(functions - 1).cwiseMax(0).sum();
    if (merit < shared.merit) {
      shared.merit = merit;
      shared.recommended = point;
    }
    if (!slopes) return;
    shared.jacobian.resize(n, functions);
    for (Index j = 0; j < n; ++j) {
      const double h = (frozen ? 1e-5 : 0.2) * scale[j];
      Vector moved = point;
      moved[j] += moved[j] + h <= start[j] + scale[j] ? h : -h;
      shared.jacobian.row(j) = (evaluate(moved) - shared.values) / (moved[j] - point[j]);
    }
  };
  struct Function {
    const decltype(refresh)* evaluation_at;
    Shared* state;
    Index i;
  };
  std::vector<Function> data;
  for (Index i = 0; i < functions; ++i) data.push_back({&refresh, &shared, i});
  const auto call = [](const std::vector<double>& x, std::vector<double>& gradient, void* raw) {
    const auto* f = static_cast<Function*>(raw);
    (*f->evaluation_at)(x);
    if (!gradient.empty())
      Eigen::Map<Vector>(gradient.data(), static_cast<Index>(gradient.size())) = f->state->jacobian.col(f->i);
    return f->state->values[f->i];
  };
  nlopt::opt opt(algorithm, static_cast<unsigned>(n));
  opt.set_lower_bounds(list_of(start - scale));
  opt.set_upper_bounds(list_of(start + scale));
  opt.set_min_objective(call, &data[0]);
  for (Index i = 1; i < functions; ++i) opt.add_inequality_constraint(call, &data[static_cast<std::size_t>(i)], 0);
  opt.set_xtol_rel(1e-8);
  std::vector<double> x = list_of(start);
  // Under fresh noise it soon believes to be done, or complains about rounding: it starts again from where it stands.
  for (std::uint64_t before = 1; !shared.over && (before == 1 || (!frozen && shared.evaluations > before + 2));) {
    before = shared.evaluations;
    double value = 0;
    try {
      opt.optimize(x, value);
    } catch (const std::exception&) {
    }
    x = list_of(shared.recommended);
    shared.at.clear();
  }
}

}  // namespace

std::vector<Competitor> candidates_named(const std::string& name, const Spec& spec) {
  std::vector<Competitor> list;
  if (name == "spsa-al") {
    for (const double width : {0.1, 0.03, 0.01})
      for (const double step : {0.015, 0.005, 0.0015})
        list.push_back({fmt::format("{}, first step {}, width {}", name, step, width),
                        [step, width](const Spec& at, std::uint64_t seed) { return spsa_al(at, step, width, seed); },
                        {}});
    return list;
  }
  if (name == "regression") return {{name, quadratic_regression, {}}};
  for (const bool frozen : {true, false})
    for (const bool cobyla : {true, false})
      if (name == std::string(cobyla ? "cobyla" : "slsqp") + (frozen ? "-frozen" : "-fresh"))
        return {{name, {}, [=](const Problem& problem, std::uint64_t seed, const auto& note) {
                   nlopt_drive(cobyla ? nlopt::LN_COBYLA : nlopt::LD_SLSQP, frozen, problem, seed, note);
                 }}};
  const auto add = [&list](const std::string& label, const std::string& solver, Settings settings) {
    const SolverEntry& entry = solver_named(solver);
    list.push_back({label,
                    [&entry, settings = std::move(settings)](const Spec& s, std::uint64_t seed) {
                      return entry.make(s, settings, seed);
                    },
                    {}});
  };
  if (name == "conex-theorem") {
    add(name, "conex", {{"schedule", {std::string("theorem"), "bench"}}});
  } else if (name == "conex-tuned") {
    // eta in units of n, by which the square of a two-point estimate exceeds the gradient's; late iterates count more.
    // Smoothing lifts every function by nu^2 tr A, so nu stays small whatever the noise.
    const double n = static_cast<double>(spec.dimension());
    struct Steps {
      const char* growth;
      std::vector<double> eta, tau;
    };
    for (const Steps& steps : {Steps{"", {3, 10, 30}, {100, 1000, 10000}}, Steps{"*t^0.5", {0.3, 1, 3}, {30, 300}}})
      for (const double eta : steps.eta)
        for (const double tau : steps.tau)
          for (const double nu : spec.common_noise ? std::vector<double>{0.1} : std::vector<double>{0.1, 0.3}) {
            const std::string primal = fmt::format("{:.6g}{}", eta * n, steps.growth);
            const std::string dual = fmt::format("{:.6g}{}", tau, steps.growth);
            add(fmt::format("{}, eta = {}, tau = {}, nu = {}", name, primal, dual, nu), "conex",
                {{"eta", {primal, "bench"}},
                 {"tau", {dual, "bench"}},
                 {"gamma", {std::string("1*t^1"), "bench"}},
                 {"nu", {std::vector<double>{nu}, "bench"}},
                 {"shared_directions", {true, "bench"}}});
          }
  } else add(name, name, {});
  return list;
}

}  // namespace zeroth
