// SPDX-License-Identifier: MIT
#include "zeroth/run/checked_point.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/core/statistics/binomial.hpp"
#include "zeroth/core/statistics/running_moments.hpp"

namespace zeroth {
namespace {

constexpr double contradiction = 2.5;  // standard errors between a model and fresh evaluations

}  // namespace

CheckedPoint::CheckedPoint(Index functions, const Meaning* meaning, const EvaluatedPoints* run, MeanSequence sequence)
    : mean_(Vector::Zero(functions)),
      squares_(Vector::Zero(functions)),
      cubes_(Vector::Zero(functions)),
      unit_(Vector::Ones(functions)),
      meaning_(meaning),
      run_(run),
      sequence_(sequence) {
  if (meaning_) kept_.resize(meaning_->statements.size());
}

void CheckedPoint::add(std::span<const double> measured) {
  ++evaluations_;
  std::vector<double> meant;
  if (meaning_) {
    meant = meaning_->of(measured);
    for (std::size_t i = 0; i < kept_.size(); ++i)
      if (const Statement& s = meaning_->statements[i]; s.chance() || s.cvar())
        kept_[i].push_back(s.in(measured, meaning_->maximize));
    if (meaning_->objective) kept_objective_.push_back(measured[0]);
  }
  const std::span<const double> values = meaning_ ? std::span<const double>(meant) : measured;
  for (Index i = 0; i < mean_.size(); ++i) choose_unit(i, values[static_cast<std::size_t>(i)]);
  const Vector scaled = as_vector(values).cwiseQuotient(unit_);
  if (evaluations_ == 1) {  // exactly the value: equal replicates must stay equal to it
    mean_ = scaled;
    return;
  }
  for (Index i = 0; i < mean_.size(); ++i) {
    const double n = static_cast<double>(evaluations_), delta = scaled[i] - mean_[i];
    cubes_[i] += delta * delta * delta * ((n - 1) * (n - 2) / (n * n)) - 3 * delta / n * squares_[i];
    squares_[i] += take_in(scaled[i], n, mean_[i]);
  }
}

void CheckedPoint::add(const Answer& answer) {
  add(answer.values);
  if (answer.se.empty()) return;
  if (stated_.size() == 0) stated_ = stated_squares_ = Vector::Zero(mean_.size());
  for (Index i = 0; i < mean_.size(); ++i) {
    // Errors of means are those of statements about means; whether a value is bad is another matter.
    auto place = static_cast<std::size_t>(i);
    if (meaning_ && i > 0 && i <= static_cast<Index>(kept_.size())) {
      const Statement& s = meaning_->statements[place - 1];
      if (s.kind != Statement::Kind::mean) continue;
      place = s.place();
    } else if (meaning_ && i > 0) {
      place = 1 + meaning_->values.size() + (place - 1 - kept_.size());
    }
    const double se = answer.se[place];
    if (std::isnan(se) || (i == 0 && meaning_ && meaning_->objective)) continue;
    stated_squares_[i] += se * se;
    stated_[i] += 1;
  }
}

void CheckedPoint::choose_unit(Index i, double value) {
  const double size = std::abs(value);
  constexpr double step = 0x1p600;
  if (size > 0 && size < 1e-100 && unit_[i] == 1 && mean_[i] == 0 && squares_[i] == 0) unit_[i] = 1 / step;
  while (size / unit_[i] > 1e150) {
    unit_[i] *= step;
    mean_[i] /= step;
    squares_[i] = squares_[i] / step / step;
    cubes_[i] = cubes_[i] / step / step / step;
  }
}

const Statement* CheckedPoint::chance(Index i) const {
  const auto k = static_cast<std::size_t>(i - 1);
  return meaning_ && i > 0 && k < kept_.size() && meaning_->statements[k].chance() ? &meaning_->statements[k] : nullptr;
}

std::int64_t CheckedPoint::bad(Index i) const {
  return std::ranges::count_if(values(i), [s = chance(i)](double v) { return s->bad(v); });
}

const Statement* CheckedPoint::cvar(Index i) const {
  if (!meaning_) return nullptr;
  if (i == 0) return meaning_->objective ? &*meaning_->objective : nullptr;
  const auto k = static_cast<std::size_t>(i - 1);
  return k < kept_.size() && meaning_->statements[k].cvar() ? &meaning_->statements[k] : nullptr;
}

TailMean CheckedPoint::tail(Index i) const {
  const Statement& s = *cvar(i);
  std::vector<double> excess = i == 0 ? kept_objective_ : values(i);
  if (i > 0)
    for (double& v : excess) v = s.excess(v);
  return tail_mean(excess, s.share);
}

bool CheckedPoint::exact(Index i) const {
  if (chance(i) || squares_[i] != 0 || (stated_.size() > 0 && stated_squares_[i] > 0)) return false;
  return run_ ? run_->exact(i) : evaluations_ >= 3;
}

double CheckedPoint::deviation(Index i) const {
  const bool stated = stated_.size() > 0 && stated_[i] > 0;
  if (evaluations_ < 2) return stated ? std::sqrt(stated_squares_[i] / stated_[i]) : std::nan("");
  const auto k = static_cast<double>(evaluations_);
  double own = unit_[i] * std::sqrt(squares_[i] / (k - 1));
  // What is stated counts like some replicates, and can only make the answer more careful: few replicates may agree by
  // chance, and a statement may be wrong.
  if (constexpr double trusted = 8; stated)
    own =
        std::max(own, std::sqrt(((k - 1) * own * own + trusted * stated_squares_[i] / stated_[i]) / (k - 1 + trusted)));
  if (!run_ || exact(i)) return own;
  // Equal replicates of a function that has noise elsewhere, or of one that counts: the next may yet differ, with a
  // chance of about 1 / k (Agresti and Coull's rule).
  const double rare = std::sqrt(k + 1) / (k + 2);
  return std::max({own, run_->quantum(i) * rare, squares_[i] == 0 ? std::sqrt(run_->noise_variance(i)) * rare : 0.0});
}

Estimate CheckedPoint::estimate(Index i) const {
  if (evaluations_ == 0) return {};
  const auto k = static_cast<double>(evaluations_);
  if (cvar(i)) {
    const TailMean t = tail(i);
    return {t.mean, t.se};
  }
  if (chance(i)) {  // Agresti and Coull's standard error: not zero when nothing bad was seen
    const double p = (static_cast<double>(bad(i)) + 2) / (k + 4);
    return {mean_[i], std::sqrt(p * (1 - p) / (k + 4))};
  }
  return {unit_[i] * mean_[i], evaluations_ > 1 ? deviation(i) / std::sqrt(k) : std::nan("")};
}

double CheckedPoint::pseudo_evaluations(Index i) const {
  if (cvar(i) || belief_.sd.size() <= i || evaluations_ < 2 || exact(i)) return 0;
  const Estimate fresh = estimate(i);
  const double sd = model_modesty * belief_.sd[i], gap = fresh.mean - belief_.mean[i];
  if (!(sd > 0) || !std::isfinite(gap) || std::abs(gap) > contradiction * std::hypot(fresh.se, sd)) return 0;
  const double one = chance(i) ? fresh.se * fresh.se * static_cast<double>(evaluations_) : variance(i);
  return std::min(one / (sd * sd), most_pseudo_evaluations * static_cast<double>(evaluations_));
}

Estimate CheckedPoint::pooled(Index i) const {
  const Estimate fresh = estimate(i);
  const double more = pseudo_evaluations(i);
  if (!(more > 0)) return fresh;
  const auto k = static_cast<double>(evaluations_);
  return {(k * fresh.mean + more * belief_.mean[i]) / (k + more), fresh.se * std::sqrt(k / (k + more))};
}

// Of a function that takes two values: which share of the evaluations took the upper one.
std::optional<double> CheckedPoint::share_above(Index i, double& low, double& high) const {
  const auto two = run_ && !chance(i) ? run_->two_values(i) : std::nullopt;
  if (!two) return {};
  std::tie(low, high) = *two;
  return std::clamp((unit_[i] * mean_[i] - low) / (high - low), 0.0, 1.0);
}

Interval CheckedPoint::interval(Index i) const {
  if (evaluations_ == 0) return {};
  if (const Statement* s = chance(i)) {
    const Interval bad_share = share_interval(bad(i), evaluations_);
    return {bad_share.low - s->share, bad_share.high - s->share};
  }
  double low = 0, high = 1;
  if (const auto share = share_above(i, low, high)) {
    const Interval p = share_interval(std::llround(*share * static_cast<double>(evaluations_)), evaluations_);
    return {low + p.low * (high - low), low + p.high * (high - low)};
  }
  const Estimate e = estimate(i);
  if (cvar(i)) {  // as wide, compared with its fixed interval, as that of a mean
    const TailMean t = tail(i);
    const boost::math::students_t fixed(static_cast<double>(std::max<std::int64_t>(1, evaluations_ - 1)));
    const double wider = sequence_.half_width(evaluations_) * std::sqrt(static_cast<double>(evaluations_)) /
                         boost::math::quantile(fixed, 0.975);
    if (!std::isfinite(wider)) return {-infinity, infinity};
    return {e.mean - wider * (e.mean - t.lower()), e.mean + wider * (t.upper() - e.mean)};
  }
  if (exact(i)) return {e.mean, e.mean};
  const double half = sequence_.half_width(evaluations_) * deviation(i);
  if (std::isnan(half)) return {-infinity, infinity};
  return {e.mean - half, e.mean + half};
}

double CheckedPoint::probability_feasible(Index i) const {
  if (evaluations_ < 1) return std::nan("");
  if (cvar(i)) return tail(i).probability_at_most(0);
  if (const Statement* s = chance(i)) {
    // What a model expects counts as evaluations of which so many were bad, rounded against it.
    const double more = std::floor(pseudo_evaluations(i));
    const double more_bad = more > 0 ? std::ceil(std::clamp(belief_.mean[i] + s->share, 0.0, 1.0) * more) : 0;
    return confidence_at_most(s->share, bad(i) + std::llround(more_bad), evaluations_ + std::llround(more));
  }
  if (exact(i)) return unit_[i] * mean_[i] <= (run_ ? run_->rounding(i) : 0) ? 1 : 0;
  double low = 0, high = 1;
  if (const auto share = share_above(i, low, high))
    return confidence_at_most(-low / (high - low), std::llround(*share * static_cast<double>(evaluations_)),
                              evaluations_);
  return careful_probability(i);
}

// Of the values, adjusted for how many there are; 0 where it cannot be told.
double CheckedPoint::skewness(Index i) const {
  const auto n = static_cast<double>(evaluations_);
  if (n < 3 || !(squares_[i] > 0)) return 0;
  const double g = (cubes_[i] / n) / std::pow(squares_[i] / n, 1.5) * std::sqrt(n * (n - 1)) / (n - 2);
  return std::isfinite(g) ? g : 0;
}

double CheckedPoint::careful_probability(Index i) const {
  Estimate e = pooled(i);
  if (evaluations_ < 2 || !(e.se > 0) || std::isnan(e.mean)) return probability_nonpositive(e, evaluations_);
  const auto n = static_cast<double>(evaluations_);
  if (run_) {
    // The run's own noise counts like so many evaluations, as far as it is not many times this point's.
    constexpr double counted = 8, many = 30;
    const double own = variance(i), elsewhere = std::min(run_->noise_variance(i), own * (1 + many / (n - 1)));
    if (elsewhere > own) e.se *= std::sqrt(((n - 1) + counted * elsewhere / own) / (n - 1 + counted));
  }
  // t + k (1 + 2 t^2) = T, where few values show less skewness than there is.
  constexpr double shown = 1.25;
  const bool below = e.mean <= 0;
  const double k = shown * std::max(0.0, below ? skewness(i) : -skewness(i)) / (6 * std::sqrt(n));
  const double errors = std::min(std::abs(e.mean) / e.se, 1e100);
  const double root = 1 - 8 * k * (k - errors);
  const double t = k < 1e-9 ? errors : root > 1 ? (std::sqrt(root) - 1) / (4 * k) : 0;
  return boost::math::cdf(boost::math::students_t(n - 1), below ? t : -t);
}

double CheckedPoint::anytime_probability(Index i) const {
  if (evaluations_ < 1) return std::nan("");
  if (exact(i)) return probability_feasible(i);
  if (cvar(i)) return interval(i).high <= 0 ? 0.975 : 0;
  double low = 0, high = 1;
  if (const Statement* s = chance(i)) {
    const bool holds = static_cast<double>(bad(i)) < s->share * static_cast<double>(evaluations_);
    return holds ? 1 - share_error(bad(i), evaluations_, s->share) : 0;
  }
  if (const auto share = share_above(i, low, high)) {
    const double limit = -low / (high - low);
    const auto seen = std::llround(*share * static_cast<double>(evaluations_));
    return *share < limit ? 1 - share_error(seen, evaluations_, std::min(limit, 1.0)) : 0;
  }
  const Estimate e = estimate(i);
  return e.mean < 0 && e.se > 0 ? 1 - sequence_.error_at(evaluations_, e.mean / e.se) : 0;
}

double probability_nonpositive(const Estimate& e, std::int64_t evaluations) {
  if (evaluations < 2 || std::isnan(e.se) || std::isnan(e.mean)) return std::nan("");
  if (e.se == 0) return e.mean <= 0 ? 1 : 0;
  const double errors = std::clamp(-e.mean / e.se, -1e100, 1e100);  // of huge means over tiny errors: infinite
  return boost::math::cdf(boost::math::students_t(static_cast<double>(evaluations - 1)), errors);
}

}  // namespace zeroth
