// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/core/statistics/running_moments.hpp"
#include "zeroth/model/sites.hpp"

namespace zeroth {

// Fresh evaluations of two recommendations side by side, under the same keys.
class Comparison {
 public:
  Comparison(const Spec& spec, Vector ours, Vector theirs);

  const Vector& ours() const { return ours_.unit; }
  const Vector& theirs() const { return theirs_.unit; }
  void add(const Answer& at_ours, const Answer& at_theirs);

  // How much better ours is, in standard errors of the objective where both are as likely to be feasible; otherwise the
  // likelier one is better by `clearly`. `model` is what else is known; `scale`: the largest values seen.
  double lead(const Incumbent& model, const Vector& scale) const;
  static constexpr double clearly = 10;

 private:
  const Spec& spec_;
  Site ours_, theirs_;     // `unit` holds the point itself
  RunningMoments paired_;  // objectives under the same noise: theirs less ours
};

}  // namespace zeroth
