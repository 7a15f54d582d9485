// SPDX-License-Identifier: MIT
#include "zeroth/solvers/augmented_lagrangian/admmbo.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/design.hpp"
#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/fit.hpp"
#include "zeroth/model/normal.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/best_evaluation.hpp"
#include "zeroth/solvers/evaluation_table.hpp"

// min f(x) + M sum_i 1[c_i(z_i) > 0]  s.t.  x = z_i, with multipliers y_i and penalty rho (Section 3 of the paper).
// One iteration, N constraints:
//   1. OPT     x   := argmin f(x) + q(x),  q(x) = rho/2 sum_i |x - z_i + y_i/rho|^2
//   2. FEAS_i  z_i := argmin h_i(z) = 1[c_i(z) > 0] + rho/(2M) |x - z + y_i/rho|^2
//   3.         y_i := y_i + rho (x - z_i)
//   4. rho doubles when the mean primal residual |x - z_i| exceeds ten times the mean dual one rho |z_i - z_i old|, and
//   halves
//      in the opposite case
// Both subproblems are solved by a few steps of Bayesian optimisation, with one isotropic Matern-5/2 process per
// function:
//   OPT:    expected improvement of mean f + q, variance that of f
//   FEAS_i: Q = h_best - rho/(2M)|x - z + y_i/rho|^2, theta = P(c_i(z) <= 0):  EI = 0 if Q < 0, Q theta if Q < 1,
//           Q - (1 - theta) otherwise
// Evaluations are kept for ever, f and every c_i at points of their own. After each subproblem its minimiser is
// evaluated completely and may become the recommendation.
//
// Deviations from the released code: the paper's forms of q and theta (the code drops the factor N and takes a variance
// for a standard deviation); answers are kept instead of being asked again; the acquisition is scanned on a smaller
// grid and then refined locally; an equality is met within a tolerance; the first z_i is the start; a failed evaluation
// weighs the acquisition by the probability of an answer. The method goes on after its own stopping test: the budget
// ends it.

namespace zeroth {
namespace {

struct AdmmboLabel {
  enum : std::uint64_t { first_points, grids, noise };
};

Gp fitted(const Evaluations& evaluations, double length, Trend trend) {
  FitBounds bounds;
  bounds.length_lower = 0.01;
  bounds.length_upper = 20;
  bounds.noise_lower = 1e-8;
  const double scale = std::max(1e-300, evaluations.values.cwiseAbs().maxCoeff());
  Evaluations scaled{evaluations.points, evaluations.values / scale, evaluations.spread};
  const Hyperparameters start{Vector::Constant(1, std::log(length)), 0, 2 * std::log(0.1)};
  const Fit best = fit(Kernel::Form::matern52, trend, scaled, start, bounds, {}, 100);
  const Gp unit = make_gp(Kernel::Form::matern52, trend, scaled, best.hyperparameters);
  Kernel kernel = unit.kernel();
  kernel.amplitude *= scale * scale;
  return Gp(kernel, scale * unit.mean(), evaluations.points, evaluations.values, Vector(unit.noise() * scale * scale));
}

// The best of a shifted Sobol grid, refined.
Vector maximizer(const std::function<double(const Vector&)>& score, Index grid, const UnitBox& box, std::uint64_t key) {
  const Matrix points = SobolSequence(box.dimension(), key).next(grid);
  Vector best = box.snap(points.col(0));
  double best_score = score(best);
  for (Index i = 1; i < grid; ++i) {
    const Vector u = box.snap(points.col(i));
    const double value = score(u);
    if (value > best_score) {
      best_score = value;
      best = u;
    }
  }
  if (box.any_whole() || !(best_score > 0)) return best;
  const Vector zeros = Vector::Zero(best.size()), ones = Vector::Ones(best.size());
  const auto log_score = [&](const Vector& u) { return std::log(score(u) + 1e-300); };
  return box.snap(
      maximize_derivative_free(log_score, best, zeros, ones, 0.02, static_cast<int>(30 + 15 * best.size()), 1e-5).x);
}

// Everything the two subproblems read.
struct Admm {
  const UnitBox& box;
  const AdmmboOptions& o;
  Index constraints;
  double rho;
  Vector x;
  std::vector<Vector> z, y;

  double q(const Vector& at) const {
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i) sum += (at - z[i] + y[i] / rho).squaredNorm();
    return 0.5 * rho * sum;
  }
  double distance(std::size_t i, const Vector& at) const {
    return rho / (2 * o.M) * (x - at + y[i] / rho).squaredNorm();
  }
  bool violated(std::size_t i, double c) const {
    return static_cast<Index>(i) < constraints ? c > 0 : std::abs(c) > o.equality_tolerance;
  }
  double probability_met(std::size_t i, const Prediction& c) const {
    if (static_cast<Index>(i) < constraints) return probability_nonpositive(c);
    const double sd = std::sqrt(c.variance) + 1e-300, t = o.equality_tolerance;
    return normal_cdf((t - c.mean) / sd) - normal_cdf((-t - c.mean) / sd);
  }

  // The row with the smallest f + q, and that value.
  std::pair<std::size_t, double> best_opt(const EvaluationTable& table, const Gp& gp) const {
    return best_row(table, 0, [&](std::size_t row) { return seen(table, gp, row, 0) + q(table.point(row)); });
  }
  std::pair<std::size_t, double> best_feas(const EvaluationTable& table, const Gp& gp, std::size_t i) const {
    const Index function = static_cast<Index>(i) + 1;
    return best_row(table, function, [&](std::size_t row) {
      return (violated(i, seen(table, gp, row, function)) ? 1 : 0) + distance(i, table.point(row));
    });
  }

 private:
  double seen(const EvaluationTable& table, const Gp& gp, std::size_t row, Index function) const {
    return o.noise == "estimated" ? gp.at(table.unit(row)).mean : table.value(row, function);
  }
  template <class Merit>
  std::pair<std::size_t, double> best_row(const EvaluationTable& table, Index function, Merit merit) const {
    std::pair<std::size_t, double> best{0, std::numeric_limits<double>::infinity()};
    for (std::size_t row = 0; row < table.size(); ++row)
      if (table.known(row, function))
        if (const double value = merit(row); value < best.second) best = {row, value};
    return best;
  }
};

}  // namespace

Search admmbo(Spec spec, AdmmboOptions options, std::uint64_t seed) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();

  const UnitBox box(spec);
  const Index functions = spec.functions();
  const auto N = static_cast<std::size_t>(functions - 1);
  EvaluationTable table(functions);
  FailureModel failures;
  BestEvaluation best(spec.constraints, options.equality_tolerance);
  Admm admm{box, options, spec.constraints, options.rho, spec.first_point(), {}, {}};
  admm.z.assign(N, spec.first_point());
  admm.y.assign(N, Vector::Zero(spec.dimension()));

  Vector unit, point;
  std::vector<std::uint8_t> wanted;
  std::vector<Query> batch(1);
  std::uint64_t asked = 0;
  const auto ask = [&](const Vector& u, Index function) {  // function < 0: all of them
    unit = box.snap(u);
    point = box.to_domain(unit);
    batch[0].x = as_span(point);
    batch[0].noise = noise_key(seed, AdmmboLabel::noise, asked++);
    wanted.assign(static_cast<std::size_t>(functions), function < 0 || !options.decoupled);
    if (function >= 0) wanted[static_cast<std::size_t>(function)] = 1;
    batch[0].wanted = wanted;
  };
  const auto absorb = [&](const Answer& answer) {
    failures.record(unit, answer.failed());
    failures.refit();
    if (answer.failed()) return;
    const std::size_t row = table.record(unit, point, batch[0], answer);
    if (!table.complete(row)) return;
    Vector values(functions);
    for (Index i = 0; i < functions; ++i) values[i] = table.value(row, i);
    for (Index i = 1; i <= spec.constraints; ++i)
      values[i] = values[i] <= options.tolerance ? std::min(values[i], 0.0) : values[i];
    if (best.offer(as_span(values))) incumbent.x = table.point(row);
  };

  Rng rng(derive_key(seed, AdmmboLabel::first_points));
  for (std::int64_t k = 0; k < options.start || table.size() == 0; ++k) {
    ask(k == 0 && spec.start.size() > 0 ? box.to_unit(spec.start) : Vector(latin_hypercube(spec.dimension(), 1, rng)),
        -1);
    absorb((co_await evaluate(batch))[0]);
  }

  for (int iteration = 0;; ++iteration) {
    // 1. OPT
    Gp f = fitted(table.evaluations(0), 1, Trend::constant);
    for (std::int64_t k = 0; k < (iteration == 0 ? options.first_f : options.later_f); ++k) {
      const double u_best = admm.best_opt(table, f).second;
      const auto improvement = [&](const Vector& u) {
        const Prediction p = f.at(u);
        return expected_improvement({p.mean + admm.q(box.to_domain(u)), p.variance}, u_best) *
               failures.probability_answered(u);
      };
      ask(maximizer(improvement, options.grid, box, derive_key(seed, AdmmboLabel::grids, asked)), 0);
      absorb((co_await evaluate(batch))[0]);
      f = fitted(table.evaluations(0), 1, Trend::constant);
    }
    const std::size_t x_row = admm.best_opt(table, f).first;
    admm.x = table.point(x_row);
    if (!table.complete(x_row)) {
      ask(table.unit(x_row), -1);
      absorb((co_await evaluate(batch))[0]);
    }

    double primal = 0, dual = 0;
    for (std::size_t i = 0; i < N; ++i) {
      // 2. FEAS_i
      const Index function = static_cast<Index>(i) + 1;
      Gp c = fitted(table.evaluations(function), 0.25, Trend::zero);
      for (std::int64_t k = 0; k < (iteration == 0 ? options.first_c : options.later_c); ++k) {
        const double h_best = admm.best_feas(table, c, i).second;
        const auto improvement = [&](const Vector& u) {
          const double Q = h_best - admm.distance(i, box.to_domain(u));
          if (Q < 0) return 0.0;
          const double theta = admm.probability_met(i, c.at(u));
          return (Q < 1 ? Q * theta : Q - (1 - theta)) * failures.probability_answered(u);
        };
        ask(maximizer(improvement, options.grid, box, derive_key(seed, AdmmboLabel::grids, asked)), function);
        absorb((co_await evaluate(batch))[0]);
        c = fitted(table.evaluations(function), 0.25, Trend::zero);
      }
      const std::size_t z_row = admm.best_feas(table, c, i).first;
      const Vector old = admm.z[i];
      admm.z[i] = table.point(z_row);
      if (!table.complete(z_row)) {
        ask(table.unit(z_row), -1);
        absorb((co_await evaluate(batch))[0]);
      }
      // 3. multipliers
      admm.y[i] += admm.rho * (admm.x - admm.z[i]);
      primal += (admm.x - admm.z[i]).norm();
      dual += admm.rho * (admm.z[i] - old).norm();
    }
    // 4. balance
    if (primal > 10 * dual) admm.rho *= 2;
    else if (10 * primal < dual) admm.rho *= 0.5;
    incumbent.trace = {{"rho", admm.rho}, {"primal_residual", primal}, {"dual_residual", dual}};
  }
}

}  // namespace zeroth
