// SPDX-License-Identifier: MIT
#include "zeroth/model/noise_profile.hpp"

#include <boost/math/distributions/chi_squared.hpp>

#include "zeroth/model/maximize.hpp"

namespace zeroth {
namespace {

constexpr double false_alarms = 1e-3;
constexpr double weight_sd = 3;
constexpr double farthest = 7;  // of the logarithm, so that no look counts for nothing or for everything

Matrix noise_features(const Matrix& points, const Vector& means) {
  Matrix features(points.cols(), points.rows() + 2);
  features << Vector::Ones(points.cols()), points.transpose().array() - 0.5, means;
  return features;
}

Vector relative_variance(const Matrix& features, const Vector& weights) {
  return (features * weights).array().max(-farthest).min(farthest).exp();
}

}  // namespace

Vector NoiseProfile::at(const Matrix& points, const Vector& standardised_means) const {
  if (constant()) return Vector::Ones(points.cols());
  return relative_variance(noise_features(points, standardised_means), weights_);
}

void NoiseProfile::learn(const Gp& gp, double noise_variance, const Vector& standardised_means) {
  const Matrix features = noise_features(gp.points(), standardised_means);
  const Index count = features.cols();
  if (gp.size() < 2 * count + 10) return;  // more looks than things to learn from them
  const Matrix signal = gp.kernel()(gp.points());
  const Vector residual = gp.values().array() - gp.mean();
  const auto log_likelihood = [&](const Vector& weights, Vector* gradient) {
    const Vector noise = noise_variance * relative_variance(features, weights);
    Matrix k = signal;
    k.diagonal() += noise;
    const Cholesky factor(k);
    const Vector alpha = factor.solve(residual);
    if (gradient) {
      const Vector q = alpha.cwiseAbs2() - factor.inverse().diagonal();
      *gradient = 0.5 * features.transpose() * q.cwiseProduct(noise);
    }
    return -0.5 * (residual.dot(alpha) + factor.log_determinant());
  };
  const Differentiable posterior = [&](const Vector& weights, Vector* gradient) {
    const double value = log_likelihood(weights, gradient);
    if (gradient) *gradient -= weights / (weight_sd * weight_sd);
    return value - 0.5 * weights.squaredNorm() / (weight_sd * weight_sd);
  };
  const Vector none = Vector::Zero(count), bound = Vector::Constant(count, 3 * weight_sd);
  const Vector best = maximize_lbfgs(posterior, constant() ? none : weights_, -bound, bound, 40, 1e-4).x;
  // The level is not counted: the process's own noise has already been chosen for equal noise.
  const boost::math::chi_squared law(static_cast<double>(count - 1));
  const double gain = 2 * (log_likelihood(best, nullptr) - log_likelihood(none, nullptr));
  weights_ = gain > boost::math::quantile(boost::math::complement(law, false_alarms)) ? best : Vector();
}

}  // namespace zeroth
