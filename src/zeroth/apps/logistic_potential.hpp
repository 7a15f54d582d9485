// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Minus the log posterior of a Bayesian logistic regression with prior N(0, s^2 I), up to a constant, for rows a_i =
// y_i x_i:
//   U(q) = sum_i log(1 + exp(-a_i'q)) + |q|^2 / (2 s^2),     grad U(q) = -sum_i a_i / (1 + exp(a_i'q)) + q / s^2.
//
// Two chains are evaluated at once: every number of the data that is loaded then serves two products, and the sweep
// over the rows is fused, so the data pass through the registers once for both products. U comes with the gradient: the
// factors 1 + exp(-|z|) are multiplied and only the products go through a logarithm.
class LogisticPotential {
 public:
  static constexpr Index most_parameters = 64;

  LogisticPotential(const Matrix& rows, double prior_variance);

  Index parameters() const { return parameters_; }

  // Columns 0 and 1 of q are the two positions.
  using Pair = Eigen::Matrix<double, Eigen::Dynamic, 2>;
  void evaluate(const Pair& q, Pair& gradient, std::array<double, 2>& value) const;

 private:
  Index parameters_, rows_;
  double prior_precision_;
  Index blocks_;
  // Block after block of observations, and in a block parameter after parameter. Aligned, so that the same instructions
  // run wherever it lies.
  Vector data_;
};

}  // namespace zeroth
