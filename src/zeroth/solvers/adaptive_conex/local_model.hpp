// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "zeroth/core/vector.hpp"
#include "zeroth/solvers/adaptive_conex/tuning.hpp"

namespace zeroth::adaptive {

// What is known of f_0..f_m around the point w where the solver stands, in coordinates along its directions:
//   f_i(w + d) ~ level_i + g_i'd + d'B_i d / 2.
// Each direction j remembers the slope it measured last and the point (anchor) where it did, so g_i has entries
//   g_ij = slope_ij + B_i[j,:] (w - anchor_j),
// and B_i is learned from how wrong that prediction proves at the next visit. Every number has a variance; the unknown
// error E = A - B of each Hessian has entries of variance tau_i^2, estimated from those surprises.
// Evaluations at one point, averaged.
struct LevelEvaluation {
  Vector where;   // w at the time
  Vector values;  // their mean, carried along by the model's predictions ever since
  Vector doubt;   // what those predictions were worth: sum of |gradient's error|^2 |step|^2 at the time
  double count = 1;
};

class LocalModel {
 public:
  LocalModel(Vector start, Index functions, Index block, const Tuning& tuning = default_tuning);

  Index dimension() const { return w.size(); }
  Index functions() const { return level.size(); }
  Index block_size() const { return block_; }
  Index blocks() const { return anchors_.cols(); }

  void gradients(const Vector& at, Matrix& g) const;  // n x functions
  double predict(Index i, const Matrix& g, const Vector& d) const;
  void move_to(const Vector& next, const Matrix& g);  // levels and their variances move along

  // An evaluation at `where`, most often w itself: one value per function, with the variances of a usual one; `weight`:
  // so many usual ones it is worth.
  void evaluated(const Vector& where, std::span<const double> values, const Vector& variance, double weight = 1);
  void forget_levels() { evaluations_.clear(); }  // the levels carried here are refuted
  // Function i evaluated from `at` along direction j: the value at at + r e_j minus the value predicted at `at`, with
  // the variance of that difference. `predicted` is the slope predicted there. First visits come in pairs, +r and -r.
  void learn_pair(Index i, Index j, const Vector& at, double r, double up, double down, double predicted,
                  double level_variance, double variance);
  void learn_single(Index i, Index j, const Vector& at, double r, double rise, double predicted, double variance);
  void visited(Index block, const Vector& at);  // all directions of the block have been measured there

  // From now on coordinates along other directions: w becomes q w. What is known is carried to w first.
  void turn(const Matrix& q);

  // A Hessian of which nothing is known but the size of its diagonal.
  void assume_curvature(Index i, double curvature);
  double typical_curvature(Index i) const;  // mean of |B_jj|
  Vector typical_curvatures() const;        // of all functions

  // Takes over what somebody else has worked out at w; `level` and the rest are set by them beforehand.
  void assume_here() {
    anchors_ = w.replicate(1, blocks());
    std::fill(visits_.begin(), visits_.end(), 1);
    evaluations_.clear();
  }

  Vector w, level, level_variance;
  Matrix slope, slope_variance;  // n x functions, at the anchors
  std::vector<Matrix> hessian;   // B_i
  Matrix curvature_variance;     // of B_i[j,j]
  Matrix covariance;             // of slope_ij and B_i[j,j]
  Vector tau_squared;
  // Across bends slopes change by this variance per length of the way, which no Hessian explains. Looked for only among
  // exact slopes: elsewhere averages over many visits are worth more.
  Vector bend_squared;
  bool exact_slopes = false;
  double alignment() const { return alignment_; }
  bool visited_before(Index block) const { return visits_[static_cast<std::size_t>(block)] > 0; }
  double moved_since(Index block) const { return (w - anchors_.col(block)).squaredNorm(); }

 private:
  void estimate_levels(const Vector& variance);
  Vector gradient_errors() const;  // expected |error|^2 of each function's gradient here
  void thin_out();
  void learn_hessian_row(Index i, Index j, const Vector& s, double surprise, double noise);
  void compare_with_milestone(Index block, Index i);

  // A visit to a block some way back. Slopes here and there differ by the Hessian's rows times a long way, which noise
  // cannot hide as it hides the short way since the last visit.
  struct Milestone {
    Vector where, slope, variance;
  };

  Tuning tune_;
  Index block_;
  std::vector<Milestone> milestones_;  // blocks x functions
  Matrix anchors_;
  std::vector<int> visits_;
  std::deque<LevelEvaluation> evaluations_;
  Vector surprise_sum_, surprise_weight_, bend_sum_, bend_weight_;  // decaying sums for tau and bends
  Vector noise_, carried_;
  double alignment_, alignment_sum_ = 0, alignment_weight_ = 0;
};

}  // namespace zeroth::adaptive
