// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

// Half the width of the 95 % interval of a mean with this standard error (Student's t; normal from fewer than 2 on).
double half_width_95(double se, std::int64_t sample_size);

// Two-sided p-value of "both samples have the same mean": Welch's test. NaN with fewer than two in either.
double welch_p_value(std::span<const double> a, std::span<const double> b);

// Holm's step-down adjustment: the p-values of a family, comparable with one level again. NaN stays NaN.
std::vector<double> holm(std::vector<double> p_values);

double median(std::vector<double> values);
// Interpolated between neighbours; infinity where one of them is.
double quantile(std::vector<double> values, double share);

}  // namespace zeroth
