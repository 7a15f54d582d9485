// SPDX-License-Identifier: MIT
//
// What adaptive-conex makes of the answers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/solvers/adaptive_conex/state.hpp"

namespace zeroth::adaptive {
namespace {

double value(const Answer& answer, Index i) { return answer.values[static_cast<std::size_t>(i)]; }

}  // namespace

void State::learn_opening(std::span<const Answer> answers) {
  opening_->learn(answers);
  standing_.x = opening_->recommended();
  standing_.y = opening_->multipliers();
  if (!opening_->over()) return;
  x_ = opening_->best();
  y_ = opening_->multipliers();
  model_ = LocalModel(frame_.to_w(x_), functions_, model_.block_size(), tune_);
  phase_ = Phase::noise;
}

// What the opening has seen goes into the regression in its own order, so that this finds out what is not quadratic;
// but not where the noise tilts the functions, since it was the same tilt in all of it.
void State::adopt_opening(std::span<const Answer> answers, double evaluations) {
  common_ = true;
  radius_ = tune_.key_probe * frame_.largest_radius();
  const Vector none = Vector::Zero(functions_), typical = opening_->model().typical_curvatures();
  for (Index i = 0; i < functions_; ++i) {
    const double tau2 = std::max(typical[i] * typical[i], 1e-20) / static_cast<double>(n_);
    regression_->set_prior(i, opening_->model().hessian[static_cast<std::size_t>(i)].diagonal().mean(), tau2);
  }
  bool tilted = false;
  for (std::size_t q = 0; q < 2; ++q) {
    if (answers[q].failed() || answers[4 + q].failed()) continue;
    for (Index i = 0; i < functions_; ++i) {
      const double slope = (value(answers[4 + q], i) - value(answers[q], i)) / now_.asks[4 + q].radius;
      const double gap = slope - opening_->slopes()(now_.asks[4 + q].direction, i);
      tilted = tilted || std::abs(gap) > tune_.tilt * opening_->slopes().col(i).norm();
    }
  }
  phase_ = tilted ? Phase::curvature : Phase::sweeps;
  if (tilted) return;
  for (const auto& gradient : opening_->differences()) {
    for (const auto& d : gradient) {
      // Exact but for rounding, of which there must be some, lest one row drown the others in it.
      const Vector size = opening_->slopes().colwise().norm().transpose() * (d.w - d.base).norm() + d.rise.cwiseAbs();
      regression_->add(d.w, d.base, d.rise, (1e-5 * size).cwiseAbs2().cwiseMax(1e-30), 0);
    }
    if (!gradient.empty()) regression_->fit(gradient[0].base, none, none, function_weights(), 1);
  }
  const Vector rounding = (1e-6 * model_.level).cwiseAbs2().array() + 1e-20;
  regression_->add(model_.w, {}, model_.level, noise_.variance / evaluations + rounding, evaluations);
  fit_regression();
  trusted_ = fitted_;
}

void State::learn_noise(std::span<const Answer> answers) {
  double good = 0;
  Vector mean = Vector::Zero(functions_);
  for (std::size_t k = 0; k < 4; ++k)
    if (!answers[k].failed()) {
      ++good;
      mean += (as_vector(answers[k].values) - mean) / good;
    }
  if (good < 2) return;  // asked again
  for (std::size_t k = 0; k < 4; ++k)
    if (!answers[k].failed()) noise_.squares.array() += (as_vector(answers[k].values) - mean).array().square();
  noise_.degrees = good - 1;
  noise_.variance = noise_.squares / noise_.degrees;
  for (std::size_t k = 0; k < 4; ++k)
    if (!answers[k].failed())
      model_.evaluated(model_.w, answers[k].values, noise_.variance, noise_.weight_of(answers[k]));

  if (opening_ && opening_->converged()) return adopt_opening(answers, good);
  common_ = !answers[0].failed();
  const double t = std::abs(now_.asks[5].radius);
  radius_ = t;
  for (Index i = 0; i < functions_ && common_; ++i) {
    double third = 0, second = 0, first = 0;
    for (std::size_t q = 0; q < 2 && common_; ++q) {
      const std::size_t k = 4 + 3 * q;
      if (answers[k].failed() || answers[k + 1].failed() || answers[k + 2].failed()) {
        common_ = false;
        break;
      }
      const double back = value(answers[k], i), ahead = value(answers[k + 1], i), twice = value(answers[k + 2], i);
      const double here = value(answers[0], i);
      third += std::pow(twice - 3 * ahead + 3 * here - back, 2);
      second += std::abs(ahead + back - 2 * here) / (t * t) / 2;
      first += std::abs(ahead - back) / 2;
    }
    // What is left of the noise under one key (rounding, printed digits) asks for a radius of its own.
    const double left = std::sqrt(third / 40);
    // Noise that multiplies a function next to its zero is smaller than its third derivative; but then it is too small
    // to be seen in differences at all.
    if (noise_.variance[i] > 0 && third > tune_.key_gap * 40 * noise_.variance[i] && left > tune_.key_rounding * first)
      common_ = false;
    if (second > 0)
      radius_ = std::max(radius_, std::min(2 * std::sqrt(left / second), tune_.key_radius * frame_.largest_radius()));
  }
  if (!common_) radius_ = frame_.largest_radius();
  if (common_ && !regression_ && spec_.domain.separable()) evaluate_along_variables();
  phase_ = Phase::curvature;
}

void State::learn_curvature(std::span<const Answer> answers) {
  const std::size_t first = common_ ? 1 : 0, radii = common_ ? 1 : 3;
  const std::size_t directions = (answers.size() - first) / (2 * radii);
  const auto usable = [&](std::size_t k) { return !answers[k].failed() && !answers[k + 1].failed(); };
  const auto at = [&](std::size_t j, std::size_t r) { return first + 2 * (j * radii + r); };
  if (!common_) {
    std::size_t widest = 0;  // the widest radius at which nothing failed
    for (std::size_t r = 0; r < radii; ++r)
      for (std::size_t j = 0; j < directions; ++j)
        if (!usable(at(j, r))) widest = r + 1;
    const auto slope = [&](std::size_t k, Index i) {
      return (value(answers[k], i) - value(answers[k + 1], i)) / (2 * now_.asks[k].radius);
    };
    // From wide to narrow: a gap within the noise ends it; a wider one says how far third derivatives allow.
    for (std::size_t r = widest; r + 1 < radii; ++r) {
      RadiusRule local(functions_, now_.asks[at(0, r)].radius, tune_.radius_forget);
      for (std::size_t j = 0; j < directions; ++j)
        for (Index i = 0; i < functions_; ++i) {
          const double wide = now_.asks[at(j, r)].radius, narrow = now_.asks[at(j, r + 1)].radius;
          const double variance = noise_.variance[i] / 2 * (1 / (wide * wide) + 1 / (narrow * narrow));
          local.probe_slope(i, slope(at(j, r), i), slope(at(j, r + 1), i), wide, narrow, variance);
        }
      Vector weight(functions_);  // nothing is known of multipliers yet: every function in units of its own noise
      for (Index i = 0; i < functions_; ++i) weight[i] = noise_.variance[i] > 0 ? 1 / noise_.variance[i] : 0;
      radius_ = local.choose(weight, noise_.variance, noise_.variance, radius_, 1);
      if (radius_ > now_.asks[at(0, r + 1)].radius) break;
    }
    if (options_.radius > 0) radius_ = options_.radius * frame_.largest_radius();
    const double widest_allowed = frame_.largest_radius() / std::pow(3.0, static_cast<double>(widest));
    rule_ = RadiusRule(functions_, widest_allowed, tune_.radius_forget);
  }
  for (Index i = 0; i < functions_; ++i) {
    double sum = 0, count = 0;
    for (std::size_t j = 0; j < directions; ++j)
      for (std::size_t r = 0; r < radii; ++r) {
        const std::size_t k = at(j, r);
        if (!usable(k) || (!common_ && now_.asks[k].radius > 3 * radius_ && r + 1 < radii)) continue;
        const double here = common_ && !answers[0].failed() ? value(answers[0], i) : model_.level[i];
        const double length = now_.asks[k].radius;
        sum += (value(answers[k], i) + value(answers[k + 1], i) - 2 * here) / (length * length);
        ++count;
        break;
      }
    const double curvature = count > 0 ? sum / count : 0, typical = std::abs(curvature);
    model_.assume_curvature(i, std::max(curvature, tune_.curvature_floor * typical));
    model_.tau_squared[i] = std::max(typical * typical, 1e-20) / static_cast<double>(n_);
    model_.curvature_variance.col(i).setConstant(2 * model_.tau_squared[i]);
    if (regression_)
      regression_->set_prior(i, std::max(curvature, tune_.curvature_floor * typical), model_.tau_squared[i]);
  }
  phase_ = Phase::sweeps;
}

void State::learn_levels(std::span<const Answer> answers) {
  const double good = noise_.here.evaluations;
  silent_ = good > 0 ? 0 : silent_ + 1;
  Verdict verdict;
  if (now_.before_w.size() > 0) {
    const bool paired = now_.pair_at > 0 && !answers[now_.pair_at].failed() &&
                        reference_.key == now_.asks[now_.pair_at].key && reference_.w.size() > 0 &&
                        reference_.w == now_.before_w;
    if (paired) verdict = verdict_under_one_key(answers[now_.pair_at]);
    else if (good > 0) verdict = verdict_on_step(noise_.here.mean, noise_.here.variance / good);
    else verdict.worse = silent_ >= 2;
  }
  if (common_ && !regression_ && !verdict.worse && !answers[0].failed())
    reference_ = {now_.asks[0].key, now_.w, as_vector(answers[0].values)};
  // One broken promise may be a tail of the noise; after two the levels that were carried here are refuted.
  if (good > 0 && !verdict.kept && broken_) model_.forget_levels();
  if (good > 0) broken_ = !verdict.kept;
  for (std::size_t k = 0; k < now_.level_evaluations; ++k)
    if (!answers[k].failed())
      model_.evaluated(now_.w, answers[k].values, noise_.variance, noise_.weight_of(answers[k]));
  if (verdict.worse) {
    silent_ = 0;
    model_.gradients(model_.w, g_);
    const Vector back = now_.before_w;
    model_.move_to(back, g_);
    x_ = frame_.to_x(back);
    spec_.domain.project(x_);
    for (Round& round : waiting_) round.before_w.resize(0);  // what followed is taken back with it
  }
  if (now_.before_w.size() > 0 && (good > 0 || verdict.worse)) trust(verdict);
  now_.before_w.resize(0);
}

void State::learn_replicate(std::span<const Answer> answers) {
  if (now_.replicate_at == 0) return;
  const Answer &one = answers[now_.level_evaluations], &other = answers[now_.replicate_at];
  if (one.failed() || other.failed() || (common_ && (answers[0].failed() || answers[1].failed()))) return;
  const double r = now_.asks[now_.level_evaluations].radius;
  const double keep = tune_.replicate_keep, clip = tune_.beyond_doubt * tune_.beyond_doubt;
  noise_.replicates = keep * noise_.replicates + 1;
  for (Index i = 0; i < functions_; ++i) {
    double gap = value(one, i) - value(other, i);
    if (common_) gap = (gap - value(answers[0], i) + value(answers[1], i)) / r;
    double square = 0.5 * gap * gap;
    if (noise_.replicates > tune_.noise_settled)
      square = std::min(square, clip * noise_.replicate_squares[i] / (noise_.replicates - 1) * keep);
    noise_.replicate_squares[i] = keep * noise_.replicate_squares[i] + square;
  }
}

void State::learn_probes(std::span<const Answer> answers) {
  if (now_.probe_at == 0) return;
  rule_.forget();
  for (std::size_t k = now_.probe_at; k + 4 < answers.size(); k += 5) {
    if (std::any_of(&answers[k], &answers[k] + 5, [](const Answer& a) { return a.failed(); })) continue;
    const double r = now_.asks[k + 1].radius, s = now_.asks[k + 3].radius;
    for (Index i = 0; i < functions_; ++i) {
      const auto at = [&](std::size_t q) { return value(answers[k + q], i); };
      const double noise = difference_noise(i), near = 1 / (s * s), far = 1 / (r * r);
      rule_.probe_slope(i, (at(1) - at(2)) / (2 * r), (at(3) - at(4)) / (2 * s), r, s, noise / 2 * (far + near));
      const double wide = (at(1) + at(2) - 2 * at(0)) * far, narrow = (at(3) + at(4) - 2 * at(0)) * near;
      rule_.probe_curvature(i, wide, narrow, r, s,
                            2 * noise * (far * far + near * near) + 4 * noise_.variance[i] * std::pow(near - far, 2));
    }
  }
  if (options_.radius > 0) return;
  const Vector weight = function_weights();
  Vector far(functions_);
  double repeats = 0, total = 0;
  for (Index i = 0; i < functions_; ++i) {
    far[i] = difference_noise(i);
    repeats += weight[i] * far[i] / (2 * radius_ * radius_);
    total += weight[i] * model_.slope_variance.col(i).mean();
  }
  repeats = std::clamp(total > 0 ? repeats / total : 1.0, 1.0, 100.0);
  const double wanted = rule_.choose(weight, noise_.variance, far, radius_, repeats);
  // Third derivatives do not average out: slopes that were measured from further away are wrong by that much.
  if (wanted < radius_)
    for (Index i = 0; i < functions_; ++i) model_.slope_variance.col(i).array() += rule_.slope_bias_squared(i, radius_);
  radius_ *= std::clamp(wanted / radius_, tune_.radius_fall, tune_.radius_rise);
}

// Every evaluation goes into the regression; its fit at x is the model.
void State::learn_regression(std::span<const Answer> answers) {
  const Vector w_asked = now_.w, usual = noise_.variance;
  learn_replicate(answers);
  noise_.observe(answers.first(now_.level_evaluations), model_.level);
  const Vector& mean = noise_.here.mean;
  const double evaluations = noise_.here.evaluations;
  const auto rounding = [](double v) { return std::pow(1e-10 * (1e-3 + std::abs(v)), 2); };  // also of exact functions
  if (evaluations > 0) {
    if (lowest_.size() == 0) lowest_ = highest_ = mean;
    lowest_ = lowest_.cwiseMin(mean);
    highest_ = highest_.cwiseMax(mean);
    // Exact or nearly: to a millionth of what the levels have moved, lest one row drown the others in rounding.
    const Vector exact = 1e-12 * (highest_ - lowest_).cwiseAbs2() + mean.unaryExpr(rounding);
    // Evaluations that scatter more count for less, which keeps outliers out. But where large values are rare on one
    // side only they are the mean's business, and without them it would be too small: there, the noise that is usual.
    Vector variance = noise_.here.variance;
    for (Index i = 0; i < functions_; ++i)
      if (std::max(noise_.above[i], noise_.below[i]) >
          tune_.one_sided_least + tune_.one_sided * std::min(noise_.above[i], noise_.below[i]))
        variance[i] = usual[i];
    regression_->add(w_asked, {}, mean, variance / evaluations + exact, evaluations);
  }
  for (std::size_t k = now_.level_evaluations; k < answers.size(); ++k) {
    if (answers[k].failed()) continue;
    const Vector values = as_vector(answers[k].values);
    Vector variances(functions_), base;
    Vector difference = values;
    if (common_) {
      const Answer& reference = answers[k == now_.replicate_at ? 1 : 0];
      if (reference.failed()) continue;
      difference = values - as_vector(reference.values);
      base = w_asked;
      for (Index i = 0; i < functions_; ++i) {
        const double r = now_.asks[k].radius;
        const double floor = 1e-5 * r * (std::abs(difference[i] / r) + model_.slope.col(i).norm());
        variances[i] = difference_noise(i) * r * r / (radius_ * radius_) + floor * floor;
      }
    } else {
      for (Index i = 0; i < functions_; ++i) variances[i] = noise_of(answers[k], i);
    }
    variances += values.unaryExpr(rounding);
    regression_->add(frame_.to_w(now_.asks[k].x), base, difference, variances, 0);
  }
  learn_levels(answers);
  fit_regression();
  if (fitted_ && !common_ && options_.radius == 0) choose_radius();
}

void State::fit_regression() {
  Vector slope_noise = Vector::Zero(functions_);
  for (Index i = 0; i < functions_ && common_; ++i)
    slope_noise[i] = tune_.row_noise * difference_noise(i) / (radius_ * radius_);
  // Under way every order has its chance. Where the solver has settled, evaluations crowd around it, and a high order
  // must be clearly better to replace the plain one: its variances are optimistic where functions are not smooth.
  const bool settled = recent_moves_ < tune_.settled * radius_ * radius_;
  fitted_ = regression_->fit(model_.w, tune_.row_noise * noise_.variance, slope_noise, function_weights(),
                             settled ? tune_.order_handicap : 1);
  if (fitted_) {
    const Regression& fit = regression_->best();
    model_.level = fit.level;
    model_.level_variance = fit.level_variance;
    model_.slope = fit.slope;
    model_.slope_variance = fit.slope_variance;
    model_.hessian = fit.hessian;
    model_.tau_squared = fit.tau_squared;
    model_.assume_here();
  }
}

void State::choose_radius() {
  const Vector weight = function_weights();
  double best = std::numeric_limits<double>::infinity(), chosen = radius_;
  for (double r = rule_.largest(); r > 1e-4 * rule_.largest(); r *= 0.85) {
    double error = 0;
    for (Index i = 0; i < functions_; ++i)
      error += weight[i] * regression_->best().slope_error(i, r, difference_noise(i));
    if (error < best) {
      best = error;
      chosen = r;
    }
  }
  radius_ *= std::clamp(chosen / radius_, 1 - tune_.regression_radius_change, 1 + tune_.regression_radius_change);
}

void State::learn_block(std::span<const Answer> answers) {
  const Vector stood = x_;
  learn_replicate(answers);
  noise_.observe(answers.first(now_.level_evaluations), model_.level);
  learn_levels(answers);
  if (x_ == stood && astray()) return;
  if (now_.turned) return;  // directions that are no more
  if (!now_.slid) now_.centre_w = now_.w;

  model_.exact_slopes = common_;
  model_.gradients(now_.centre_w, g_);
  const Index first = now_.block * model_.block_size(), size = size_of(now_.block);
  const Vector d = now_.centre_w - model_.w;
  const double apart = d.squaredNorm();
  Matrix here;
  if (apart > 0) model_.gradients(model_.w, here);
  for (Index i = 0; i < functions_; ++i) {
    double base = model_.level[i], base_variance = model_.level_variance[i];
    if (apart > 0) {
      base = model_.predict(i, here, d);
      base_variance +=
          apart * (model_.slope_variance.col(i).mean() + model_.tau_squared[i] * (recent_moves_ + 0.5 * apart));
    }
    std::size_t k = now_.level_evaluations;
    for (Index j = first; j < first + size; ++j) {
      if (common_) {
        const double r = now_.asks[k].radius;
        if (!answers[k].failed() && !answers[0].failed()) {
          const double rounding = 1e-14 * (1 + std::abs(value(answers[0], i)));
          const double rise = value(answers[k], i) - value(answers[0], i);
          model_.learn_single(i, j, now_.centre_w, r, rise, g_(j, i), difference_noise(i) + rounding * rounding);
        }
        ++k;
      } else if (now_.fresh) {
        const double r = now_.asks[k].radius;
        if (!answers[k].failed() && !answers[k + 1].failed())
          model_.learn_pair(i, j, now_.centre_w, r, value(answers[k], i) - base, value(answers[k + 1], i) - base,
                            g_(j, i), base_variance, 0.5 * (noise_of(answers[k], i) + noise_of(answers[k + 1], i)));
        k += 2;
      } else {
        const double r = now_.asks[k].radius;
        if (!answers[k].failed())
          model_.learn_single(i, j, now_.centre_w, r, value(answers[k], i) - base, g_(j, i),
                              noise_of(answers[k], i) + base_variance + r * r * rule_.bias_squared(i, std::abs(r)));
        ++k;
      }
    }
  }
  // Where an evaluation failed, the next goes half as far, to the other side.
  std::size_t k = now_.level_evaluations;
  for (Index j = first; j < first + size; ++j) {
    const auto index = static_cast<std::size_t>(j);
    const std::size_t evaluations = !common_ && now_.fresh ? 2 : 1;
    for (std::size_t q = 0; q < evaluations; ++q, ++k)
      if (answers[k].failed()) cap_[index] = 0.5 * std::abs(now_.asks[k].radius);
      else if (now_.fresh) paired_[index] = std::abs(now_.asks[k].radius);
  }
  model_.visited(now_.block, now_.centre_w);
  learn_probes(answers);
}

}  // namespace zeroth::adaptive
