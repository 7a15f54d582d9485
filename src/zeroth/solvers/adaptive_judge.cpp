// SPDX-License-Identifier: MIT
//
// What adaptive-conex says about its own answer.
//   residual   r = (w - P_X(w - s (g_0 + G y))) / s, the projected gradient of the Lagrangian. Its square norm is too
//              large by the variance of the slopes, V = sum_j var_j, which is taken off: r^2 = |r|^2 - V, with a
//              standard error from Var |r|^2 ~ 4 r^2 mean var + 2 sum var_j^2. Divided by the objective's slope, here
//              or after the first step if that was steeper; s makes a step along that slope 0.1 long, short
//              against X (whose variables have width 2), or walls far away would stop it and pass for optimal.
//   y          errors of least-squares multipliers, sqrt(mean var [(G_a'G_a)^{-1}]_ii) over the active constraints.
//   fallbacks  the shortest steps that take every active constraint k standard errors of the coming check from its
//   limit, and every equality to zero.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_state.hpp"

namespace zeroth::adaptive {
namespace {
constexpr double kkt_stride = 0.1;
}

void State::judge() {
  standing_.x = x_;
  standing_.y = y_;
  model_.gradients(model_.w, g_);
  Vector gradient = g_.col(0), variance = model_.slope_variance.col(0);
  variance.array() += model_.tau_squared[0] * recent_moves_;
  std::vector<Index> active;
  for (Index i = 0; i < count_; ++i) {
    if (y_[i] != 0) {
      gradient += y_[i] * g_.col(i + 1);
      variance += y_[i] * y_[i] * model_.slope_variance.col(i + 1);
      variance.array() += y_[i] * y_[i] * model_.tau_squared[i + 1] * recent_moves_;
    }
    const double reach = 6 * std::sqrt(model_.level_variance[i + 1] + sigma2_[i + 1] / check_evaluations());
    if (y_[i] != 0 || i >= spec_.constraints || model_.level[i + 1] > -reach) active.push_back(i);
  }
  // Of the objective's slope, too, only what noise does not explain: early fits are mostly noise.
  const double unknown =
      model_.slope_variance.col(0).sum() + static_cast<double>(n_) * model_.tau_squared[0] * recent_moves_;
  const double slope2 = g_.col(0).squaredNorm();
  if (slope2 > 4 * unknown && first_slope_ == 0) first_slope_ = std::sqrt(slope2 - unknown);
  const double steepest = std::max({first_slope_, std::sqrt(std::max(0.0, slope2 - unknown)), 1e-300});
  const double s = kkt_stride / steepest;
  Vector moved = model_.w - s * gradient;
  frame_.project(moved);
  const Vector residual = (model_.w - moved) / s;
  const double free_share = std::min(1.0, residual.squaredNorm() / std::max(1e-300, gradient.squaredNorm()));
  const double noise = variance.sum() * free_share;
  const double square = std::max(0.0, residual.squaredNorm() - noise);
  const double spread = std::sqrt(4 * square * variance.mean() + 2 * variance.squaredNorm() * free_share * free_share);
  standing_.kkt = std::sqrt(square) / steepest;
  standing_.kkt_se = (std::sqrt(square + spread) - std::sqrt(square)) / steepest;

  standing_.kkt_fallback = standing_.kkt;
  standing_.multiplier_se = Vector::Zero(count_);
  standing_.cautious.clear();
  if (active.empty()) return;
  const auto size = static_cast<Index>(active.size());
  Matrix normals(n_, size);
  for (Index a = 0; a < size; ++a) normals.col(a) = g_.col(active[static_cast<std::size_t>(a)] + 1);
  Matrix gram = normals.transpose() * normals;
  gram.diagonal().array() += 1e-10 * gram.diagonal().maxCoeff() + 1e-300;
  const Eigen::LDLT<Matrix> factor(gram);
  const Matrix inverse = factor.solve(Matrix::Identity(size, size));
  for (Index a = 0; a < size; ++a)
    standing_.multiplier_se[active[static_cast<std::size_t>(a)]] =
        std::sqrt(std::max(0.0, variance.mean() * inverse(a, a)));
  for (const double distance : {3.0, 6.0}) {
    Vector wanted(size);
    for (Index a = 0; a < size; ++a) {
      const Index i = active[static_cast<std::size_t>(a)];
      const double error = std::sqrt(sigma2_[i + 1] / check_evaluations() + model_.level_variance[i + 1]);
      wanted[a] = i < spec_.constraints ? std::max(0.0, model_.level[i + 1] + distance * error) : model_.level[i + 1];
    }
    Vector x = frame_.to_x(model_.w - normals * factor.solve(wanted));
    spec_.domain.project(x);
    if (!x.allFinite() || x == x_) continue;
    // The Lagrangian's slope at the fallback, by the Hessians: the residual there, for whoever retreats.
    const Vector at = frame_.to_w(x), d = at - model_.w;
    Vector there = gradient + model_.hessian[0] * d;
    for (Index i = 0; i < count_; ++i)
      if (y_[i] != 0) there += y_[i] * (model_.hessian[static_cast<std::size_t>(i) + 1] * d);
    Vector beyond = at - s * there;
    frame_.project(beyond);
    standing_.kkt_fallback = std::sqrt(std::max(0.0, (at - beyond).squaredNorm() / (s * s) - noise)) / steepest;
    standing_.cautious.push_back(std::move(x));
  }
}

// Evaluations that the check spends on one candidate while it chooses: a sixth of its own.
double State::check_evaluations() const { return std::max(5.0, static_cast<double>(spec_.check) / 6); }

}  // namespace zeroth::adaptive
