// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "zeroth/model/likelihood.hpp"
#include "zeroth/solvers/pesc/pair_distances.hpp"

namespace zeroth {

// log p(lengths, amplitude, log nu | evaluations) up to a constant, for PESC's zero-mean Matern-5/2 process with noise
// variance nu. Priors: length/5 ~ Beta(1.5, 7); amplitude ~ N(1, 1) above zero; nu in (0, 1) with the horseshoe log p =
// log log(1 + 3 (0.1/nu)^2). It remembers what the slice sampler, which changes one entry at a time, asks again.
class PescPosterior {
 public:
  PescPosterior(const Evaluations& evaluations, bool noisy);

  double operator()(const Vector& state);  // lengths, amplitude, log nu

 private:
  double log_prior(const Vector& state);
  Matrix covariance(const Vector& state);

  const Evaluations& evaluations_;
  bool noisy_;
  Vector known_lengths_, length_terms_;     // of the prior
  std::optional<PairDistances> distances_;  // where there are many coordinates
};

}  // namespace zeroth
