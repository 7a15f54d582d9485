// SPDX-License-Identifier: MIT
//
// Gelman and Rubin (1992), Statistical Science 7; Brooks and Gelman (1998), JCGS 7; the formulas of coda's gelman.diag
// with autoburnin = FALSE, since burn-in is the caller's affair here:
//   V = (n-1)/n W + (1 + 1/m) B/n,       d = 2 V^2 / var(V),
//   var V = [(n-1)^2 var W + (1 + 1/m)^2 var B + 2 (n-1)(1 + 1/m) cov(W, B)] / n^2,
//   var W = var(s^2)/m,  var B = 2 B^2/(m-1),  cov(W, B) = (n/m) [cov(s^2, mean^2) - 2 mu cov(s^2, mean)].
#include <Eigen/Eigenvalues>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>

#include "zeroth/apps/mcmc/diagnostics.hpp"
#include "zeroth/apps/mcmc/spectrum.hpp"

namespace zeroth::mcmc {
namespace {

struct Chains {
  double m, n;
  Vector means, variances;  // per chain; means relative to the first chain's, so that a large offset costs no digits
  double W, B;
};

double covariance(const Vector& a, const Vector& b) {
  return ((a.array() - a.mean()) * (b.array() - b.mean())).sum() / static_cast<double>(a.size() - 1);
}

// The 97.5 % point of F. R's qf goes over to the chi-squared limit at these degrees of freedom; so do we, to agree with
// it.
double upper_f(double a, double b) {
  constexpr double limit = 4e5;
  return b > limit ? boost::math::quantile(boost::math::chi_squared(a), 0.975) / a
                   : boost::math::quantile(boost::math::fisher_f(a, b), 0.975);
}

Chains summarize(std::span<const std::span<const double>> chains) {
  Chains c;
  c.m = static_cast<double>(chains.size());
  c.n = static_cast<double>(chains.front().size());
  c.means.resize(static_cast<Index>(chains.size()));
  c.variances.resize(static_cast<Index>(chains.size()));
  for (std::size_t j = 0; j < chains.size(); ++j) {
    c.means[static_cast<Index>(j)] = mean(chains[j]) - mean(chains[0]);
    c.variances[static_cast<Index>(j)] = variance(chains[j]);
  }
  c.W = c.variances.mean();
  c.B = c.n * covariance(c.means, c.means);
  return c;
}

}  // namespace

double gelman_rubin_pymc3(std::span<const std::span<const double>> chains) {
  const Chains c = summarize(chains);
  if (!(c.W > 0)) return std::numeric_limits<double>::infinity();
  return std::sqrt((c.W * (c.n - 1) / c.n + c.B / c.n) / c.W);
}

double gelman_rubin_pymc2(std::span<const std::span<const double>> chains) {
  const Chains c = summarize(chains);
  if (!(c.W > 0)) return std::numeric_limits<double>::infinity();
  return std::sqrt((c.W * (c.n - 1) / c.n + c.B / c.n + c.B / (c.m * c.n)) / c.W);
}

ScaleReduction gelman_rubin_coda(std::span<const std::span<const double>> chains) {
  const Chains c = summarize(chains);
  if (!(c.W > 0)) return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const double n = c.n, m = c.m, W = c.W, B = c.B, more = 1 + 1 / m;
  const double V = (n - 1) * W / n + more * B / n;
  const double var_W = covariance(c.variances, c.variances) / m;
  const double var_B = 2 * B * B / (m - 1);
  const double cov_WB = n / m *
                        (covariance(c.variances, c.means.array().square().matrix()) -
                         2 * c.means.mean() * covariance(c.variances, c.means));
  const double var_V = ((n - 1) * (n - 1) * var_W + more * more * var_B + 2 * (n - 1) * more * cov_WB) / (n * n);
  const double d = 2 * V * V / var_V;
  const double adjust = (d + 3) / (d + 1), fixed = (n - 1) / n, random = more * B / (n * W);
  const double d_W = 2 * W * W / var_W;
  const double quantile = upper_f(m - 1, d_W);
  return {std::sqrt(adjust * (fixed + random)), std::sqrt(adjust * (fixed + quantile * random))};
}

double gelman_rubin_multivariate(std::span<const Matrix> chains) {
  const auto m = static_cast<Index>(chains.size());
  const Index n = chains.front().rows(), p = chains.front().cols();
  const Eigen::RowVectorXd origin = chains.front().colwise().mean();
  Matrix W = Matrix::Zero(p, p), means(m, p);
  for (Index j = 0; j < m; ++j) {
    Matrix x = chains[static_cast<std::size_t>(j)].rowwise() - origin;
    means.row(j) = x.colwise().mean();
    x.rowwise() -= means.row(j).eval();
    W += x.transpose() * x / static_cast<double>((n - 1) * m);
  }
  means.rowwise() -= means.colwise().mean().eval();
  const Matrix B = static_cast<double>(n) * means.transpose() * means / static_cast<double>(m - 1);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> eigen(B, W, Eigen::EigenvaluesOnly);
  const double count = static_cast<double>(n);
  return std::sqrt((count - 1) / count + (1 + 1 / static_cast<double>(p)) / count * eigen.eigenvalues().maxCoeff());
}

}  // namespace zeroth::mcmc
