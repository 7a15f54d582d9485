// SPDX-License-Identifier: MIT
#include "zeroth/model/noisy_improvement.hpp"

#include <cmath>
#include <limits>

#include "zeroth/core/random.hpp"
#include "zeroth/model/normal.hpp"

namespace zeroth {
namespace {

constexpr double conditional_jitter = 1e-9;

}  // namespace

Matrix distinct_columns(const Matrix& points) {
  std::vector<Index> keep;
  for (Index i = 0; i < points.cols(); ++i) {
    bool seen = false;
    for (const Index k : keep) seen = seen || (points.col(i) - points.col(k)).cwiseAbs().maxCoeff() < 1e-9;
    if (!seen) keep.push_back(i);
  }
  Matrix distinct(points.rows(), static_cast<Index>(keep.size()));
  for (std::size_t k = 0; k < keep.size(); ++k) distinct.col(static_cast<Index>(k)) = points.col(keep[k]);
  return distinct;
}

NoisyImprovement::NoisyImprovement(const std::vector<const Gp*>& gps, Index constraints, Vector tolerance,
                                   const FailureModel& failures, Index draws, std::uint64_t key)
    : points_(distinct_columns(gps[0]->points())),
      constraints_(constraints),
      tolerance_(std::move(tolerance)),
      failures_(&failures) {
  const Index n = points_.cols();
  std::vector<Matrix> values;
  for (std::size_t i = 0; i < gps.size(); ++i) {
    const Gp& gp = *gps[i];
    Vector mean;
    Matrix covariance;
    gp.joint(points_, mean, covariance);
    covariance.diagonal().array() += conditional_jitter * gp.kernel().amplitude;
    Matrix normals(n, draws);
    fill_normal(derive_key(key, i), {normals.data(), static_cast<std::size_t>(normals.size())});
    const Cholesky root(covariance);
    Matrix drawn = root.lower().triangularView<Eigen::Lower>() * normals;
    drawn.colwise() += mean;
    Matrix k = gp.kernel()(points_);
    k.diagonal().array() += conditional_jitter * gp.kernel().amplitude;
    Conditional c{gp.kernel(), gp.mean(), Cholesky(k), {}};
    c.weights = c.factor.solve(Matrix(drawn.array() - gp.mean()));
    conditionals_.push_back(std::move(c));
    values.push_back(std::move(drawn));
  }
  best_.resize(draws);
  for (Index s = 0; s < draws; ++s) {
    double best = std::numeric_limits<double>::infinity();
    for (Index p = 0; p < n; ++p) {
      bool feasible = true;
      for (std::size_t i = 1; i < values.size(); ++i) {
        const double c = values[i](p, s);
        const Index j = static_cast<Index>(i) - 1 - constraints;  // which equality
        feasible = feasible && (j < 0 ? c <= 0 : std::abs(c) <= tolerance_[j]);
      }
      if (feasible) best = std::min(best, values[0](p, s));
    }
    share_feasible_ += std::isfinite(best) ? 1.0 / static_cast<double>(draws) : 0;
    best_[s] = std::isfinite(best) ? best : values[0].col(s).maxCoeff();
  }
}

void NoisyImprovement::predict(const Conditional& c, const Matrix& points, Matrix& means, Vector& sd) const {
  Matrix k = c.kernel(points_, points);
  means = (k.transpose() * c.weights).array() + c.mean;
  c.factor.half_solve(k);
  sd = (c.kernel.amplitude - k.colwise().squaredNorm().transpose().array()).max(1e-12 * c.kernel.amplitude).sqrt();
}

Vector NoisyImprovement::at(const Matrix& points) const {
  Matrix means;
  Vector sd;
  predict(conditionals_[0], points, means, sd);
  Matrix terms(points.cols(), best_.size());
  for (Index s = 0; s < best_.size(); ++s)
    for (Index p = 0; p < points.cols(); ++p) {
      const double gain = best_[s] - means(p, s), z = gain / sd[p];
      terms(p, s) = z < -38 ? 0 : std::max(0.0, gain * normal_cdf(z) + sd[p] * normal_pdf(z));
    }
  for (std::size_t i = 1; i < conditionals_.size(); ++i) {
    predict(conditionals_[i], points, means, sd);
    const bool equality = static_cast<Index>(i) > constraints_;
    const double within = equality ? tolerance_[static_cast<Index>(i) - 1 - constraints_] : 0;
    for (Index s = 0; s < best_.size(); ++s)
      for (Index p = 0; p < points.cols(); ++p) {
        if (terms(p, s) == 0) continue;
        const double high = normal_cdf((within - means(p, s)) / sd[p]);
        terms(p, s) *= equality ? std::max(0.0, high - normal_cdf((-within - means(p, s)) / sd[p])) : high;
      }
  }
  // A gain that is extrapolated into a region of failures stays large for ever, because nothing there corrects it:
  // where an answer is unlikely it does not count.
  const auto weight = [](double p) { return p < 0.25 ? 0 : p; };
  return terms.rowwise().mean().cwiseProduct(failures_->probabilities_answered(points).unaryExpr(weight));
}

}  // namespace zeroth
