// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/run/checked_point.hpp"

namespace zeroth {

// Whole evaluations as they were measured, as long as they fit into some megabytes; none where variables are many.
class EvaluationLog {
 public:
  void add(std::span<const double> x, std::uint64_t noise_key, std::span<const double> measured);
  std::size_t size() const { return keys_.size(); }
  std::span<const double> x(std::size_t k) const { return {numbers_.data() + k * stride(), dimension_}; }
  std::span<const double> values(std::size_t k) const {
    return {numbers_.data() + k * stride() + dimension_, functions_};
  }
  std::uint64_t key(std::size_t k) const { return keys_[k]; }

 private:
  std::size_t stride() const { return dimension_ + functions_; }
  std::size_t dimension_ = 0, functions_ = 0;
  std::vector<double> numbers_;
  std::vector<std::uint64_t> keys_;
};

struct ShadowPrice {
  Estimate value;     // NaN: not known
  Interval interval;  // 95 %
};

// What relaxing each limit by one of its own units is worth at x: of a mean or a CVaR one of its value, of a
// probability one of probability, of a quantile one of the value whose quantile it is.
//
// All evaluations around x say how the objective and the limits change there: local regressions by quadratics, of the
// middle and of the spread of a value whose quantile or tail is limited, of counts with a logistic link, over the
// widest surroundings that agree with narrower ones (O. V. Lepski, Theory Probab. Appl. 35, 1990). Prices balance these
// slopes over the real variables off their bounds, by least squares; their errors are those of the slopes, evaluations
// under one key counted as one. Nothing is said (NaN) where evaluations are too few or slopes too uncertain, or where
// slopes do not decide: at a corner, of a chance without noise.
std::vector<ShadowPrice> shadow_prices(const Spec& spec, const CheckedPoint& checked, const EvaluatedPoints& points,
                                       const EvaluationLog& log, const Vector& x);

}  // namespace zeroth
