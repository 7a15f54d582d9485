// SPDX-License-Identifier: MIT
#include "zeroth/model/acquisition.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

#include "zeroth/model/design.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

// E[max(0, w - Z^2)] for Z ~ N(mean, sd^2).
double square_improvement(double w, double mean, double sd) {
  if (w <= 0) return 0;
  if (sd < 1e-12 * (std::abs(mean) + std::sqrt(w))) return std::max(0.0, w - mean * mean);
  const double b = std::sqrt(w);
  const double upper = (b - mean) / sd, lower = (-b - mean) / sd;
  const double mass = lower > 0 ? normal_cdf(-lower) - normal_cdf(-upper) : normal_cdf(upper) - normal_cdf(lower);
  const double at_upper = normal_pdf(upper), at_lower = normal_pdf(lower);
  const double second_moment = (mean * mean + sd * sd) * mass + sd * ((mean - b) * at_lower - (mean + b) * at_upper);
  return std::max(0.0, w * mass - second_moment);
}

// Nodes and weights of E[g(Z)] for standard normals Z, one node per column.
struct NormalRule {
  Matrix nodes;
  Vector weights;
};

// Golub and Welsch: the Jacobi matrix of the probabilists' Hermite polynomials has off-diagonal sqrt(k).
NormalRule gauss_hermite(Index count) {
  Matrix jacobi = Matrix::Zero(count, count);
  for (Index k = 1; k < count; ++k) jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(static_cast<double>(k));
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(jacobi);
  return {eigen.eigenvalues().transpose(), eigen.eigenvectors().row(0).cwiseAbs2().transpose()};
}

NormalRule product_rule(Index dimensions) {
  if (dimensions == 0) return {Matrix(0, 1), Vector::Ones(1)};
  const NormalRule line = gauss_hermite(dimensions == 1 ? 40 : 20);
  if (dimensions == 1) return line;
  const Index n = line.weights.size();
  NormalRule square{Matrix(2, n * n), Vector(n * n)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      square.nodes.col(i * n + j) << line.nodes(0, i), line.nodes(0, j);
      square.weights[i * n + j] = line.weights[i] * line.weights[j];
    }
  return square;
}

NormalRule low_discrepancy_rule(Index dimensions) {
  constexpr Index count = 1024;
  Matrix nodes = SobolSequence(dimensions, 0).next(count);
  nodes = nodes.unaryExpr([](double u) { return -1.41421356237309504880 * boost::math::erfc_inv(2 * u); });
  return {nodes, Vector::Constant(count, 1.0 / count)};
}

const NormalRule& normal_rule(Index dimensions) {
  static const std::vector<NormalRule> rules = [] {
    std::vector<NormalRule> all;
    for (Index d = 0; d <= 2; ++d) all.push_back(product_rule(d));
    for (Index d = 3; d <= 32; ++d) all.push_back(low_discrepancy_rule(d));
    return all;
  }();
  return rules.at(static_cast<std::size_t>(dimensions));
}

}  // namespace

double expected_improvement(const Prediction& y, double best) {
  const double sd = std::sqrt(y.variance), gain = best - y.mean;
  if (!(sd > 0)) return std::max(0.0, gain);
  const double z = gain / sd;
  return std::max(0.0, gain * normal_cdf(z) + sd * normal_pdf(z));
}

double probability_nonpositive(const Prediction& y) {
  if (!(y.variance > 0)) return y.mean <= 0 ? 1 : 0;
  return normal_cdf(-y.mean / std::sqrt(y.variance));
}

double AugmentedLagrangian::classic(double f, const Vector& c) const {
  double value = f + lambda.dot(c);
  for (Index j = 0; j < c.size(); ++j) value += std::pow(is_equality(j) ? c[j] : std::max(0.0, c[j]), 2) / (2 * rho);
  return value;
}

double AugmentedLagrangian::classic_improvement(const BeliefAt& belief, double best, const Matrix& normals) const {
  // No draw lies further out than this many standard deviations; if the Lagrangian cannot fall below `best` within
  // them, every draw is zero. Most candidates end here.
  constexpr double reach = 6;
  double least = belief.objective.mean - reach * std::sqrt(belief.objective.variance);
  for (Index j = 0; j < lambda.size(); ++j) {
    const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
    const double low = p.mean - reach * std::sqrt(p.variance);
    if (is_equality(j)) least -= 0.5 * rho * lambda[j] * lambda[j];
    else least += lambda[j] * low + std::pow(std::max(0.0, low), 2) / (2 * rho);
  }
  if (least >= best) return 0;
  Eigen::ArrayXd y = belief.objective.mean + std::sqrt(belief.objective.variance) * normals.col(0).array();
  for (Index j = 0; j < lambda.size(); ++j) {
    const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
    const Eigen::ArrayXd c = p.mean + std::sqrt(p.variance) * normals.col(j + 1).array();
    y += lambda[j] * c;
    if (is_equality(j)) y += c.square() / (2 * rho);
    else y += c.max(0.0).square() / (2 * rho);
  }
  return (best - y).max(0.0).mean();
}

double AugmentedLagrangian::classic_mean(const BeliefAt& belief) const {
  double value = belief.objective.mean;
  for (Index j = 0; j < lambda.size(); ++j) {
    const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
    double square = p.mean * p.mean + p.variance;
    if (!is_equality(j)) {
      const double sd = std::sqrt(p.variance);
      if (sd > 0) {
        const double u = p.mean / sd;
        square = p.variance * ((1 + u * u) * normal_cdf(u) + u * normal_pdf(u));
      } else {
        square = std::pow(std::max(0.0, p.mean), 2);
      }
    }
    value += lambda[j] * p.mean + square / (2 * rho);
  }
  return value;
}

double AugmentedLagrangian::slack(Index j, double c) const {
  return is_equality(j) ? 0 : std::max(0.0, -lambda[j] * rho - c);
}

double AugmentedLagrangian::with_slack(double f, const Vector& c) const {
  double value = f;
  for (Index j = 0; j < c.size(); ++j) {
    const double shifted = c[j] + slack(j, c[j]);
    value += lambda[j] * shifted + shifted * shifted / (2 * rho);
  }
  return value;
}

double AugmentedLagrangian::slack_improvement(const BeliefAt& belief, double best) const {
  // L = f + G + W/(2 rho), W = sum (c_j + a_j)^2, a_j = rho lambda_j + s_j.
  const Index m = lambda.size();
  if (m == 0) return expected_improvement(belief.objective, best);
  double w = best - belief.objective.mean;
  Vector mean(m), sd(m);
  for (Index j = 0; j < m; ++j) {
    const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
    const double s = slack(j, p.mean), a = rho * lambda[j] + s;
    w -= lambda[j] * s + (s * s - a * a) / (2 * rho);
    mean[j] = p.mean + a;
    sd[j] = std::sqrt(p.variance);
  }
  w *= 2 * rho;
  const double objective_sd = 2 * rho * std::sqrt(belief.objective.variance);
  Index inner = 0;
  sd.maxCoeff(&inner);
  const bool known_objective = !(objective_sd > 0);
  const NormalRule& rule = normal_rule(m - 1 + (known_objective ? 0 : 1));
  double sum = 0;
  for (Index i = 0; i < rule.weights.size(); ++i) {
    double rest = w;
    Index axis = 0;
    for (Index j = 0; j < m; ++j)
      if (j != inner) rest -= std::pow(mean[j] + sd[j] * rule.nodes(axis++, i), 2);
    if (!known_objective) rest -= objective_sd * rule.nodes(axis, i);
    if (rest > 0) sum += rule.weights[i] * square_improvement(rest, mean[inner], sd[inner]);
  }
  return sum / (2 * rho);
}

double AugmentedLagrangian::slack_mean(const BeliefAt& belief) const {
  double value = belief.objective.mean;
  for (Index j = 0; j < lambda.size(); ++j) {
    const Prediction& p = belief.constraints[static_cast<std::size_t>(j)];
    const double shifted = p.mean + slack(j, p.mean);
    value += lambda[j] * shifted + (shifted * shifted + p.variance) / (2 * rho);
  }
  return value;
}

}  // namespace zeroth
