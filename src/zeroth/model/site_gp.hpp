// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "zeroth/core/vector.hpp"
#include "zeroth/model/cholesky.hpp"
#include "zeroth/model/gp.hpp"

namespace zeroth {

// A Gaussian process over means of replicates at the columns of `points`:
//   k(u, v) = a^2 Matern52(|(u - v) / length|) + b^2 (1 + 4 (u - 1/2)'(v - 1/2)),
//   f = smooth + tau white,  y_i ~ N(f(u_i), eta^2 variance_i).
// The second term is a constant and a linear trend; eta corrects what replicates say of the noise; tau is what the
// smooth part leaves out at short range: jumps and kinks. That belongs to the function, not to the noise, so a site
// that was replicated often is known by its own mean, however rough the function. Values are to be standardised by
// whoever calls.
struct SiteKernel {
  Vector log_length;
  // Which length a row of the points has; null: row j has length j. Rows may share one (embedding.hpp).
  std::shared_ptr<const std::vector<Index>> length_of_row;
  double log_a = 0, log_b = -0.7, log_eta = 0, log_tau = -3.9;

  static SiteKernel typical(Index dimension, std::shared_ptr<const std::vector<Index>> length_of_row = nullptr);
  Vector packed() const;
  static SiteKernel unpacked(const Vector& packed, Index dimension) { return typical(dimension).with(packed); }
  SiteKernel with(const Vector& packed) const;  // other parameters, the same rows
  Vector row_lengths() const;                   // logarithms, one per row

  // Covariances between columns, without noise.
  Matrix operator()(const Matrix& u, const Matrix& v) const;
  double variance_at(const Eigen::Ref<const Vector>& u) const;  // k(u, u)
  double difference_variance(const Eigen::Ref<const Vector>& u, const Eigen::Ref<const Vector>& v) const;
};

struct SiteData {
  Matrix points;    // as the model sees them, one column each
  Vector values;    // standardised
  Vector variance;  // of each value, by its replicates
};

// log p(values | kernel) + log prior(kernel), gradient by the packed parameters unless null. The priors are on
// logarithms: length ~ N(log(sqrt(d) / 2), 0.7), a ~ N(0, 1), b ~ N(-0.7, 1), eta ~ N(0, 0.3), tau ~ N(log 0.02, 1.5).
double log_posterior(const SiteData& data, const SiteKernel& kernel, Vector* gradient);

// The kernel that makes log_posterior large, from `start` by at most so many evaluations.
struct SiteFit {
  SiteKernel kernel;
  double log_posterior = 0;
};
SiteFit fit(const SiteData& data, const SiteKernel& start, int max_evaluations);

class SiteGp {
 public:
  SiteGp() = default;
  SiteGp(SiteData data, SiteKernel kernel);
  // Other values at the points, with the noise and by the kernel of `leader`, whose factor it shares.
  SiteGp(Vector values, const SiteGp& leader);

  Index size() const { return data_.values.size(); }
  const SiteKernel& kernel() const { return kernel_; }
  const SiteData& data() const { return data_; }
  // Means and, unless null, variances of f at the columns of `points`.
  enum class Part : std::uint8_t { all, smooth };
  void at(const Matrix& points, Vector& mean, Vector* variance, Part part = Part::all) const;
  // What a prediction has in common for all who share a factor: covariances with the sites, and variances.
  struct Common {
    Matrix covariance;
    Vector variance;  // empty unless asked for
  };
  Common common_at(const Matrix& points, bool variances, Part part = Part::all) const;
  // log p(values) but for what does not depend on them.
  double fit_of_values() const { return -0.5 * data_.values.dot(weights_); }
  Vector mean(const Common& common) const { return common.covariance.transpose() * weights_; }
  // Of its smooth part, with the slope unless null.
  double mean(const Vector& point, Vector* gradient) const;

 private:
  Index site_at(const Eigen::Ref<const Vector>& point) const;  // -1: none

  SiteData data_;
  SiteKernel kernel_;
  std::shared_ptr<const Cholesky> factor_;
  Vector weights_;
};

}  // namespace zeroth
