// SPDX-License-Identifier: MIT
#pragma once

#include <span>

namespace zeroth {

struct Moments {
  double mean = 0, se = 0;  // standard error of the mean
};
Moments moments(std::span<const double> sample);

// Least squares of y on x with the 95 % interval of the slope (Student's t).
struct Line {
  double slope = 0, intercept = 0, lower = 0, upper = 0;
};
Line fit_line(std::span<const double> x, std::span<const double> y);

// Probability of at least `better` successes of better + worse fair coins.
double sign_test(int better, int worse);

}  // namespace zeroth
