// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "zeroth/model/likelihood.hpp"
#include "zeroth/model/noise_profile.hpp"

namespace zeroth {

// How far a look reaches in many dimensions: 1 up to four, then 2/sqrt(d). A hundred looks fill a square and are next
// to nothing in ten dimensions; what may be read off them, and how far the model is to be believed, shrinks with this.
double thinness(Index dimension);

// One output of a noisy black box: a Gaussian process whose smoothness (squared exponential or Matern 5/2), length
// scales, amplitude and noise are inferred together by maximum a posteriori, and of three or four variables under noise
// by the posterior mean, since there the maximum is drawn to short lengths and too little noise. Priors on the
// logarithms, for standardised values and the unit cube: length N(log(sqrt(d)/2), 1.5^2), amplitude N(0, 2^2), noise
// variance N(-7, 4^2); weak enough for an exact function and for one that is mostly noise. The 1.5 is times the
// thinness: a maximum over many free lengths fits a few dozen looks perfectly, by lengths that the next look throws
// over. Once there are looks enough, so is a mixing of the coordinates (Kernel::mixing, entries N(0, 0.5^2)). The noise
// may depend on where one looks (noise_profile.hpp).
//
// Of an objective, looks that are worse than good ones (the best tenth) by more than twice the reach (times the
// thinness: in many dimensions most of the box is bad) are compressed by a logarithm; the reach is the largest distance
// from good ones to the median there has been. How bad a bad point is says nothing about the optimum, but a cliff of a
// hundred times the differences that matter takes the length scales with it.
class NoisySurrogate {
 public:
  enum class Role { objective, constraint };
  explicit NoisySurrogate(Role role = Role::constraint) : role_(role) {}

  void add(const Eigen::Ref<const Vector>& unit, double value);
  void fit();      // new hyperparameters from all looks
  void rebuild();  // the old ones with all looks

  Index size() const { return looks_.size(); }
  const Looks& looks() const { return looks_; }
  const Gp& gp() const { return gp_; }                                   // in real units
  double noise_variance_at(const Eigen::Ref<const Vector>& unit) const;  // of a single look
  // No sign of noise: single looks may be taken at their word.
  bool exact() const { return hyperparameters_.log_noise < std::log(exact_noise); }
  Kernel::Form form() const { return form_; }

 private:
  static constexpr double exact_noise = 3e-7;

  void choose_compression();
  Vector compressed() const;
  Looks standardised() const;
  Vector standardised_means(const Matrix& points) const { return (gp_.means_at(points).array() - shift_) / scale_; }
  void average(const Looks& standardised);
  void learn_noise_profile();

  Role role_;
  Looks looks_;
  double bad_ = 0, reach_ = 0;  // of the compression: what is above, in units of the reach
  double shift_ = 0, scale_ = 1, noise_ = 0;
  Kernel::Form form_ = Kernel::Form::squared_exponential;
  Hyperparameters hyperparameters_, chain_;
  NoiseProfile profile_;
  Index fits_ = 0;
  Gp gp_;
};

}  // namespace zeroth
