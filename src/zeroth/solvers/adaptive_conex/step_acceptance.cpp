// SPDX-License-Identifier: MIT
//
// What adaptive-conex makes of a step that it has taken.
#include <algorithm>
#include <cmath>

#include "zeroth/solvers/adaptive_conex/state.hpp"

namespace zeroth::adaptive {

double State::merit(const Vector& level, const Vector& variance, double& doubt) const {
  double sum = level[0];
  doubt += variance[0];
  for (Index i = 0; i < count_; ++i) {
    sum += penalty_[i] * (i < spec_.constraints ? std::max(0.0, level[i + 1]) : std::abs(level[i + 1]));
    doubt += penalty_[i] * penalty_[i] * variance[i + 1];
  }
  return sum;
}

// The merit function has grown by four standard errors: worse. Its change differs from the promised one by more than
// half of that and by more than the errors of evaluations and model explain: not kept.
State::Verdict State::verdict_on_step(const Vector& seen, const Vector& noise) const {
  double change = seen[0] - now_.before_level[0], promise = now_.promised[0] - now_.before_level[0];
  double variance = noise[0] + now_.before_variance[0], doubt = noise[0] + now_.promised_variance[0];
  for (Index i = 0; i < count_; ++i) {
    const bool equality = i >= spec_.constraints;
    const auto excess = [&](double v) { return equality ? std::abs(v) : std::max(0.0, v); };
    change += penalty_[i] * (excess(seen[i + 1]) - excess(now_.before_level[i + 1]));
    promise += penalty_[i] * (excess(now_.promised[i + 1]) - excess(now_.before_level[i + 1]));
    variance += penalty_[i] * penalty_[i] * (noise[i + 1] + now_.before_variance[i + 1]);
    doubt += penalty_[i] * penalty_[i] * (noise[i + 1] + now_.promised_variance[i + 1]);
  }
  const double rounding = 1e-9 * std::abs(seen[0]), error = std::abs(change - promise);
  return {change > tune_.beyond_doubt * std::sqrt(variance) + rounding,
          error <= tune_.kept * std::abs(promise) + tune_.beyond_doubt * std::sqrt(doubt) + rounding,
          error + 0.5 * tune_.beyond_doubt * std::sqrt(doubt) <= tune_.kept * std::abs(promise), change < promise};
}

// The same by a second evaluation under the key of one at the point before: but for what of the noise moves slopes,
// only the model can be wrong. So exact an evaluation would find fault with every step along a curved constraint, and
// steps would creep: what a step gains or loses across a constraint counts by its multiplier as far as a tenth of the
// constraint's slope leads, and by the penalty only beyond that.
State::Verdict State::verdict_under_one_key(const Answer& again) const {
  double change = again.values[0] - reference_.values[0], promise = now_.promised[0] - now_.before_level[0];
  const double length2 = now_.step_length * now_.step_length;
  const auto tilt = [&](Index i) {
    return noise_.replicates > 0 ? noise_.replicate_squares[i] / noise_.replicates * length2 : 0;
  };
  double variance = tilt(0), size = std::abs(again.values[0]);
  for (Index i = 0; i < count_; ++i) {
    const double before = now_.before_level[i + 1],
                 allowed = tune_.free_crossing * g_.col(i + 1).norm() * now_.step_length;
    const auto cost = [&](double moved) {
      const auto excess = [&](double v) { return std::max(0.0, (i < spec_.constraints ? v : std::abs(v)) - allowed); };
      return y_[i] * moved + penalty_[i] * (excess(before + moved) - excess(before));
    };
    change += cost(again.values[static_cast<std::size_t>(i) + 1] - reference_.values[i + 1]);
    promise += cost(now_.promised[i + 1] - before);
    variance += penalty_[i] * penalty_[i] * tilt(i + 1);
    size += penalty_[i] * std::abs(again.values[static_cast<std::size_t>(i) + 1]);
  }
  const double doubt = tune_.beyond_doubt * std::sqrt(variance) + 1e-9 * size, error = std::abs(change - promise);
  return {change > doubt, error <= tune_.kept * std::abs(promise) + doubt,
          error + 0.5 * doubt <= tune_.kept * std::abs(promise), change < promise};
}

void State::trust(const Verdict& verdict) {
  if (verdict.worse) {
    ++rejected_;
    boost_ = std::min(boost_ * tune_.boost, tune_.most_boost);
    trust_ = std::max(std::min(tune_.worse_cut * trust_, 0.5 * now_.step_length), tune_.worse_least * trust_);
  } else {
    boost_ = std::max(1.0, tune_.boost_decay * boost_);
    // Now and then noise alone breaks a promise, of a short step as of a long one: no shrinking to a step's own length.
    // Nor for more than was promised.
    if (!verdict.kept && !verdict.better)
      trust_ = std::max(std::min(trust_, tune_.broken_cut * now_.step_length), tune_.broken_least * trust_);
    else if (verdict.kept && (now_.confined || now_.step_length > tune_.long_step * trust_))
      trust_ *= verdict.proven ? tune_.proven_rise : tune_.kept_rise;
  }
  trust_ = std::max(trust_, 0.5 * radius_);  // as far as that, differences tell what the model is worth
  trusted_ = !verdict.worse && verdict.kept;
}

bool State::astray() {
  if (noise_.here.evaluations == 0) return false;
  const Vector variance = noise_.here.variance / noise_.here.evaluations;
  double doubt = 0;
  const double now = merit(noise_.here.mean, variance, doubt);
  const double then = refuge_.x.size() > 0 ? merit(refuge_.level, refuge_.variance, doubt) : now;
  if (now - then > tune_.astray * std::sqrt(doubt) + 1e-9 * std::abs(now)) {
    ++restarts_;
    x_ = refuge_.x;
    y_ = refuge_.y;
    radius_ = refuge_.radius;
    trust_ = std::max(tune_.restart_trust * refuge_.trust, radius_);
    penalty_.setZero();
    boost_ = 1;
    trusted_ = false;
    const Vector typical = model_.typical_curvatures();
    model_ = LocalModel(frame_.to_w(x_), functions_, model_.block_size(), tune_);
    for (Index i = 0; i < functions_; ++i) model_.assume_curvature(i, typical[i]);
    refuge_.trust = trust_;
    return true;
  }
  if (now <= then) refuge_ = {now_.x, y_, noise_.here.mean, variance, radius_, trust_};
  return false;
}

}  // namespace zeroth::adaptive
