// SPDX-License-Identifier: MIT
//
// A reference that the slack acquisition is compared with; no solver uses it.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "zeroth/core/error.hpp"

namespace zeroth {

// Q = sum_j weight_j chi^2(degrees_j, noncentrality_j) + sd * N(0, 1)
struct ChiSquareTerm {
  double weight = 1;
  double noncentrality = 0;
  int degrees = 1;
};

namespace davies {

using std::numbers::pi;

// The letters follow the paper: u is the variable of the characteristic function, tau^2 the variance of a normal
// "convergence factor" that damps it, U the point where the integral is cut off.
class Inversion {
 public:
  Inversion(const std::vector<ChiSquareTerm>& terms, double sd) : terms_(terms), variance_(sd * sd) {
    std::ranges::sort(terms_, [](const auto& a, const auto& b) { return std::abs(a.weight) > std::abs(b.weight); });
    double total_variance = variance_;
    for (const auto& t : terms_) {
      total_variance += t.weight * t.weight * (2 * t.degrees + 4 * t.noncentrality);
      mean_ += t.weight * (t.degrees + t.noncentrality);
      largest_ = std::max(largest_, t.weight);
      smallest_ = std::min(smallest_, t.weight);
    }
    sd_ = std::sqrt(total_variance);
  }

  double cdf(double at, double accuracy, double max_terms) {
    if (sd_ == 0) return at > 0 ? 1 : 0;
    double cut = cut_off(16 / sd_, 0.5 * accuracy);
    // Where the distribution is smooth a little extra normal noise changes nothing that matters and shortens the sum.
    if (at != 0 && std::max(largest_, -smallest_) > 0.07 * sd_) {
      if (const auto sensitivity = damping_error(at)) {
        const double tau2 = 0.25 * accuracy / *sensitivity;
        if (truncation_error(cut, tau2) < 0.2 * accuracy) {
          variance_ += tau2;
          cut = cut_off(cut, 0.25 * accuracy);
        }
      }
    }
    accuracy *= 0.5;
    double upper_slope = 4.5 / sd_, lower_slope = -4.5 / sd_;
    double sum = 0;
    for (;;) {
      const double above = tail_point(accuracy, upper_slope) - at;
      if (above < 0) return 1;
      const double below = at - tail_point(accuracy, lower_slope);
      if (below < 0) return 0;
      const double step = 2 * pi / std::max(above, below);
      const double needed = cut / step, coarse = 3 / std::sqrt(accuracy);
      if (needed > 1.5 * coarse) {
        // An auxiliary integral on a coarse grid pays for a larger convergence factor in the main one.
        const double terms = std::floor(coarse + 0.5), coarse_step = cut / terms, period = 2 * pi / coarse_step;
        if (coarse > max_terms) throw Error("the chi-square mixture needs more terms than allowed");
        if (period > std::abs(at)) {
          const auto left = damping_error(at - period), right = damping_error(at + period);
          if (left && right) {
            const double tau2 = 0.33 * accuracy / (1.1 * (*left + *right));
            accuracy *= 0.67;
            sum += integral(at, terms, coarse_step, tau2);
            max_terms -= coarse;
            variance_ += tau2;
            cut = cut_off(cut, 0.25 * accuracy);
            accuracy *= 0.75;
            continue;
          }
        }
      }
      if (needed > max_terms) throw Error("the chi-square mixture needs more terms than allowed");
      sum += integral(at, std::floor(needed + 0.5), step, 0);
      return std::clamp(0.5 - sum, 0.0, 1.0);
    }
  }

 private:
  // Chernoff: P(Q > x) <= bound for the x that u names; both from the cumulant generating function.
  double chernoff_bound(double u, double& x) const {
    x = u * variance_;
    double sum = u * x;
    for (const auto& t : terms_) {
      const double z = 2 * u * t.weight, y = 1 - z;
      x += t.weight * (t.noncentrality / y + t.degrees) / y;
      sum += t.noncentrality * (z / y) * (z / y) + t.degrees * (z * z / y + std::log1p(-z) + z);
    }
    return std::exp(-0.5 * sum);
  }

  // A point beyond which less than `mass` lies; to the right if slope > 0, else to the left. The slope is remembered.
  double tail_point(double mass, double& slope) const {
    const double pole = 2 * (slope > 0 ? largest_ : smallest_);
    double u1 = 0, u2 = slope, x1 = mean_, x2 = 0;
    while (chernoff_bound(u2 / (1 + u2 * pole), x2) > mass) {
      u1 = u2;
      x1 = x2;
      u2 *= 2;
    }
    while ((x1 - mean_) / (x2 - mean_) < 0.9) {
      const double u = 0.5 * (u1 + u2);
      double x = 0;
      if (chernoff_bound(u / (1 + u * pole), x) > mass) {
        u1 = u;
        x1 = x;
      } else {
        u2 = u;
        x2 = x;
      }
    }
    slope = u2;
    return x2;
  }

  double truncation_error(double u, double tau2) const {
    const double normal = (variance_ + tau2) * u * u;
    double shift = 0, common = 2 * normal, steep = 0, exact = 0, degrees = 0;
    for (const auto& t : terms_) {
      const double x = std::pow(2 * u * t.weight, 2);
      shift += t.noncentrality * x / (1 + x);
      if (x > 1) {
        steep += t.degrees * std::log(x);
        exact += t.degrees * std::log1p(x);
        degrees += t.degrees;
      } else {
        common += t.degrees * std::log1p(x);
      }
    }
    const double power_bound = std::exp(-0.5 * shift - 0.25 * (steep + common)) / pi;
    const double value = std::exp(-0.5 * shift - 0.25 * (exact + common)) / pi;
    double error = degrees == 0 ? 1 : 2 * power_bound / degrees;
    if (exact + common > 1) error = std::min(error, 2.5 * value);
    if (0.5 * normal > value) error = std::min(error, value / (0.5 * normal));
    return error;
  }

  // A small U whose truncation error is below `accuracy`.
  double cut_off(double u, double accuracy) const {
    if (truncation_error(0.25 * u, 0) > accuracy) {
      while (truncation_error(u, 0) > accuracy) u *= 4;
    } else {
      u *= 0.25;
      while (truncation_error(0.25 * u, 0) <= accuracy) u *= 0.25;
    }
    for (const double divisor : {2.0, 1.4, 1.2, 1.1})
      if (truncation_error(u / divisor, 0) <= accuracy) u /= divisor;
    return u;
  }

  // Coefficient of tau^2 in the error at `at` that a convergence factor causes; nothing if the bound is useless.
  std::optional<double> damping_error(double at) const {
    constexpr double log2_over_8 = 0.0866433975699931636772;
    double distance = std::abs(at), exponent = 0;
    for (std::size_t j = terms_.size(); j-- > 0;) {
      if (!(terms_[j].weight * at > 0)) continue;
      const double weight = std::abs(terms_[j].weight);
      const double beyond = distance - weight * (terms_[j].degrees + terms_[j].noncentrality);
      const double scale = weight / log2_over_8;
      if (beyond > scale) {
        distance = beyond;
        continue;
      }
      distance = std::min(distance, scale);
      exponent = (distance - beyond) / weight;
      for (std::size_t k = 0; k < j; ++k) exponent += terms_[k].degrees + terms_[k].noncentrality;
      break;
    }
    if (exponent > 100) return std::nullopt;
    return std::pow(2.0, 0.25 * exponent) / (pi * distance * distance);
  }

  double integral(double at, double last, double step, double tau2) const {
    double sum = 0;
    for (double k = last; k >= 0; --k) {
      const double u = (k + 0.5) * step;
      double phase = -2 * u * at, log_modulus = -0.5 * variance_ * u * u;
      for (const auto& t : terms_) {
        const double x = 2 * t.weight * u, y = x * x;
        const double shift = t.noncentrality * x / (1 + y);
        phase += t.degrees * std::atan(x) + shift;
        log_modulus -= 0.25 * t.degrees * std::log1p(y) + 0.5 * x * shift;
      }
      double term = step / pi * std::exp(log_modulus) / u;
      if (tau2 > 0) term *= -std::expm1(-0.5 * tau2 * u * u);
      sum += term * std::sin(0.5 * phase);
    }
    return sum;
  }

  std::vector<ChiSquareTerm> terms_;
  double variance_, mean_ = 0, sd_ = 0, largest_ = 0, smallest_ = 0;
};

}  // namespace davies

// P(Q < at), by numerical inversion of the characteristic function with the error bounds of R. B. Davies, "The
// distribution of a linear combination of chi-squared random variables", Applied Statistics 29 (1980), algorithm AS
// 155. Throws an Error when `accuracy` would need more than `max_terms` terms.
inline double chi_square_mixture_cdf(const std::vector<ChiSquareTerm>& terms, double sd, double at,
                                     double accuracy = 1e-4, int max_terms = 10000) {
  return davies::Inversion(terms, sd).cdf(at, accuracy, max_terms);
}

}  // namespace zeroth
