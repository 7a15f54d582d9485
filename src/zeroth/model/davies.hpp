// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace zeroth {

// Q = sum_j weight_j chi^2(degrees_j, noncentrality_j) + sd * N(0, 1)
struct ChiSquareTerm {
  double weight = 1;
  double noncentrality = 0;
  int degrees = 1;
};

// P(Q < at), by numerical inversion of the characteristic function with the error bounds of R. B. Davies, "The
// distribution of a linear combination of chi-squared random variables", Applied Statistics 29 (1980), algorithm AS
// 155. Throws an Error when `accuracy` would need more than `max_terms` terms.
double chi_square_mixture_cdf(const std::vector<ChiSquareTerm>& terms, double sd, double at, double accuracy = 1e-4,
                              int max_terms = 10000);

}  // namespace zeroth
