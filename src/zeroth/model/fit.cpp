// SPDX-License-Identifier: MIT
#include "zeroth/model/fit.hpp"

#include <cmath>
#include <limits>

#include "zeroth/model/slice_sampling.hpp"

namespace zeroth {
namespace {

struct PackedBounds {
  Vector lower, upper;
};

PackedBounds packed(const FitBounds& bounds, const Hyperparameters& like) {
  const Index lengths = like.log_length.size(), mixing = like.mixing.size();
  Vector lower = Vector::Constant(lengths + mixing + 2, -bounds.mixing), upper = -lower;
  lower.head(lengths).setConstant(std::log(bounds.length_lower));
  upper.head(lengths).setConstant(std::log(bounds.length_upper));
  lower.tail(2) << std::log(bounds.amplitude_lower), std::log(bounds.noise_lower);
  upper.tail(2) << std::log(bounds.amplitude_upper), std::log(bounds.noise_upper);
  return {lower, upper};
}

Differentiable log_posterior(Kernel::Form form, Trend trend, const Evaluations& evaluations, const LogPrior& prior,
                             Index lengths) {
  return [form, trend, &evaluations, &prior, lengths](const Vector& packed, Vector* gradient) {
    double value = log_likelihood(form, trend, evaluations, Hyperparameters::unpacked(packed, lengths), gradient);
    if (prior) value += prior(packed, gradient);
    return value;
  };
}

}  // namespace

Fit fit(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& start,
        const FitBounds& bounds, const LogPrior& prior, int max_evaluations) {
  const Index lengths = start.log_length.size();
  const auto [lower, upper] = packed(bounds, start);
  const Maximum best = maximize_lbfgs(log_posterior(form, trend, evaluations, prior, lengths), start.packed(), lower,
                                      upper, max_evaluations, 1e-6);
  return {Hyperparameters::unpacked(best.x, lengths), best.value};
}

Hyperparameters posterior_mean(Kernel::Form form, Trend trend, const Evaluations& evaluations, Hyperparameters& chain,
                               const FitBounds& bounds, const LogPrior& prior, int sweeps, Rng& rng) {
  const Index lengths = chain.log_length.size();
  const PackedBounds box = packed(bounds, chain);
  const Differentiable posterior = log_posterior(form, trend, evaluations, prior, lengths);
  const auto density = [&](const Vector& x) {
    const bool within = (x.array() >= box.lower.array()).all() && (x.array() <= box.upper.array()).all();
    return within ? posterior(x, nullptr) : -std::numeric_limits<double>::infinity();
  };
  Vector x = chain.packed(), sum = Vector::Zero(x.size());
  double at = density(x), noise = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    at = slice_sweep(density, x, at, 1, rng);
    sum += x;
    noise += std::exp(x[x.size() - 1]);
  }
  chain = Hyperparameters::unpacked(x, lengths);
  Hyperparameters mean = Hyperparameters::unpacked(sum / sweeps, lengths);
  mean.log_noise = std::log(noise / sweeps);
  return mean;
}

Vector fit_scale_free(const Evaluations& evaluations, Vector start, double nugget, const ScaleFreePrior& prior,
                      double relative_tolerance) {
  const double low = 0.01 * std::sqrt(2.0), high = 10 * std::sqrt(2.0);
  for (Index k = 0; k < start.size(); ++k) {
    if (start[k] <= low) start[k] = 10 * low;
    if (start[k] >= high) start[k] = high / 10;
  }
  // The search runs over log d, which is better scaled; the maximum is the same.
  const Differentiable posterior = [&](const Vector& log_d, Vector* gradient) {
    const Vector d = log_d.array().exp();
    const double value = scale_free_log_posterior(evaluations, d, nugget, prior, gradient);
    if (gradient) gradient->array() *= d.array();
    return value;
  };
  const Vector bound = Vector::Ones(start.size());
  const Maximum best = maximize_lbfgs(posterior, start.array().log(), std::log(low) * bound, std::log(high) * bound,
                                      100, relative_tolerance);
  return best.x.array().exp();
}

double fit_nugget(const Evaluations& evaluations, const Vector& d, const ScaleFreePrior& prior, double start) {
  const auto posterior = [&](const Vector& log_nugget) {
    return scale_free_log_posterior(evaluations, d, std::exp(log_nugget[0]), prior, nullptr);
  };
  const Vector one = Vector::Ones(1);
  const Maximum best = maximize_derivative_free(posterior, std::log(start) * one, std::log(1e-8) * one,
                                                std::log(10.0) * one, 1, 40, 0.02);
  return std::exp(best.x[0]);
}

}  // namespace zeroth
