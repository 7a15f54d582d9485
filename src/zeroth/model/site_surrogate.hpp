// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "zeroth/model/embedding.hpp"
#include "zeroth/model/site_gp.hpp"
#include "zeroth/model/sites.hpp"
#include "zeroth/model/warp.hpp"

namespace zeroth {

// One function as the global model sees it: a Gaussian process over its sites, behind an input and an output warp that
// are chosen by how well they explain the data. Means and variances are in the model's own units (warped,
// standardised); the order of values and the constraints' limit carry over.
class SiteSurrogate {
 public:
  enum class Role : std::uint8_t { objective, constraint };
  // `embedding` must outlive it.
  SiteSurrogate(Role role, Index function, Vector log_offset, const Embedding& embedding);

  // Chooses warps and kernel anew, beginning with those it has.
  void fit(const Sites& sites, const std::vector<Index>& which);
  // Takes the data in with the warps and the kernel it has.
  void refresh(const Sites& sites, const std::vector<Index>& which);
  // As `leader`, which was seen at the same sites, in all but the values and their warp: one factorisation serves both.
  // `anew`: the warp is chosen anew.
  void follow(const SiteSurrogate& leader, const Sites& sites, const std::vector<Index>& which, bool anew);
  // Noise of one evaluation as a share of what the function varies by, on average.
  double relative_noise(const Sites& sites, const std::vector<Index>& which) const;

  void at(const Matrix& units, Vector& mean, Vector* variance, SiteGp::Part part = SiteGp::Part::all) const;
  // The same in two parts, for those who share a factor: what they have in common, and the means. By lengths of a third
  // it tells what may hide between the sites.
  enum class Lengths : std::uint8_t { learned, third };
  SiteGp::Common common_at(const Matrix& units, Lengths lengths, SiteGp::Part part) const;
  Vector mean(const SiteGp::Common& common, Lengths lengths, const SiteSurrogate& leader) const;
  double mean(const Vector& unit, Vector* gradient) const;

  double to_model(double y) const { return (warp_(y) - shift_) / spread_; }
  double slope_at(double y) const { return warp_.slope(y) / spread_; }
  double from_model(double value) const { return warp_.back(value * spread_ + shift_); }
  double limit() const { return to_model(0); }
  // Variance of one evaluation at site k of `which`, in the model's units; zero where no noise was seen. Where this
  // function was not asked for, the mean over the others.
  double noise_at(Index k) const { return row(k) < 0 ? one_.mean() : one_[row(k)]; }
  // It rests on so many sites, those included where it was not asked for.
  bool rests_on(std::size_t sites) const {
    return rows_.empty() ? gp_.size() == static_cast<Index>(sites) : rows_.size() == sites;
  }
  bool noisy() const { return one_.size() > 0 && one_.maxCoeff() > 0; }
  bool log_inputs() const { return input_.active(); }
  const InputWarp& input() const { return input_; }
  // Points as the kernel compares them: embedded, warped, in units of the lengths.
  Matrix compared(const Matrix& units) const;
  const SiteGp& gp() const { return gp_; }
  // Whether u and site k are the same point as far as the noise of the site's mean lets anybody see.
  bool same_as(Index k, const Vector& unit) const;

 private:
  const SiteGp& short_scale() const;
  // The sites where this function was seen; `rows_` then says which row of the data each of `which` is.
  std::vector<Index> where_seen(const Sites& sites, const std::vector<Index>& which);
  Index row(Index k) const { return rows_.empty() ? k : rows_[static_cast<std::size_t>(k)]; }
  SiteData data_of(const Sites& sites, const std::vector<Index>& which, const OutputWarp& output,
                   const InputWarp& input, double& shift, double& spread, double& jacobian, Vector& one) const;
  std::vector<OutputWarp> output_choices(const Sites& sites, const std::vector<Index>& which) const;

  Role role_;
  Index function_;
  const Embedding* embedding_;
  InputWarp log_input_, input_;
  OutputWarp warp_;
  std::size_t output_choice_ = 0;
  SiteKernel kernel_;
  double shift_ = 0, spread_ = 1;
  Vector one_;
  std::vector<Index> rows_;  // -1: it was not seen there; empty: seen everywhere
  SiteGp gp_;
  mutable SiteGp short_;
  mutable bool short_ready_ = false;
};

}  // namespace zeroth
