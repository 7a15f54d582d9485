// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/model/gp.hpp"

namespace zeroth {

// Evaluations of one function; points are columns. `spread` scales the noise variance evaluation by evaluation (all 1
// when empty).
struct Evaluations {
  Matrix points;
  Vector values;
  Vector spread;

  Index size() const { return values.size(); }
  void add(const Eigen::Ref<const Vector>& x, double value);
  Vector spreads() const { return spread.size() == size() ? spread : Vector::Ones(size()); }
};

// What evaluators state of their own errors as `spread`: squares of standard errors over their mean, so that how large
// the noise is stays to be estimated and how it is distributed among the evaluations is taken from them. NaN: nothing
// was stated, which counts as the mean. Empty if nobody stated anything, or all stated that there is no error.
Vector spread_of_stated(const Vector& standard_errors);

// log p(y | lengths, amplitude, noise) of y ~ N(mean 1, amplitude R + noise diag(spread)), R the correlations.
// The mean is fixed at zero or integrated out by its maximum (generalised least squares).
struct Hyperparameters {
  Vector log_length;  // one per coordinate, or a single one
  double log_amplitude = 0;
  double log_noise = -4;
  Vector mixing = {};  // above the diagonal of Kernel::mixing, row by row; empty: none

  Vector packed() const;  // lengths, mixing, amplitude, noise
  static Hyperparameters unpacked(const Vector& packed, Index lengths);
};

enum class Trend { zero, constant };

// Value and, unless null, gradient by the packed hyperparameters; exact (checked against finite differences in the
// tests).
double log_likelihood(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& h,
                      Vector* gradient);

Gp make_gp(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& h);

// The form that the augmented-Lagrangian papers use: k = exp(-sum (x_k - x'_k)^2 / d_k), K = k + nugget I, the scale
// tau^2 integrated out under its reference prior 1/tau^2, and Gamma(shape, rate) priors on every d_k:
//   l(d) = -1/2 [ n log(phi/2) + log|K| ] + sum_k log Gamma(d_k; shape, rate),  phi = z'K^-1 z.
struct ScaleFreePrior {
  double shape = 1.5, rate = 8;
};
double scale_free_log_posterior(const Evaluations& evaluations, const Vector& d, double nugget,
                                const ScaleFreePrior& prior, Vector* gradient);
// Mean k'K^-1 z and scale^2 (phi/n)(1 + nugget - k'K^-1 k): a Gp whose amplitude is phi/n.
Gp scale_free_gp(const Evaluations& evaluations, const Vector& d, double nugget);

}  // namespace zeroth
