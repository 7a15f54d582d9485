// SPDX-License-Identifier: MIT
//
// What adaptive-conex says about its own answer. All of it is in the coordinates w, in which X has width 2, and
// relative to forces, so that it does not change with the units of f, g or x, nor with the start.
//   steepness  what slopes are compared with: the objective's own slope, or how far it would rise on the way across X
//   by
//              the Lagrangian's curvature, |diag| sqrt(n) / 2, whichever is more; both without what noise explains.
//   residual   r = (w - P_X(w - s (g_0 + G y))) / s, the projected gradient of the Lagrangian, with s such that a step
//              along the steepest slope is 0.1 long, short against X, or walls far away would stop it and pass for
//              optimal. Its square norm is too large by the variance of the slopes, V = sum_j var_j, which is taken
//              off: r^2 = |r|^2 - V, with a standard error from Var |r|^2 ~ 4 r^2 mean var + 2 sum var_j^2.
//   slack      y_i c_i, what complementarity asks to be zero, likewise without its variance; per sqrt(n), the way
//   across
//              X, it is a slope, and adds to the residual.
//   y          errors of least-squares multipliers, sqrt(mean var [(G_a'G_a)^{-1}]_ii) over the active constraints.
//              Withheld (NaN) where the slopes depend on each other, so that the multiplier is any of many, and where
//              the model cannot meet the constraint, so that there is none; in the latter case no residual is stated.
//   fallbacks  the shortest steps that take every active constraint k standard errors of the coming check from its
//              limit, and every equality to zero.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/solvers/adaptive_conex/state.hpp"

namespace zeroth::adaptive {
namespace {
constexpr double dependent = 1e-8;  // share of a unit normal that others leave of it
constexpr double withheld = std::numeric_limits<double>::quiet_NaN();

double positive(double v) { return std::max(0.0, v); }
}  // namespace

// The variance of a slope here is that of the slope where it was measured and what Hessians are wrong by since.
State::Lagrangian State::lagrangian() const {
  Lagrangian l{g_.col(0), model_.slope_variance.col(0), 0, 0, 0};
  l.variance.array() += model_.tau_squared[0] * recent_moves_;
  const double unknown = l.variance.sum();
  double curvature = model_.typical_curvature(0), wrong = model_.tau_squared[0];
  for (Index i = 0; i < count_; ++i) {
    if (y_[i] == 0) continue;
    const double y2 = y_[i] * y_[i], c2 = model_.level[i + 1] * model_.level[i + 1], v = model_.level_variance[i + 1];
    l.gradient += y_[i] * g_.col(i + 1);
    l.variance += y2 * model_.slope_variance.col(i + 1);
    l.variance.array() += y2 * model_.tau_squared[i + 1] * recent_moves_;
    l.slack += y2 * positive(c2 - v) / static_cast<double>(n_);
    l.slack_variance += y2 * y2 * (4 * c2 * v + 2 * v * v) / static_cast<double>(n_ * n_);
    curvature += std::abs(y_[i]) * model_.typical_curvature(i + 1);
    wrong += y2 * model_.tau_squared[i + 1];
  }
  const double across = positive(curvature * curvature - wrong) * static_cast<double>(n_) / 4;
  l.steepness = std::sqrt(std::max(across, positive(g_.col(0).squaredNorm() - unknown)));
  return l;
}

// Within the reach of noise of its limit, or held by a multiplier.
std::vector<Index> State::active() const {
  std::vector<Index> active;
  for (Index i = 0; i < count_; ++i) {
    const double reach =
        tune_.reach * std::sqrt(model_.level_variance[i + 1] + noise_.variance[i + 1] / check_evaluations());
    if (y_[i] != 0 || i >= spec_.constraints || model_.level[i + 1] > -reach) active.push_back(i);
  }
  return active;
}

void State::judge() {
  standing_.x = x_;
  standing_.y = y_;
  model_.gradients(model_.w, g_);
  const Lagrangian l = lagrangian();
  const double s = l.steepness > 0 ? tune_.stride / l.steepness : 1;
  Vector moved = model_.w - s * l.gradient;
  frame_.project(moved);
  const Vector residual = (model_.w - moved) / s;
  const double length2 = l.gradient.squaredNorm(),
               free_share = length2 > 0 ? std::min(1.0, residual.squaredNorm() / length2) : 1;
  const double noise = l.variance.sum() * free_share, slopes = positive(residual.squaredNorm() - noise);
  const double square = slopes + l.slack;
  const double spread = std::sqrt(4 * slopes * l.variance.mean() +
                                  2 * l.variance.squaredNorm() * free_share * free_share + l.slack_variance);
  const bool met = std::ranges::find(elastic_, true) == elastic_.end();
  standing_.kkt = !met ? withheld : l.steepness > 0 ? std::sqrt(square) / l.steepness : 0;
  standing_.kkt_se = !met              ? withheld
                     : l.steepness > 0 ? (std::sqrt(square + spread) - std::sqrt(square)) / l.steepness
                                       : 0;
  fall_back(l, s, noise);
}

void State::fall_back(const Lagrangian& l, double s, double noise) {
  standing_.kkt_fallback = standing_.kkt;
  standing_.multiplier_se = Vector::Zero(count_);
  standing_.cautious.clear();
  const std::vector<Index> near = active();
  if (near.empty()) return;
  const auto size = static_cast<Index>(near.size());
  Matrix normals(n_, size);  // of length one
  Vector length(size);
  for (Index a = 0; a < size; ++a) {
    const auto slope = g_.col(near[static_cast<std::size_t>(a)] + 1);
    length[a] = slope.norm() > 0 ? slope.norm() : 1;
    normals.col(a) = slope / length[a];
  }
  Matrix gram = normals.transpose() * normals;
  gram.diagonal().array() += 0.01 * dependent;
  const Eigen::LDLT<Matrix> factor(gram);
  const Matrix inverse = factor.solve(Matrix::Identity(size, size));
  for (Index a = 0; a < size; ++a) {
    const Index i = near[static_cast<std::size_t>(a)];
    double& error = standing_.multiplier_se[i];
    error = std::sqrt(positive(l.variance.mean() * inverse(a, a))) / length[a];
    const bool impossible = !elastic_.empty() && elastic_[static_cast<std::size_t>(i)];
    if (impossible || dependent * inverse(a, a) > 1) standing_.y[i] = error = withheld;
  }
  for (const double distance : {tune_.first_retreat, tune_.second_retreat}) {
    Vector wanted(size);
    for (Index a = 0; a < size; ++a) {
      const Index i = near[static_cast<std::size_t>(a)];
      const double error = std::sqrt(noise_.variance[i + 1] / check_evaluations() + model_.level_variance[i + 1]);
      wanted[a] = i < spec_.constraints ? positive(model_.level[i + 1] + distance * error) : model_.level[i + 1];
      wanted[a] /= length[a];
    }
    Vector x = frame_.to_x(model_.w - normals * factor.solve(wanted));
    spec_.domain.project(x);
    if (!x.allFinite() || x == x_) continue;
    // The Lagrangian's slope at the fallback, by the Hessians: the residual there, for whoever retreats.
    const Vector at = frame_.to_w(x), d = at - model_.w;
    Vector there = l.gradient + model_.hessian[0] * d;
    for (Index i = 0; i < count_; ++i)
      if (y_[i] != 0) there += y_[i] * (model_.hessian[static_cast<std::size_t>(i) + 1] * d);
    Vector beyond = at - s * there;
    frame_.project(beyond);
    if (std::isfinite(standing_.kkt) && l.steepness > 0)
      standing_.kkt_fallback = std::sqrt(positive((at - beyond).squaredNorm() / (s * s) - noise)) / l.steepness;
    standing_.cautious.push_back(std::move(x));
  }
}

// Evaluations that the check spends on one candidate while it chooses: a sixth of its own.
double State::check_evaluations() const { return std::max(5.0, static_cast<double>(spec_.check) / tune_.check_share); }

}  // namespace zeroth::adaptive
