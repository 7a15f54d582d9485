// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/failure_model.hpp"
#include "zeroth/model/likelihood.hpp"

namespace zeroth {

// What ALBO and Slack-AL share (Gramacy et al. 2016; Picheny et al. 2016): the options, one scale-free Gaussian process
// per function, the data, the start of the penalty.
struct AlOptions {
  std::int64_t start = 10;
  std::int64_t candidates = 1000;
  std::int64_t refit_every = 10;
  double rho = 0;
  double nugget = 1e-6;
  std::string noise = "own";
  double equality_tolerance = 0.01;
};

inline OptionList options_of(AlOptions& o) {
  return {{"start", o.start, "points of the initial design", Range{.lower = 2}},
          {"candidates", o.candidates,
           "random candidates per step; 0: as many as there are evaluations, as laGP has it", nonnegative},
          {"refit_every", o.refit_every, "evaluations between two fits of the length scales", at_least_one},
          {"rho", o.rho, "first penalty parameter; 0: from the initial design", nonnegative},
          {"nugget", o.nugget, "noise variance relative to the scale, when noise = own", positive},
          {"noise", o.noise,
           "own: interpolate with the fixed nugget and trust single evaluations, as published; estimated: fit the "
           "nugget, and "
           "rank data by posterior means",
           Choices{{"own", "estimated"}}},
          {"equality_tolerance", o.equality_tolerance, "an equality holds within this", positive}};
}

class AlSurrogates {
 public:
  AlSurrogates(const Spec& spec, const AlOptions& options) : options_(options), spec_(spec) {}

  void add(const Vector& unit, const Answer& answer);  // between fits: a rank-one update of every model
  void fit();                                          // normalise, MAP of the length scales, rebuild

  Index size() const { return f_.size(); }
  const Matrix& points() const { return points_; }
  // The data as the rules below see them: evaluations, or posterior means there if noise is estimated.
  double f(Index i) const { return f_[i]; }
  Vector c(Index i) const { return c_.col(i); }
  bool valid(Index i) const;
  std::optional<Index> best_valid() const;
  Index best() const;  // the best valid one, or the least violated

  // Posterior of all functions, in real units; the variance includes the nugget, as its authors have it.
  std::vector<BeliefAt> beliefs(const Matrix& units) const;
  BeliefAt belief(const Eigen::Ref<const Vector>& unit) const;

  // min over invalid i of sum_j max(0, c_j)^2 / (2 |f_m|), f_m the smallest valid f among the first ten, or their
  // median; 1/2 if nothing is invalid. |f_m| is not let fall below a tenth of the range of these ten: near zero it
  // would switch the penalty off.
  double automatic_rho() const;

 private:
  void smooth();
  Vector spread_of(Index function) const;

  AlOptions options_;
  Spec spec_;
  Matrix points_, evaluations_;  // one column per evaluation
  Matrix stated_;                // their standard errors, NaN where nobody stated them
  Vector f_;
  Matrix c_;
  Vector norm_;
  std::vector<Vector> d_;
  std::vector<double> nugget_;
  std::vector<Gp> gps_;
};

// lambda and rho are updated before every evaluation. While no point is valid: lambda = 0 and rho follows
// automatic_rho(), by a factor between 1/2 and 0.9. Returns whether there is a valid point, that is, whether the rule
// proper applies.
bool update_without_valid_point(const AlSurrogates& data, AugmentedLagrangian& al);

}  // namespace zeroth
