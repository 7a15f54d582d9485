// SPDX-License-Identifier: MIT
#include "zeroth/solvers/adaptive_conex/local_model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zeroth::adaptive {
LocalModel::LocalModel(Vector start, Index functions, Index block, const Tuning& tuning)
    : w(std::move(start)),
      level(Vector::Zero(functions)),
      level_variance(Vector::Constant(functions, 1e300)),
      slope(Matrix::Zero(w.size(), functions)),
      slope_variance(Matrix::Zero(w.size(), functions)),
      hessian(static_cast<std::size_t>(functions), Matrix::Zero(w.size(), w.size())),
      curvature_variance(Matrix::Zero(w.size(), functions)),
      covariance(Matrix::Zero(w.size(), functions)),
      tau_squared(Vector::Zero(functions)),
      tune_(tuning),
      block_(block) {
  const Index blocks = (w.size() + block - 1) / block;
  anchors_ = w.replicate(1, blocks);
  visits_.assign(static_cast<std::size_t>(blocks), 0);
  surprise_sum_ = surprise_weight_ = bend_sum_ = bend_weight_ = bend_squared = Vector::Zero(functions);
  milestones_.resize(static_cast<std::size_t>(blocks * functions));
  carried_ = Vector::Zero(functions);
  alignment_ = 3 / static_cast<double>(w.size() + 2);
}

void LocalModel::assume_curvature(Index i, double curvature) {
  hessian[static_cast<std::size_t>(i)].setZero();
  hessian[static_cast<std::size_t>(i)].diagonal().setConstant(curvature);
  tau_squared[i] = std::max(curvature * curvature, 1e-20) / static_cast<double>(dimension());
  curvature_variance.col(i).setConstant(2 * tau_squared[i]);
}

double LocalModel::typical_curvature(Index i) const {
  return hessian[static_cast<std::size_t>(i)].diagonal().cwiseAbs().mean();
}

Vector LocalModel::typical_curvatures() const {
  Vector typical(functions());
  for (Index i = 0; i < functions(); ++i) typical[i] = typical_curvature(i);
  return typical;
}

void LocalModel::turn(const Matrix& q) {
  Matrix g;
  gradients(w, g);
  for (Index j = 0; j < dimension(); ++j) slope_variance.row(j) += moved_since(j / block_) * tau_squared.transpose();
  slope = q * g;
  slope_variance = q.cwiseAbs2() * slope_variance;
  for (Index i = 0; i < functions(); ++i) {
    Matrix& b = hessian[static_cast<std::size_t>(i)];
    b = q * b * q.transpose();
    curvature_variance.col(i).setConstant(2 * tau_squared[i]);
  }
  covariance.setZero();
  w = q * w;
  anchors_ = w.replicate(1, blocks());
  for (LevelEvaluation& evaluation : evaluations_) evaluation.where = q * evaluation.where;
  std::fill(milestones_.begin(), milestones_.end(), Milestone{});
}

void LocalModel::gradients(const Vector& at, Matrix& g) const {
  g = slope;
  for (Index b = 0; b < blocks(); ++b) {
    if (visits_[static_cast<std::size_t>(b)] == 0) continue;
    const Vector s = at - anchors_.col(b);
    const Index first = b * block_, count = std::min(block_, dimension() - first);
    if (s.squaredNorm() == 0) continue;
    for (Index i = 0; i < functions(); ++i)
      g.col(i).segment(first, count).noalias() +=
          hessian[static_cast<std::size_t>(i)].middleCols(first, count).transpose() * s;
  }
}

double LocalModel::predict(Index i, const Matrix& g, const Vector& d) const {
  return level[i] + g.col(i).dot(d) + 0.5 * d.dot(hessian[static_cast<std::size_t>(i)] * d);
}

void LocalModel::move_to(const Vector& next, const Matrix& g) {
  const Vector d = next - w;
  if (!evaluations_.empty()) {
    const Vector doubt = gradient_errors() * d.squaredNorm();
    for (LevelEvaluation& evaluation : evaluations_) evaluation.doubt += doubt;
  }
  for (Index i = 0; i < functions(); ++i) {
    const double change = predict(i, g, d) - level[i];
    level[i] += change;
    for (LevelEvaluation& evaluation : evaluations_) evaluation.values[i] += change;
  }
  w = next;
  if (!evaluations_.empty()) estimate_levels(noise_);
}

void LocalModel::evaluated(const Vector& where, std::span<const double> values, const Vector& variance, double weight) {
  Vector seen = Eigen::Map<const Vector>(values.data(), functions()), doubt = Vector::Zero(functions());
  if (where != w) {  // carried here
    Matrix g;
    gradients(w, g);
    const Vector d = where - w;
    for (Index i = 0; i < functions(); ++i) seen[i] += level[i] - predict(i, g, d);
    doubt = gradient_errors() * d.squaredNorm();
  }
  for (Index i = 0; i < functions() && !evaluations_.empty(); ++i) {
    const double noise = variance[i] + std::max(0.0, level_variance[i] - carried_[i] * alignment_);
    const double total = noise + alignment_ * carried_[i];
    if (!(total > 0)) continue;
    const double square = std::min(std::pow(tune_.beyond_doubt, 2), std::pow(seen[i] - level[i], 2) / total) * total;
    alignment_sum_ += carried_[i] * (square - noise) / (total * total);
    alignment_weight_ += carried_[i] * carried_[i] / (total * total);
  }
  noise_ = variance;
  if (!evaluations_.empty() && evaluations_.front().where == where) {
    LevelEvaluation& here = evaluations_.front();
    here.count += weight;
    here.values += (seen - here.values) * weight / here.count;
  } else {
    evaluations_.push_front({where, seen, doubt, weight});
    if (static_cast<double>(evaluations_.size()) > tune_.levels_kept) thin_out();
  }
  // Two evaluations' worth of the previous value, and about a hundred evaluations of memory.
  const double prior = 2 * tune_.alignment_prior / (alignment_ * alignment_);
  alignment_ =
      std::clamp((alignment_sum_ + prior * alignment_) / (alignment_weight_ + prior), 0.5 * alignment_, 2 * alignment_);
  alignment_ = std::clamp(alignment_, 1 / static_cast<double>(dimension()), 1.0);
  alignment_sum_ *= tune_.alignment_keep;
  alignment_weight_ *= tune_.alignment_keep;
  estimate_levels(variance);
}

// The older half in pairs.
void LocalModel::thin_out() {
  std::deque<LevelEvaluation> thinner;
  for (std::size_t k = 0; k < evaluations_.size(); ++k) {
    if (k < evaluations_.size() / 2 || k + 1 == evaluations_.size()) {
      thinner.push_back(std::move(evaluations_[k]));
      continue;
    }
    const LevelEvaluation &a = evaluations_[k], &b = evaluations_[k + 1];
    const double count = a.count + b.count;
    thinner.push_back({(a.count * a.where + b.count * b.where) / count,
                       (a.count * a.values + b.count * b.values) / count,
                       (a.count * a.doubt + b.count * b.doubt) / count, count});
    ++k;
  }
  evaluations_ = std::move(thinner);
}

Vector LocalModel::gradient_errors() const {
  double recent = 0;
  for (Index b = 0; b < blocks(); ++b) recent += (w - anchors_.col(b)).squaredNorm() / static_cast<double>(blocks());
  Vector error(functions());
  for (Index i = 0; i < functions(); ++i)
    error[i] = slope_variance.col(i).sum() + static_cast<double>(dimension()) * tau_squared[i] * recent;
  return error;
}

// The mean of the last L evaluations, carried here by the model, has variance sigma^2 / L from the noise, and an error
// from carrying it, which is e'(w - mean of where they were) for an error e of the gradient: |e|^2 |displacement|^2
// times the square of their cosine, 1/n if they were unrelated. The steps answer to those very errors, so it can be
// more: the share is learned from how far new evaluations are from what was expected. Nor can an evaluation be better
// than the model was when it was carried: its doubt. L balances noise and carrying.
void LocalModel::estimate_levels(const Vector& variance) {
  const Index f = functions();
  Vector sum = Vector::Zero(f), place = Vector::Zero(dimension()), doubt = Vector::Zero(f);
  Vector best = Vector::Constant(f, std::numeric_limits<double>::infinity());
  const Vector error = gradient_errors();
  double count = 0;
  for (const LevelEvaluation& evaluation : evaluations_) {
    sum += evaluation.count * evaluation.values;
    place += evaluation.count * evaluation.where;
    doubt += evaluation.count * evaluation.doubt.cwiseSqrt();
    count += evaluation.count;
    const double away = (w - place / count).squaredNorm();
    for (Index i = 0; i < f; ++i) {
      const double carried = std::max(error[i] * away, std::pow(doubt[i] / count, 2));
      const double candidate = variance[i] / count + alignment_ * carried;
      if (candidate < best[i]) {
        best[i] = candidate;
        level[i] = sum[i] / count;
        level_variance[i] = candidate;
        carried_[i] = carried;
      }
    }
  }
}

// Row j of the Hessian explains its share of the surprise, tau^2 |s|^2 against noise; the diagonal is learned
// elsewhere.
void LocalModel::learn_hessian_row(Index i, Index j, const Vector& s, double surprise, double noise) {
  const double tau2 = tau_squared[i];
  const double total = noise + tau2 * (s.squaredNorm() - s[j] * s[j]);
  if (!(total > 0)) return;
  Matrix& b = hessian[static_cast<std::size_t>(i)];
  const double step = tau2 * surprise / total;
  const double keep = b(j, j);
  b.col(j) += step * s;
  b.row(j) += step * s.transpose();
  b(j, j) = keep;
}

void LocalModel::compare_with_milestone(Index block, Index i) {
  Milestone& mark = milestones_[static_cast<std::size_t>(block * functions() + i)];
  const Index first = block * block_, count = std::min(block_, dimension() - first);
  const auto now = slope.col(i).segment(first, count);
  const auto now_variance = slope_variance.col(i).segment(first, count);
  if (mark.where.size() > 0) {
    const Vector s = anchors_.col(block) - mark.where;
    const double noise = (now_variance + mark.variance).mean();
    if (!(tau_squared[i] * s.squaredNorm() > 2 * noise)) return;  // not far enough yet
    for (Index k = 0; k < count; ++k) {
      const Index j = first + k;
      const double own = now_variance[k] + mark.variance[k] + curvature_variance(j, i) * s[j] * s[j];
      const double surprise = now[k] - mark.slope[k] - hessian[static_cast<std::size_t>(i)].col(j).dot(s);
      const double v = s.squaredNorm() - s[j] * s[j], total = own + tau_squared[i] * v;
      if (!(total > 0)) continue;
      const double clipped =
          std::clamp(surprise, -tune_.beyond_doubt * std::sqrt(total), tune_.beyond_doubt * std::sqrt(total));
      surprise_sum_[i] += v * (clipped * clipped - own) / (total * total);
      surprise_weight_[i] += v * v / (total * total);
      learn_hessian_row(i, j, s, clipped, own);
    }
  }
  mark = {anchors_.col(block), now, now_variance};
}

void LocalModel::learn_pair(Index i, Index j, const Vector& at, double r, double up, double down, double predicted,
                            double base_variance, double variance) {
  const double curvature = (up + down) / (r * r);
  const double curvature_noise = (2 * variance + 4 * base_variance) / (r * r * r * r);
  double& b = hessian[static_cast<std::size_t>(i)](j, j);
  const double prior = curvature_variance(j, i);
  const double gain = prior > 0 ? prior / (prior + curvature_noise) : 0;
  b += gain * (curvature - b);
  curvature_variance(j, i) = (1 - gain) * prior;
  covariance(j, i) = 0;
  const double seen = (up - down) / (2 * r), noise = variance / (2 * r * r);
  const Index block = j / block_;
  if (visits_[static_cast<std::size_t>(block)] == 0) {
    slope(j, i) = seen;
    slope_variance(j, i) = noise;
    return;
  }
  const Vector s = at - anchors_.col(block);
  const double moved = s.squaredNorm() - s[j] * s[j];
  const double state = noise + slope_variance(j, i) + s[j] * s[j] * prior;
  const double total = state + tau_squared[i] * moved;
  if (!(total > 0)) {
    slope(j, i) = seen;
    return;
  }
  const double surprise =
      std::clamp(seen - predicted, -tune_.beyond_doubt * std::sqrt(total), tune_.beyond_doubt * std::sqrt(total));
  surprise_sum_[i] += moved / (total * total) * (surprise * surprise - state);
  surprise_weight_[i] += moved * moved / (total * total);
  if (moved > 0) learn_hessian_row(i, j, s, surprise, state);
  const double slope_gain = (total - noise) / total;
  slope(j, i) = predicted + slope_gain * surprise;
  slope_variance(j, i) = slope_gain * noise;
}

void LocalModel::learn_single(Index i, Index j, const Vector& at, double r, double rise, double predicted,
                              double variance) {
  const Index block = j / block_;
  const Vector s = at - anchors_.col(block);
  const double sj = s[j];
  const double moved = s.squaredNorm() - sj * sj;
  double& curvature = hessian[static_cast<std::size_t>(i)](j, j);
  const double pd = curvature_variance(j, i), tau2 = tau_squared[i];
  if (visits_[static_cast<std::size_t>(block)] == 0) {
    slope(j, i) = rise / r - 0.5 * r * curvature;
    slope_variance(j, i) = variance / (r * r) + 0.25 * r * r * pd;
    return;
  }
  // Slope and curvature at the anchor, carried to `at`: the slope moves by s_j times the curvature and by the rest of
  // row j; across bends of the function also by what grows with the way itself.
  const double slope_before = slope_variance(j, i) + 2 * sj * covariance(j, i) + sj * sj * pd;
  const double way = s.norm(), bends = bend_squared[i] * way;
  const double pa = slope_before + tau2 * moved + bends;
  const double pc = covariance(j, i) + sj * pd;
  double surprise = rise - r * predicted - 0.5 * r * r * curvature;
  const double state = variance + r * r * slope_before + r * r * r * pc + 0.25 * r * r * r * r * pd;  // without tau
  const double v = r * r * moved, u = r * r * way;
  const double total = state + tau2 * v + r * r * bends;
  if (!(total > 0)) {
    slope(j, i) = predicted + surprise / r;
    return;
  }
  // Heavy tails: no evaluation counts for more than four standard deviations, but for what no noise explains.
  const double limit = std::max(tune_.beyond_doubt * std::sqrt(total),
                                std::abs(surprise) - 2 * tune_.beyond_doubt * std::sqrt(variance));
  surprise = std::clamp(surprise, -limit, limit);
  const double weight = v / (total * total), bend_weight = u / (total * total);
  surprise_sum_[i] += weight * (surprise * surprise - state - r * r * bends);
  surprise_weight_[i] += weight * v;
  bend_sum_[i] += bend_weight * (surprise * surprise - state - tau2 * v);
  bend_weight_[i] += bend_weight * u;
  const double slope_gain = (r * pa + 0.5 * r * r * pc) / total;
  const double curvature_gain = (r * pc + 0.5 * r * r * pd) / total;
  if (moved > 0) learn_hessian_row(i, j, s, surprise / r, (total - tau2 * v) / (r * r));
  slope(j, i) = predicted + slope_gain * surprise;
  curvature += curvature_gain * surprise;
  slope_variance(j, i) = std::max(0.0, pa - slope_gain * slope_gain * total);
  covariance(j, i) = pc - slope_gain * curvature_gain * total;
  curvature_variance(j, i) = std::max(0.0, pd - curvature_gain * curvature_gain * total);
}

void LocalModel::visited(Index block, const Vector& at) {
  const auto b = static_cast<std::size_t>(block);
  ++visits_[b];
  anchors_.col(block) = at;
  for (Index i = 0; i < functions(); ++i) compare_with_milestone(block, i);
  // Surprises of about one sweep decide what the Hessians are still wrong by; one more stands for what was known
  // before.
  const double keep = std::exp(-1.0 / static_cast<double>(blocks()));
  const Vector typical = typical_curvatures();
  for (Index i = 0; i < functions(); ++i) {
    const double tau2 = tau_squared[i];
    if (surprise_weight_[i] > 0 && tau2 > 0)
      tau_squared[i] = std::clamp((surprise_sum_[i] + 1 / tau2) / (surprise_weight_[i] + 1 / (tau2 * tau2)),
                                  tau2 / tune_.tau_change, tune_.tau_change * tau2);
    // After short steps all that is left of noise would pass for errors of the Hessian; they are not larger than it is.
    tau_squared[i] = std::min(
        tau_squared[i], std::max(std::pow(tune_.tau_most * typical[i], 2) / static_cast<double>(dimension()), 1e-20));
    surprise_sum_[i] *= keep;
    surprise_weight_[i] *= keep;
    // Only what is beyond doubt: two standard errors are taken off.
    if (exact_slopes && bend_weight_[i] > 0)
      bend_squared[i] = std::max(0.0, bend_sum_[i] / bend_weight_[i] - 2 * std::sqrt(2 / bend_weight_[i]));
    bend_sum_[i] *= keep;
    bend_weight_[i] *= keep;
  }
}

}  // namespace zeroth::adaptive
