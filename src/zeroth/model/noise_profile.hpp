// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/model/gp.hpp"

namespace zeroth {

// Noise that depends on where one looks: the variance of a look at x, relative to the process's own noise, is
//   exp(w_0 + sum_k w_k (x_k - 1/2) + w_m m(x)),
// m the standardised posterior mean, because noise often grows with the value. Without weights it is 1 everywhere.
class NoiseProfile {
 public:
  bool constant() const { return weights_.size() == 0; }
  Vector at(const Matrix& points, const Vector& standardised_means) const;

  // Weights of largest posterior, w ~ N(0, 3^2), under the marginal likelihood of `gp` with everything else as it is.
  // They are kept only if the likelihood ratio against none at all is one that equal noise would show once in a
  // thousand times; `gp` may have been built with or without them.
  void learn(const Gp& gp, double noise_variance, const Vector& standardised_means);

 private:
  Vector weights_;
};

}  // namespace zeroth
