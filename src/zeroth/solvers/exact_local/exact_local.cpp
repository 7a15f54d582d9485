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
//   models   quadratics through the values at 2n + 1 points and more (interpolation_models.hpp)
//   step     min m_0(x + d)  s.t.  m_i(x + d) + margin_i <= 0, |d| <= delta, in X, by sequential quadratic programs
//            whose B is the Hessian of the Lagrangian made positive definite, rows elastic so that there always is one
//   accept   by the merit f + mu sum max(0, c_i): what the step gains against what the models promised
//   points   the new one replaces the one that matters least; one that lies too far away is replaced where it says most
// rho, the smallest radius at present, falls when neither step nor geometry is to blame any more (as in M. J. D.
// Powell's COBYLA, 1994, and T. M. Ragonneau's COBYQA, 2022; written anew).
namespace zeroth {
namespace {

constexpr double first_radius = 0.1, last_radius = 1e-9;  // of the cube's edge
constexpr double rounding = 1e-7;  // what constraints are kept away from their limits, of their scale
constexpr int most_passes = 8;
constexpr double remembered = 10;  // points further away, in radii, tell little of what is near
constexpr double fading = 0.1;     // of what is remembered of wrong predictions, from step to step

// A power of two: dividing by it changes no bit.
double power_of_two(double scale) { return scale > 0 ? std::exp2(std::round(std::log2(scale))) : 1; }

class ExactLocal {
 public:
  explicit ExactLocal(const Spec& spec)
      : spec_(spec), models_(spec.dimension(), spec.functions()), scale_(Vector::Ones(spec.functions())) {}

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
  Vector unscaled(const Vector& values) const { return values.cwiseProduct(scale_); }

  // An equality cannot be met exactly: rounding is forgiven where somebody must say whether it is met.
  double violation(const Vector& v, double forgiven = 0) const {
    double sum = 0;
    for (Index i = 1; i < v.size(); ++i)
      sum += i > spec_.constraints ? std::max(0.0, std::abs(v[i]) - forgiven) : std::max(0.0, v[i]);
    return sum;
  }
  double merit(const Vector& v) const { return v[0] + penalty_ * violation(v); }
  // Of the models, which must keep their distance from the limits.
  double merit_with_margins(const Vector& x) const {
    Vector v = predicted(x);
    v.segment(1, spec_.constraints) += margin_.head(spec_.constraints);
    return merit(v);
  }
  // Of the Lagrangian, made positive definite.
  Matrix convex_hessian() const {
    Matrix b = models_.hessian(0);
    for (Index i = 0; i < multipliers_.size(); ++i)
      if (multipliers_[i] != 0) b += multipliers_[i] * models_.hessian(i + 1);
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (b + b.transpose()));
    const double largest = std::max(1e-12, eigen.eigenvalues().cwiseAbs().maxCoeff());
    const Vector raised = eigen.eigenvalues().cwiseMax(1e-8 * largest);
    return eigen.eigenvectors() * raised.asDiagonal() * eigen.eigenvectors().transpose();
  }

  Index best() const {
    Index k = 0;
    for (Index j = 1; j < models_.size(); ++j)
      if (merit(models_.values(j)) < merit(models_.values(k))) k = j;
    return k;
  }

  // The step from x. Constraints are kept away from their limits by about as much as they were last mispredicted, as
  // far as that costs at most half of what the step promises: the way to the optimum then leads through feasible
  // points, and the distance vanishes as the models become exact.
  Vector step(const Vector& x) {
    const Index m = spec_.functions() - 1;
    if (multipliers_.size() != m) multipliers_ = Vector::Zero(m);
    if (mispredicted_.size() != m) mispredicted_ = Vector::Zero(m);
    margin_ = Vector::Constant(m, rounding);
    const Vector d = model_optimum(x, Vector::Zero(dimension()));
    if (spec_.constraints == 0) return d;
    const double promised = merit(predicted(x)) - merit(predicted(x + d));
    const double price = multipliers_.head(spec_.constraints).dot(mispredicted_.head(spec_.constraints));
    if (!(promised > 0) || !(price > 0)) return d;
    margin_ = (std::min(1.0, 0.5 * promised / price) * mispredicted_).cwiseMax(rounding);
    return model_optimum(x, d);
  }
  // Sequential quadratic programs on the models themselves, which cost nothing but time, each followed as far as the
  // models' merit falls.
  Vector model_optimum(const Vector& x, Vector d) {
    const Index n = dimension(), m = spec_.functions() - 1;
    const Vector lower = (-x).cwiseMax(-delta), upper = (Vector::Ones(n) - x).cwiseMin(delta);
    QuadraticProgram qp;
    qp.rows.resize(m, n);
    qp.row_lower = Vector::Constant(m, -infinity);
    qp.row_upper.resize(m);
    double merit_here = merit_with_margins(x + d);
    for (int pass = 0; pass < most_passes; ++pass) {
      const Vector at = x + d;
      qp.hessian = convex_hessian();
      qp.linear = models_.gradient(0, at);
      qp.lower = lower - d;
      qp.upper = upper - d;
      qp.penalty = Vector::Constant(m, std::max(1e3, 10 * penalty_));
      for (Index i = 0; i < m; ++i) {
        qp.rows.row(i) = models_.gradient(i + 1, at).transpose();
        qp.row_upper[i] = -models_.value(i + 1, at) - (i < spec_.constraints ? margin_[i] : 0);
        if (i >= spec_.constraints) qp.row_lower[i] = qp.row_upper[i];
      }
      const QuadraticSolution solution = solve(qp, working_set_);
      if (solution.x.size() != n || !solution.x.allFinite()) break;
      working_set_ = solution.working_set;
      if (solution.row_multipliers.size() == m) multipliers_ = solution.row_multipliers;
      if (m > 0 && multipliers_.cwiseAbs().maxCoeff() > 0.5 * penalty_) {
        penalty_ = 2 * multipliers_.cwiseAbs().maxCoeff();
        merit_here = merit_with_margins(at);
      }
      bool moved = false;
      for (double share = 1; share > 1e-3; share *= 0.3) {
        const Vector next = (d + share * solution.x).cwiseMax(lower).cwiseMin(upper);
        const double merit_there = merit_with_margins(x + next);
        if (!(merit_there < merit_here)) continue;
        moved = (next - d).lpNorm<Eigen::Infinity>() > 1e-2 * next.lpNorm<Eigen::Infinity>();
        d = next;
        merit_here = merit_there;
        break;
      }
      if (!moved) break;
    }
    return d;
  }
  Vector predicted(const Vector& x) const {
    Vector v(spec_.functions());
    for (Index i = 0; i < v.size(); ++i) v[i] = models_.value(i, x);
    return v;
  }

  void learn_errors(const Vector& predicted, const Vector& seen) {
    for (Index i = 0; i < spec_.constraints; ++i)
      mispredicted_[i] = std::max(0.5 * std::abs(seen[i + 1] - predicted[i + 1]), fading * mispredicted_[i]);
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
  // Whether fewer than 2n + 1 points lie within reach.
  bool far_away(const Vector& center) const {
    Index within = 0;
    for (Index k = 0; k < models_.size(); ++k)
      within += (models_.point(k) - center).lpNorm<Eigen::Infinity>() <= 2 * delta;
    return within < std::min(models_.size(), 2 * dimension() + 1);
  }
  // One more point along an axis, to the side where there is none yet.
  Vector mirrored(const Vector& center) const {
    const Index k = (models_.size() - 1) % dimension();
    double nearest = 0;
    Vector best = center;
    for (const double side : {-delta, delta}) {
      Vector u = center;
      u[k] = std::clamp(u[k] + side, 0.0, 1.0);
      double distance = infinity;
      for (Index j = 0; j < models_.size(); ++j)
        distance = std::min(distance, (models_.point(j) - u).lpNorm<Eigen::Infinity>());
      if (distance > nearest) {
        nearest = distance;
        best = u;
      }
    }
    return best;
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
  InterpolationModels models_;
  Vector scale_, multipliers_, margin_, mispredicted_;
  WorkingSet working_set_;
  double penalty_ = 1;
};

}  // namespace

Search exact_local_search(Spec spec) {
  Incumbent& incumbent = co_await recommendation();
  incumbent.x = spec.first_point();
  const UnitBox box(spec);
  const Index n = spec.dimension();
  ExactLocal local(spec);
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

  Vector center = box.to_unit(spec.first_point()), center_values;  // empty: not known yet
  for (const Evaluated& known : spec.evaluated)
    if (known.x == spec.first_point()) center_values = as_vector(known.values);
  int rebuilds = 0;
  bool first = true;
  for (;;) {
    // Points around the center: itself and one along every axis, to the side that has room.
    units.clear();
    if (center_values.size() == 0) units.push_back(center);
    for (Index k = 0; k < n; ++k) {
      Vector u = center;
      const double side = (rebuilds % 2 == 0) == (center[k] <= 0.5) ? 1 : -1;
      const double room = side > 0 ? 1 - center[k] : center[k];
      u[k] += room >= local.delta ? side * local.delta
                                  : -side * std::min(local.delta, side > 0 ? center[k] : 1 - center[k]);
      units.push_back(u);
    }
    take(co_await evaluate(prepare()));
    if (center_values.size() > 0) {
      units.insert(units.begin(), center);
      values.insert(values.begin(), center_values);
      x.insert(x.begin(), box.to_domain(center));
    }
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

    bool sound = true, mended = false;
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
      // A step as short as that is worth an evaluation only where it may mend a limit that is broken by a hair.
      const bool mends = !mended && local.violation(before) > 0 && local.violation(local.predicted(center + d)) == 0;
      if (length >= 0.1 * local.rho || mends) {
        mended = mended || length < 0.1 * local.rho;
        units = {(center + d).cwiseMax(0.0).cwiseMin(1.0)};
        const Vector expected = local.predicted(units[0]);
        const double promised = local.merit(before) - local.merit(expected);
        take(co_await evaluate(prepare()));
        recommend_best();
        if (values[0].size() > 0 && (mends || (units[0] - center).lpNorm<Eigen::Infinity>() > 1e-3 * local.rho)) {
          failures_in_a_row = 0;
          const Vector v = local.scaled(values[0]);
          const double gained = local.merit(before) - local.merit(v);
          local.learn_errors(expected, v);
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
      const bool few = models.size() < 2 * n + 1;
      if (few || local.far_away(now)) {
        sound = models.update(now, local.delta);
        if (!sound) break;
        units = {few ? local.mirrored(now) : local.telling(far, now)};
        take(co_await evaluate(prepare()));
        recommend_best();
        if (values[0].size() == 0) {
          if (++failures_in_a_row > 20) co_return;
        } else if (few) {
          models.add(units[0], local.scaled(values[0]));
        } else if (far != local.best()) {
          models.replace(far, units[0], local.scaled(values[0]));
        }
        continue;
      }
      if (local.delta > local.rho && length >= 0.1 * local.rho) continue;
      local.rho *= 0.2;
      local.delta = std::max(0.5 * local.delta, local.rho);
      models.forget_beyond(now, remembered * local.delta);
      mended = false;
    }
    if (local.rho <= last_radius) co_return;
    if (models.size() > 0) {
      center = models.point(local.best());
      center_values = local.unscaled(models.values(local.best()));
    }
    if (++rebuilds > 20) co_return;
  }
}

}  // namespace zeroth
