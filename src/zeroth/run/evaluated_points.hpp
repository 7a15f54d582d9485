// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "zeroth/core/problem.hpp"

namespace zeroth {

// One point and all that was measured there: Welford's means and sums of squared deviations per function.
struct EvaluatedPoint {
  Vector x;
  std::int64_t answered = 0, failed = 0;
  Vector mean, squares;
  std::uint64_t last_key = 0;  // of noise: the same evaluation twice is no replicate
};

// All points that a run has evaluated whole, as long as they fit into some megabytes, and what their replicates say of
// the functions: whether there is noise, whether values are few. Values are as declared (feasible: at most 0).
class EvaluatedPoints {
 public:
  explicit EvaluatedPoints(const Spec& spec);
  void add(std::span<const double> x, std::uint64_t noise_key, std::span<const double> values);
  void add_failed(std::span<const double> x);
  void add_values(std::span<const double> values);  // where the point itself is not at hand
  // A mean of `count` evaluations from before the run, with its standard errors (empty: not known). Equal ones may be
  // one and the same, so that they are no sign of there being no noise.
  void know(std::span<const double> x, std::span<const double> values, std::span<const double> se, std::int64_t count);

  const std::vector<EvaluatedPoint>& points() const { return points_; }
  const EvaluatedPoint* find(const Vector& x) const;
  // Up to `count` points that look best by their own values alone: those whose means keep every limit first, by the
  // objective; then the least violated. A point where evaluations only failed is never among them.
  std::vector<Vector> best(std::size_t count) const;
  std::vector<Vector> best_of(const std::vector<Vector>& among) const;  // the same order; those without an answer last
  // Up to `count` points whose own replicates confirm every inequality at `confidence`, by the objective with its
  // error: what was confirmed once is remembered, whatever a solver makes of it later. None where there are equalities.
  std::vector<Vector> confirmed(double confidence, std::size_t count) const;
  // Some evaluation kept every inequality, within rounding; with equalities this says nothing, and is true.
  bool feasible_once() const { return feasible_once_; }

  // No replicate of function i ever differed, and that means something: it was replicated, and its values are not few.
  bool exact(Index i) const;
  // Of a function that takes few values (counts, shares, yes or no): the distance of the two nearest and the range of
  // all; 0 otherwise.
  double quantum(Index i) const;
  double range(Index i) const { return high_[i] - low_[i]; }
  // The two values that function i takes, if it takes no others: yes or no.
  std::optional<std::pair<double, double>> two_values(Index i) const;
  // Of one evaluation of function i, over all replicates of the run; 0 if there are none.
  double noise_variance(Index i) const { return degrees_ > 0 ? squares_[i] / degrees_ : 0; }
  // Rounding of function i: violations below this are none where there is no noise.
  double rounding(Index i) const { return relative_rounding * largest_[i]; }
  static constexpr double relative_rounding = 1e-9;

 private:
  struct Ranked {
    double violation, objective;
    std::size_t index;
  };
  EvaluatedPoint* place(std::span<const double> x);
  Ranked rank(std::size_t index) const;
  bool confirmed_at(const EvaluatedPoint& p, double confidence) const;

  Index constraints_, functions_;
  std::size_t most_points_;
  std::vector<EvaluatedPoint> points_;
  std::unordered_map<std::uint64_t, std::size_t> by_hash_;
  std::vector<std::set<double>> distinct_;  // values of each function, as long as they are few
  std::vector<std::int64_t> agreed_;        // replicates that gave the value of the one before
  std::vector<bool> differed_;
  bool feasible_once_ = false;
  Vector low_, high_, largest_;
  Vector squares_;  // over all replicates
  double degrees_ = 0;
};

}  // namespace zeroth
