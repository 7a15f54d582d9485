// SPDX-License-Identifier: MIT
#include "zeroth/solvers/exact_local/exact_local.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "zeroth/core/quadratic_program.hpp"
#include "zeroth/model/sites.hpp"
#include "zeroth/model/unit_box.hpp"
#include "zeroth/solvers/exact_local/interpolation_models.hpp"

// One step, from the best point x known, in the unit cube:
//   models   quadratics through the values at up to 2n + 1 points (interpolation_models.hpp)
//   step     min g'd + d'Bd/2  s.t.  c_i + a_i'd <= 0, |d| <= delta, in X;  B the Hessian of the Lagrangian made
//            positive definite, rows elastic so that there always is a step; linearised again at its own solution, so
//            that curved constraints are met
//   accept   by the merit f + mu sum max(0, c_i): what the step gains against what the models promised
//   points   the new one replaces the one that matters least; one that lies too far away is replaced where it says most
// rho, the smallest radius at present, falls when neither step nor geometry is to blame any more (as in M. J. D.
// Powell's COBYLA, 1994, and T. M. Ragonneau's COBYQA, 2022; written anew).
namespace zeroth {
namespace {

constexpr double first_radius = 0.1, last_radius = 1e-9;  // of the cube's edge
constexpr double rounding = 1e-8;  // what constraints are kept away from their limits, of their scale
constexpr int linearisations = 3;

// A power of two: dividing by it changes no bit.
double power_of_two(double scale) { return scale > 0 ? std::exp2(std::round(std::log2(scale))) : 1; }

class ExactLocal {
 public:
  ExactLocal(const Spec& spec, const UnitBox& box)
      : spec_(spec), box_(box), models_(spec.dimension(), spec.functions()), scale_(Vector::Ones(spec.functions())) {}

  Index dimension() const { return spec_.dimension(); }
  double rho = first_radius, delta = first_radius;
  InterpolationModels& models() { return models_; }

  // Every function in units of how much it changed over the first points.
  void set_scale(const std::vector<Vector>& values) {
    for (Index i = 0; i < scale_.size(); ++i) {
      double low = infinity, high = -infinity;
      for (const Vector& v : values) {
        low = std::min(low, v[i]);
        high = std::max(high, v[i]);
      }
      scale_[i] = power_of_two(high - low);
    }
  }
  Vector scaled(const Vector& values) const { return values.cwiseQuotient(scale_); }

  // An equality cannot be met exactly: rounding is forgiven where somebody must say whether it is met.
  double violation(const Vector& v, double forgiven = 0) const {
    double sum = 0;
    for (Index i = 1; i < v.size(); ++i)
      sum += i > spec_.constraints ? std::max(0.0, std::abs(v[i]) - forgiven) : std::max(0.0, v[i]);
    return sum;
  }
  double merit(const Vector& v) const { return v[0] + penalty_ * violation(v); }

  Index best() const {
    Index k = 0;
    for (Index j = 1; j < models_.size(); ++j)
      if (merit(models_.values(j)) < merit(models_.values(k))) k = j;
    return k;
  }

  // The step from x and what the models promise for it.
  Vector step(const Vector& x) {
    const Index n = dimension(), m = spec_.functions() - 1;
    if (multipliers_.size() != m) multipliers_ = Vector::Zero(m);
    Matrix b = models_.hessian(0);
    for (Index i = 0; i < m; ++i)
      if (multipliers_[i] != 0) b += multipliers_[i] * models_.hessian(i + 1);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (b + b.transpose()));
    const double largest = std::max(1e-12, eigen.eigenvalues().cwiseAbs().maxCoeff());
    const Vector raised = eigen.eigenvalues().cwiseMax(1e-8 * largest);
    QuadraticProgram qp;
    qp.hessian = eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose();
    qp.lower = (-x).cwiseMax(-delta);
    qp.upper = (Vector::Ones(n) - x).cwiseMin(delta);
    qp.linear = models_.gradient(0, x);
    qp.rows.resize(m, n);
    qp.row_lower = Vector::Constant(m, -infinity);
    qp.row_upper.resize(m);
    qp.penalty = Vector::Constant(m, std::max(1e3, 10 * penalty_));
    Vector d = Vector::Zero(n);
    for (int pass = 0; pass < (m > 0 ? linearisations : 1); ++pass) {
      for (Index i = 0; i < m; ++i) {
        const Vector a = models_.gradient(i + 1, x + d);
        qp.rows.row(i) = a.transpose();
        qp.row_upper[i] = -models_.value(i + 1, x + d) + a.dot(d) - (i < spec_.constraints ? rounding : 0);
        if (i >= spec_.constraints) qp.row_lower[i] = qp.row_upper[i];
      }
      const QuadraticSolution solution = solve(qp, working_set_);
      if (solution.x.size() != n || !solution.x.allFinite()) break;
      d = solution.x.cwiseMax(qp.lower).cwiseMin(qp.upper);
      working_set_ = solution.working_set;
      if (solution.row_multipliers.size() == m) multipliers_ = solution.row_multipliers;
    }
    if (m > 0) penalty_ = std::max(penalty_, 2 * multipliers_.cwiseAbs().maxCoeff());
    return d;
  }
  Vector predicted(const Vector& x) const {
    Vector v(spec_.functions());
    for (Index i = 0; i < v.size(); ++i) v[i] = models_.value(i, x);
    return v;
  }

  // Which point to give up for one at x: far away, and of much weight there. Never the best.
  Index dispensable(const Vector& x, Index keep) const {
    const Vector weight = models_.lagrange(x);
    const Vector& center = models_.point(keep);
    Index worst = keep == 0 ? 1 : 0;
    double most = -1;
    for (Index k = 0; k < models_.size(); ++k) {
      if (k == keep) continue;
      const double far = std::max(1.0, (models_.point(k) - center).squaredNorm() / (delta * delta));
      const double score = std::abs(weight[k]) * far * far;
      if (score > most) {
        most = score;
        worst = k;
      }
    }
    return worst;
  }
  Index farthest(const Vector& center) const {
    Index far = 0;
    for (Index k = 1; k < models_.size(); ++k)
      if ((models_.point(k) - center).squaredNorm() > (models_.point(far) - center).squaredNorm()) far = k;
    return far;
  }
  // Within delta of the center, where the k-th point's replacement would tell most.
  Vector telling(Index k, const Vector& center) const {
    const Vector g = models_.lagrange_gradient(k);
    const double norm = g.norm();
    const Vector along = norm > 0 ? Vector(g / norm) : Vector(Vector::Unit(dimension(), k % dimension()));
    Vector up = (center + delta * along).cwiseMax(0.0).cwiseMin(1.0);
    Vector down = (center - delta * along).cwiseMax(0.0).cwiseMin(1.0);
    return std::abs(models_.lagrange(up)[k]) >= std::abs(models_.lagrange(down)[k]) ? up : down;
  }
  Vector multipliers() const {
    Vector y = multipliers_;
    for (Index i = 0; i < y.size(); ++i) y[i] *= scale_[0] / scale_[i + 1];
    return y;
  }

 private:
  const Spec& spec_;
  const UnitBox& box_;
  InterpolationModels models_;
  Vector scale_, multipliers_;
  WorkingSet working_set_;
  double penalty_ = 1;
};

}  // namespace

Search exact_local_search(Spec spec) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const UnitBox box(spec);
  const Index n = spec.dimension();
  ExactLocal local(spec, box);
  InterpolationModels& models = local.models();

  // One evaluation at a time but for the first points; the best of all is recommended.
  std::vector<Vector> units, x;
  std::vector<Query> batch;
  std::vector<Vector> values;  // of the last batch; empty where it failed
  double best_violation = infinity, best_value = infinity;
  const auto prepare = [&] {
    x.clear();
    for (Vector& u : units) {
      x.push_back(box.to_domain(u));
      u = box.to_unit(x.back());
    }
    batch.clear();
    for (const Vector& point : x) batch.push_back({as_span(point), 0, {}});
    return std::span<const Query>(batch);
  };
  const auto take = [&](std::span<const Answer> answers) {
    values.clear();
    for (std::size_t k = 0; k < answers.size(); ++k) {
      values.emplace_back();
      if (answers[k].failed()) continue;
      values.back() = as_vector(answers[k].values).cwiseMax(-Sites::largest).cwiseMin(Sites::largest);
    }
  };
  const auto recommend_best = [&] {
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k].size() == 0) continue;
      const Vector v = local.scaled(values[k]);
      const double violation = local.violation(v, rounding);
      if (violation > best_violation || (violation == best_violation && v[0] >= best_value)) continue;
      best_violation = violation;
      best_value = v[0];
      incumbent.x = x[k];
    }
  };

  Vector center = box.to_unit(spec.first_point());
  int rebuilds = 0;
  bool first = true;
  for (;;) {
    // Points around the center: itself and one along every axis, to the side that has room.
    units = {center};
    for (Index k = 0; k < n; ++k) {
      Vector u = center;
      const double side = (rebuilds % 2 == 0) == (center[k] <= 0.5) ? 1 : -1;
      const double room = side > 0 ? 1 - center[k] : center[k];
      u[k] += room >= local.delta ? side * local.delta
                                  : -side * std::min(local.delta, side > 0 ? center[k] : 1 - center[k]);
      units.push_back(u);
    }
    take(co_await evaluate(prepare()));
    if (values[0].size() == 0) co_return;  // the start itself fails: others must find where to begin
    std::vector<Vector> good;
    for (const Vector& v : values)
      if (v.size() > 0) good.push_back(v);
    if (first) local.set_scale(good);
    first = false;
    recommend_best();
    models.clear();
    for (std::size_t k = 0; k < units.size(); ++k) {
      // Where an evaluation failed the function is taken as flat: the step will find out.
      models.add(units[k], local.scaled(values[k].size() > 0 ? values[k] : values[0]));
    }

    bool sound = true;
    int failures_in_a_row = 0;
    while (sound && local.rho > last_radius) {
      const Index keep = local.best();
      center = models.point(keep);
      sound = models.update(center, local.delta);
      if (!sound) break;
      const Vector before = models.values(keep);
      const Vector d = local.step(center);
      const double length = d.lpNorm<Eigen::Infinity>();
      double ratio = -1;
      if (length >= 0.1 * local.rho) {
        units = {(center + d).cwiseMax(0.0).cwiseMin(1.0)};
        const double promised = local.merit(before) - local.merit(local.predicted(units[0]));
        take(co_await evaluate(prepare()));
        recommend_best();
        if (values[0].size() > 0 && (units[0] - center).lpNorm<Eigen::Infinity>() > 1e-3 * local.rho) {
          failures_in_a_row = 0;
          const Vector v = local.scaled(values[0]);
          const double gained = local.merit(before) - local.merit(v);
          ratio = promised > 0 ? gained / promised : gained > 0 ? 1 : -1;
          if (models.size() < models.most()) models.add(units[0], v);
          else models.replace(local.dispensable(units[0], keep), units[0], v);
        } else if (++failures_in_a_row > 20) {
          co_return;
        }
        local.delta = ratio > 0.7   ? std::max(local.delta, 2 * length)
                      : ratio > 0.1 ? std::max(0.5 * local.delta, length)
                                    : 0.5 * std::min(local.delta, length);
        local.delta = std::clamp(local.delta, local.rho, 0.5);
        if (local.delta < 1.5 * local.rho) local.delta = local.rho;
        incumbent.multipliers = local.multipliers();
        incumbent.trace = {{"radius", local.rho}};
        if (ratio > 0.1) continue;
      }
      // No good step. Is it the points that lie badly?
      const Vector now = models.point(local.best());
      const Index far = local.farthest(now);
      if ((models.point(far) - now).lpNorm<Eigen::Infinity>() > 2 * local.delta || models.size() < n + 2) {
        sound = models.update(now, local.delta);
        if (!sound) break;
        units = {local.telling(far, now)};
        take(co_await evaluate(prepare()));
        recommend_best();
        if (values[0].size() > 0 && far != local.best()) models.replace(far, units[0], local.scaled(values[0]));
        continue;
      }
      if (local.delta > local.rho && length >= 0.1 * local.rho) continue;
      local.rho *= 0.2;
      local.delta = std::max(0.5 * local.delta, local.rho);
    }
    if (local.rho <= last_radius) co_return;
    center = models.size() > 0 ? models.point(local.best()) : center;
    if (++rebuilds > 20) co_return;
  }
}

}  // namespace zeroth
