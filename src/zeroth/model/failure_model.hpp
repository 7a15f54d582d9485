// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/model/gp.hpp"

namespace zeroth {

// Failed evaluations as a hidden constraint: a Gaussian process on +1 (failed) and -1 (answered) with a noise of its
// own, so that failures by chance do not fence off a region. Without failures every point has probability 1.
class FailureModel {
 public:
  void record(const Eigen::Ref<const Vector>& unit, bool failed);
  void refit();  // after records, before questions
  bool any() const { return failures_ > 0; }
  double probability_answered(const Eigen::Ref<const Vector>& unit) const;
  Vector probabilities_answered(const Matrix& units) const;
  const Gp& gp() const { return gp_; }

 private:
  Matrix points_;
  Vector marks_;
  Index failures_ = 0;
  Gp gp_;
};

}  // namespace zeroth
