// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "zeroth/core/random.hpp"
#include "zeroth/model/likelihood.hpp"
#include "zeroth/model/maximize.hpp"

namespace zeroth {

// log of the prior density of the packed (logarithmic) hyperparameters, with its gradient added to what is there.
using LogPrior = std::function<double(const Vector& packed, Vector* gradient)>;

struct FitBounds {
  double length_lower = 1e-2, length_upper = 1e2;
  double amplitude_lower = 1e-6, amplitude_upper = 1e6;
  double noise_lower = 1e-10, noise_upper = 1e2;
  double mixing = 3;  // at most, either way
};

struct Fit {
  Hyperparameters hyperparameters;
  double log_posterior = 0;
};

// Hyperparameters that maximise the likelihood (ML-II) or, with a prior, the posterior (MAP), by L-BFGS from `start`.
Fit fit(Kernel::Form form, Trend trend, const Evaluations& evaluations, const Hyperparameters& start,
        const FitBounds& bounds, const LogPrior& prior, int max_evaluations);

// Posterior means within the bounds, of the noise variance and of the other packed hyperparameters (the noise's
// logarithm has a long tail towards nothing): `sweeps` of slice sampling from `chain`, which is left where it ends, to
// go on from when there are more evaluations. Where few evaluations fit many lengths the maximum is a narrow peak that
// another evaluation would move; the mean is not drawn to it.
Hyperparameters posterior_mean(Kernel::Form form, Trend trend, const Evaluations& evaluations, Hyperparameters& chain,
                               const FitBounds& bounds, const LogPrior& prior, int sweeps, Rng& rng);

// The scale-free form: MAP of the d_k in [0.01 sqrt2, 10 sqrt2] from `start`, as its authors do it: coordinates of the
// start outside the bounds are first brought back inside, by a factor 10 off the bound.
Vector fit_scale_free(const Evaluations& evaluations, Vector start, double nugget, const ScaleFreePrior& prior,
                      double relative_tolerance = 1e-10);

// The nugget, relative to the scale, that maximises the scale-free posterior given d; for noisy responses.
double fit_nugget(const Evaluations& evaluations, const Vector& d, const ScaleFreePrior& prior, double start);

}  // namespace zeroth
