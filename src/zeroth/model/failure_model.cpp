// SPDX-License-Identifier: MIT
#include "zeroth/model/failure_model.hpp"

#include <cmath>

#include "zeroth/model/acquisition.hpp"
#include "zeroth/model/fit.hpp"

namespace zeroth {

void FailureModel::record(const Eigen::Ref<const Vector>& unit, bool failed) {
  const Index n = marks_.size();
  points_.conservativeResize(unit.size(), n + 1);
  points_.col(n) = unit;
  marks_.conservativeResize(n + 1);
  marks_[n] = failed ? 1 : -1;
  failures_ += failed;
}

void FailureModel::refit() {
  if (!any() || gp_.size() == marks_.size()) return;
  const Evaluations evaluations{points_, marks_, {}};
  FitBounds bounds;
  // Marks of +-1 close to an edge look like noise to a short length, which then knows nothing a step away: regions that
  // fail are taken to be at least this large.
  bounds.length_lower = 0.2 * std::sqrt(static_cast<double>(points_.rows()));
  bounds.length_upper = 10;
  bounds.amplitude_lower = 0.01;
  bounds.amplitude_upper = 10;
  bounds.noise_lower = 0.01;
  bounds.noise_upper = 2;
  const Hyperparameters start{Vector::Constant(1, std::log(0.5 * std::sqrt(static_cast<double>(points_.rows())))), 0,
                              std::log(0.1)};
  const Fit best = fit(Kernel::Form::matern52, Trend::constant, evaluations, start, bounds, {}, 30);
  gp_ = make_gp(Kernel::Form::matern52, Trend::constant, evaluations, best.hyperparameters);
}

double FailureModel::probability_answered(const Eigen::Ref<const Vector>& unit) const {
  return any() ? probability_nonpositive(gp_.at(unit)) : 1;
}

Vector FailureModel::probabilities_answered(const Matrix& units) const {
  if (!any()) return Vector::Ones(units.cols());
  Vector mean, variance;
  gp_.at_all(units, mean, variance);
  for (Index i = 0; i < mean.size(); ++i) mean[i] = probability_nonpositive(Prediction{mean[i], variance[i]});
  return mean;
}

}  // namespace zeroth
