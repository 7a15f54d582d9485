// SPDX-License-Identifier: MIT
#include "zeroth/model/noisy_surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "zeroth/model/fit.hpp"

namespace zeroth {
namespace {

FitBounds bounds() {
  FitBounds b;
  b.length_lower = 0.02;
  b.length_upper = 50;
  b.amplitude_lower = 1e-3;
  b.amplitude_upper = 1e4;
  b.noise_lower = 1e-9;
  b.noise_upper = 4;
  return b;
}

constexpr double mixing_sd = 0.5;
constexpr int sweeps = 10;  // of slice sampling per fit

// Three or four lengths under a wide prior: the maximum overfits noisy looks. Two are few enough, and beyond four the
// prior is narrow; there the mean did no better than the maximum and takes five times as long.
bool maximum_overfits(Index dimension) { return dimension > 2 && thinness(dimension) == 1; }

double typical_log_length(Index dimension) { return 0.5 * std::log(static_cast<double>(dimension)) - std::log(2.0); }

LogPrior prior(Index dimension) {
  const double log_length = typical_log_length(dimension);
  const double length_sd = 1.5 * thinness(dimension);
  return [log_length, length_sd, dimension](const Vector& packed, Vector* gradient) {
    double value = 0;
    for (Index k = 0; k < packed.size(); ++k) {
      const Index from_end = packed.size() - k;
      const bool mixes = k >= dimension && from_end > 2;
      const double mean = from_end == 1 ? -7 : from_end == 2 || mixes ? 0 : log_length;
      const double sd = from_end == 1 ? 4 : from_end == 2 ? 2 : mixes ? mixing_sd : length_sd;
      const double z = (packed[k] - mean) / sd;
      value -= 0.5 * z * z;
      if (gradient) (*gradient)[k] -= z / sd;
    }
    return value;
  };
}

}  // namespace

double thinness(Index dimension) { return std::min(1.0, 2 / std::sqrt(static_cast<double>(dimension))); }

void NoisySurrogate::add(const Eigen::Ref<const Vector>& unit, double value) { looks_.add(unit, value); }

void NoisySurrogate::choose_compression() {
  if (role_ != Role::objective) return;
  std::vector<double> sorted(looks_.values.begin(), looks_.values.end());
  std::ranges::sort(sorted);
  // The reach never shrinks: late looks crowd around the optimum, and their spread is no measure of the surface. What
  // it once was to be bad would otherwise become a cliff around the optimum, and the model leap over it to nowhere.
  const double good = sorted[sorted.size() / 10];
  reach_ = std::max(reach_, sorted[sorted.size() / 2] - good);
  bad_ = good + 2 * thinness(looks_.points.rows()) * reach_;
}

Vector NoisySurrogate::compressed() const {
  if (!(reach_ > 0)) return looks_.values;
  return looks_.values.unaryExpr(
      [&](double y) { return y <= bad_ ? y : bad_ + reach_ * std::log1p((y - bad_) / reach_); });
}

Looks NoisySurrogate::standardised() const {
  Looks s = looks_;
  s.values = (compressed().array() - shift_) / scale_;
  // By the means of the model before this one: the profile is a rough thing, and a new look moves them little.
  if (!profile_.constant()) s.spread = profile_.at(looks_.points, standardised_means(looks_.points));
  return s;
}

double NoisySurrogate::noise_variance_at(const Eigen::Ref<const Vector>& unit) const {
  return profile_.constant() ? noise_ : noise_ * profile_.at(unit, standardised_means(unit))[0];
}

void NoisySurrogate::learn_noise_profile() {
  const bool was_constant = profile_.constant();
  profile_.learn(gp_, noise_, standardised_means(looks_.points));
  if (!was_constant || !profile_.constant()) rebuild();
}

void NoisySurrogate::fit() {
  choose_compression();
  const Vector values = compressed();
  shift_ = values.mean();
  const double variance = (values.array() - shift_).square().mean();
  scale_ = variance > 0 ? std::sqrt(variance) : 1;
  const Looks s = standardised();
  const Index d = looks_.points.rows();
  const int evaluations = fits_ == 0 ? 80 : 40;
  const auto attempt = [&](Kernel::Form form, double length, double log_noise) {
    const Hyperparameters start{Vector::Constant(d, std::log(length)), 0, log_noise};
    return zeroth::fit(form, Trend::constant, s, start, bounds(), prior(d), evaluations);
  };
  // Smooth first: from a long and from a short length, with much and with little noise; then what was best so far.
  const double length = 0.5 * std::sqrt(static_cast<double>(d));
  Fit best{};
  best.log_posterior = -1e300;
  for (const Kernel::Form form : {Kernel::Form::squared_exponential, Kernel::Form::matern52}) {
    const auto offer = [&](const Fit& f) {
      if (f.log_posterior > best.log_posterior) {
        best = f;
        form_ = form;
      }
    };
    if (fits_ % 4 == 0) {
      offer(attempt(form, length, -3));
      offer(attempt(form, 0.4 * length, -10));
    } else {
      offer(zeroth::fit(form, Trend::constant, s, hyperparameters_, bounds(), prior(d), evaluations));
    }
  }
  const bool mixed_before = hyperparameters_.mixing.size() > 0;
  const auto mixed = [&](Hyperparameters from) {
    if (from.mixing.size() == 0) from.mixing = Vector::Zero(d * (d - 1) / 2);
    const Fit f = zeroth::fit(form_, Trend::constant, s, from, bounds(), prior(d), evaluations);
    if (f.log_posterior > best.log_posterior) best = f;
  };
  // Not before there are more looks than things to learn from them.
  const bool enough = s.size() >= 2 * d + d * (d - 1) / 2;
  if (d > 1 && enough && (fits_ % 4 == 0 || !mixed_before)) {
    mixed(best.hyperparameters);
    if (mixed_before) mixed(hyperparameters_);
  }
  hyperparameters_ = best.hyperparameters;
  if (!exact() && maximum_overfits(d)) average(s);
  rebuild();
  if (!exact() && fits_ % 4 == 0) learn_noise_profile();
  ++fits_;
}

// The chain starts smooth and noisy, from where it comes to the looks' explanation by few wiggles before that by many.
void NoisySurrogate::average(const Looks& standardised) {
  const Index d = standardised.points.rows();
  Rng rng(derive_key(static_cast<std::uint64_t>(standardised.size()), static_cast<std::uint64_t>(fits_)));
  if (chain_.log_length.size() == 0) chain_ = {Vector::Constant(d, typical_log_length(d)), 0, -1};
  if (chain_.mixing.size() == 0) chain_.mixing = hyperparameters_.mixing;
  const int count = fits_ == 0 ? 3 * sweeps : sweeps;
  hyperparameters_ = posterior_mean(form_, Trend::constant, standardised, chain_, bounds(), prior(d), count, rng);
}

void NoisySurrogate::rebuild() {
  Looks s = standardised();
  const Gp unit = make_gp(form_, Trend::constant, s, hyperparameters_);
  Kernel kernel = unit.kernel();
  kernel.amplitude *= scale_ * scale_;
  noise_ = std::exp(hyperparameters_.log_noise) * scale_ * scale_;
  gp_ = Gp(kernel, shift_ + scale_ * unit.mean(), looks_.points, compressed(), Vector(unit.noise() * scale_ * scale_));
}

}  // namespace zeroth
