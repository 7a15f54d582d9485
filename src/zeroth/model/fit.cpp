// SPDX-License-Identifier: MIT
#include "zeroth/model/fit.hpp"

#include <cmath>

namespace zeroth {

Fit fit(Kernel::Form form, Trend trend, const Looks& looks, const Hyperparameters& start, const FitBounds& bounds,
        const LogPrior& prior, int max_evaluations) {
  const Index lengths = start.log_length.size(), mixing = start.mixing.size();
  Vector lower = Vector::Constant(lengths + mixing + 2, -bounds.mixing), upper = -lower;
  lower.head(lengths).setConstant(std::log(bounds.length_lower));
  upper.head(lengths).setConstant(std::log(bounds.length_upper));
  lower.tail(2) << std::log(bounds.amplitude_lower), std::log(bounds.noise_lower);
  upper.tail(2) << std::log(bounds.amplitude_upper), std::log(bounds.noise_upper);
  const Differentiable posterior = [&](const Vector& packed, Vector* gradient) {
    double value = log_likelihood(form, trend, looks, Hyperparameters::unpacked(packed, lengths), gradient);
    if (prior) value += prior(packed, gradient);
    return value;
  };
  const Maximum best = maximize_lbfgs(posterior, start.packed(), lower, upper, max_evaluations, 1e-6);
  return {Hyperparameters::unpacked(best.x, lengths), best.value};
}

Vector fit_scale_free(const Looks& looks, Vector start, double nugget, const ScaleFreePrior& prior,
                      double relative_tolerance) {
  const double low = 0.01 * std::sqrt(2.0), high = 10 * std::sqrt(2.0);
  for (Index k = 0; k < start.size(); ++k) {
    if (start[k] <= low) start[k] = 10 * low;
    if (start[k] >= high) start[k] = high / 10;
  }
  // The search runs over log d, which is better scaled; the maximum is the same.
  const Differentiable posterior = [&](const Vector& log_d, Vector* gradient) {
    const Vector d = log_d.array().exp();
    const double value = scale_free_log_posterior(looks, d, nugget, prior, gradient);
    if (gradient) gradient->array() *= d.array();
    return value;
  };
  const Vector bound = Vector::Ones(start.size());
  const Maximum best = maximize_lbfgs(posterior, start.array().log(), std::log(low) * bound, std::log(high) * bound,
                                      100, relative_tolerance);
  return best.x.array().exp();
}

double fit_nugget(const Looks& looks, const Vector& d, const ScaleFreePrior& prior, double start) {
  const auto posterior = [&](const Vector& log_nugget) {
    return scale_free_log_posterior(looks, d, std::exp(log_nugget[0]), prior, nullptr);
  };
  const Vector one = Vector::Ones(1);
  const Maximum best = maximize_derivative_free(posterior, std::log(start) * one, std::log(1e-8) * one,
                                                std::log(10.0) * one, 1, 40, 0.02);
  return std::exp(best.x[0]);
}

}  // namespace zeroth
