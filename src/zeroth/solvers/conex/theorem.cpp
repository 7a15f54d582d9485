// SPDX-License-Identifier: MIT
#include "zeroth/solvers/conex/theorem.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

double square(double v) { return v * v; }

void check(const Constants& k) {
  const Index count = k.L.size();
  if (count == 0 || k.M.size() != count || k.sigma.size() != count || k.sigma_f.size() != count)
    throw Error("the constants L, M, sigma and sigma_f each need one entry per function, f_0 first");
  if (!(k.diameter > 0) || !std::isfinite(k.diameter) || !std::isfinite(k.radius))
    throw Error("Theorem 3.1 needs a bounded set X: its diameter and radius are infinite here");
}

// Lemma 4 bounds |y| by M_X; a bound on the multipliers is what its use needs (paper-notes in docs/theory.md).
double dual_radius(const Constants& k) { return std::max(k.radius, k.multiplier_bound + 1); }

}  // namespace

TheoremPlan plan_for_iterations(const Constants& k, Index dimension, double T) {
  check(k);
  const double n = static_cast<double>(dimension);
  const Index m = k.L.size() - 1;
  const double M_f = k.M.tail(m).norm(), L_f = k.L.tail(m).norm();
  const double D = k.diameter, M_X = dual_radius(k), y = k.multiplier_bound;
  const double root_T = std::sqrt(T), m_or_1 = static_cast<double>(std::max<Index>(m, 1));

  TheoremPlan p;
  p.T = T;
  p.calls_per_iteration = 4.0 * static_cast<double>(m) + 2;
  p.step_offset = k.L[0] + L_f;
  p.H = L_f * D * y / 2;

  // (nunot) with L_0 in its last term, and (eq:nui); the largest radii allowed.
  p.nu.resize(m + 1);
  p.nu[0] =
      std::min({1 / std::sqrt(2 * k.L[0] * n * root_T), 2 / std::pow(n + 3, 1.5), 1 / (k.L[0] * std::pow(n + 6, 1.5))});
  for (Index i = 1; i <= m; ++i)
    p.nu[i] = std::min({2 / std::pow(n + 3, 1.5), 1 / (2 * k.M[i] * std::sqrt((n + 2) * m_or_1)),
                        1 / std::sqrt(k.L[i] * n * std::sqrt(m_or_1)),
                        1 / std::sqrt(2 * k.L[i] * n * M_X * std::sqrt(T * m_or_1)),
                        1 / (k.L[i] * std::pow(n + 6, 1.5) * std::sqrt(m_or_1))});

  // Lemma 2.1 and Lemma 2.2.
  p.sigma_nu.resize(m + 1);
  double sum_f_nu = 0, sum_bias = 0;
  for (Index i = 0; i <= m; ++i) {
    const double nu = p.nu[i], L = k.L[i], M = k.M[i];
    const double B = 0.5 * nu * L * std::pow(n + 3, 1.5) + L * D + M;
    p.sigma_nu[i] = std::sqrt(square(nu * L) * std::pow(n + 6, 3) + 10 * (n + 4) * (square(k.sigma[i]) + square(B)));
    if (i == 0) continue;
    sum_f_nu += 4 * (n + 2) * square(M * nu) + square(L * n * nu * nu) + 2 * square(k.sigma_f[i]);
    sum_bias += square(nu * nu * L);
  }
  p.sigma_f_nu = std::sqrt(sum_f_nu);
  p.bias = square(p.nu[0]) * k.L[0] * n + M_X * n * std::sqrt(sum_bias);

  const double sigma_0 = p.sigma_nu[0], sigma = p.sigma_nu.tail(m).norm();
  p.sigma_X_f = std::sqrt(sum_f_nu + square(D * sigma));
  const double S = square(p.H) + square(sigma_0) + 48 * square(sigma);

  // Theorem 3.1. In tau the proof needs max{2 M_f, .} where the statement has max{M_f, .}.
  p.eta = std::max(std::sqrt(2 * T * S) / D, 6 * std::max(2 * M_f, 4 * sigma) / D);
  p.tau = std::max(std::sqrt(96 * T) * p.sigma_X_f, 2 * D * std::max(2 * M_f, 4 * sigma));

  const double zeta_squared = 4 * square(std::numbers::e) *
                              (square(sigma_0) + square(sigma) * (14 * y * y + 75) +
                               2 * std::sqrt(3.0) * sigma * (2 * p.H + sigma_0 + std::sqrt(48.0) * sigma) +
                               std::sqrt(6.0) / D * sigma * p.bias * root_T);
  p.zeta = std::sqrt(zeta_squared);

  // (1.61) and (1.62); in the latter the smoothing bias undivided by sqrt(T), as in the proof.
  const double once_over_T = (k.L[0] + L_f) * D * D;
  const double steps = std::max(12 * M_f, 24 * sigma) * D;
  p.objective_bound =
      (once_over_T + steps) / T +
      (std::sqrt(2 * S) * D + std::sqrt(2.0) * zeta_squared * D / std::sqrt(S) + std::sqrt(1.5) * p.sigma_X_f) /
          root_T +
      p.bias;
  if (m > 0)
    p.violation_bound = ((12 * std::sqrt(6.0) * square(y + 1) + 13 / (4 * std::sqrt(6.0))) * p.sigma_X_f +
                         std::sqrt(2.0) * D * (std::sqrt(S) + (zeta_squared + square(p.H)) / std::sqrt(S))) /
                            root_T +
                        p.bias + (once_over_T + steps * (1 + square(y + 1))) / T;
  return p;
}

TheoremPlan plan_for_accuracy(const Constants& k, Index dimension, double epsilon) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) throw Error("epsilon must be a positive number");
  const auto reached = [&](double T) {
    const TheoremPlan p = plan_for_iterations(k, dimension, T);
    return std::max(p.objective_bound, p.violation_bound) <= epsilon;
  };
  double high = 1;
  while (!reached(high)) high *= 4;
  double low = high / 4;
  for (int i = 0; i < 60 && high - low >= 1; ++i) {
    const double middle = std::floor(0.5 * (low + high));
    (reached(middle) ? high : low) = middle;
  }
  return plan_for_iterations(k, dimension, std::ceil(high));
}

double iterations_of_the_proof(const Constants& k, Index dimension, double epsilon) {
  check(k);
  const double n = static_cast<double>(dimension);
  const Index m = k.L.size() - 1;
  const double M_f = k.M.tail(m).norm(), L_f = k.L.tail(m).norm();
  const double D = k.diameter, y = k.multiplier_bound, H = L_f * D * y / 2;
  const double sigma_f = k.sigma_f.tail(m).norm(), sigma = k.sigma.tail(m).norm();
  const double sigma_0_bar = std::sqrt(1 + 10 * (n + 4) * (square(k.sigma[0]) + square(k.L[0] * (1 + D) + k.M[0])));
  const double sigma_bar = std::sqrt(1 + 10 * (n + 4) * (square(sigma) + 2 * square(L_f * (1 + D)) + 2 * square(M_f)));
  const double sigma_X_f = std::sqrt(2 * (1 + square(sigma_f)) + square(D * sigma_bar));
  const double zeta_squared = 4 * square(std::numbers::e) *
                              (square(sigma_0_bar) + square(sigma_bar) * (14 * y * y + 75) +
                               2 * std::sqrt(3.0) * sigma_bar * (2 * H + sigma_0_bar + std::sqrt(48.0) * sigma_bar) +
                               std::sqrt(6.0) / D * sigma_bar);
  const double floor_squared = square(H) + square(k.sigma[0]) + 48 * square(sigma);
  if (!(floor_squared > 0)) return infinity;
  return std::max(
      {25 / square(epsilon),
       (5 * (k.L[0] + L_f) * D * D + 5 * std::max(12 * M_f, 24 * sigma_bar) * D * (1 + square(y + 1))) / epsilon,
       square(sigma_X_f / epsilon * (60 * std::sqrt(6.0) * square(y + 1) + 65 / (4 * std::sqrt(6.0)))),
       50 / square(epsilon) *
           square(D * std::sqrt(square(H) + square(sigma_0_bar) + 48 * square(sigma_bar)) +
                  D * (zeta_squared + square(H)) / std::sqrt(floor_squared))});
}

Constants regularized(const Constants& k, const Vector& mu) {
  Constants r = k;
  r.L += 2 * mu;
  // |grad W(x, x_{k-1})| <= sqrt(2) D_X and W <= D_X^2 for the Euclidean W.
  r.M += 2 * std::sqrt(2.0) * k.diameter * mu;
  r.sigma_f += 2 * square(k.diameter) * mu;
  return r;
}

NonconvexPlan plan_nonconvex(const Constants& k, Index dimension, const Vector& mu, double epsilon) {
  const Index m = k.L.size() - 1;
  const double mu_max = m > 0 ? mu.tail(m).maxCoeff() : 0;
  const double range = k.M[0] * std::sqrt(2.0) * k.diameter;  // f_0(x_0) - f_0* over X
  NonconvexPlan p;
  p.K = std::ceil(4 * square(mu[0] + k.multiplier_bound * mu_max) * range / (mu[0] * epsilon));
  p.inner = plan_for_accuracy(regularized(k, mu), dimension, epsilon);
  return p;
}

}  // namespace zeroth
