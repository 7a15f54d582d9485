// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/core/random.hpp"
#include "zeroth/core/statistics/distinct_values.hpp"

namespace zeroth {

// All evaluations at one point: how many answered, their means and squared deviations (Welford) per function.
struct Site {
  Vector unit;
  Index answered = 0, failed = 0;
  Vector mean, squares;
  std::vector<Index> unknown = {};  // answers without function i, one count each; empty: every answer has all

  // Of evaluators that average by themselves: sums of the squared standard errors that they state, and how many; empty:
  // none did.
  std::vector<double> stated_squares = {};
  std::vector<Index> stated = {};
  double shared = 0;  // how much of the reference's noise under the same key is in the objective here

  // Values that are not numbers were not asked for; `se` are standard errors, empty or NaN where none is stated.
  void add(std::span<const double> values, std::span<const double> se = {});
  // Of one evaluation of function i, as stated; nothing if it never was.
  std::optional<double> stated_variance(Index i) const;
  // Answers with a value of function i.
  Index seen(Index i) const { return unknown.empty() ? answered : answered - unknown[static_cast<std::size_t>(i)]; }
  bool whole() const;                                          // every function was seen
  void state(std::span<const double> se, double evaluations);  // standard errors of a mean of so many evaluations
};

// Evaluations collapsed into sites, so that a model costs as much as there are points, however often each is evaluated.
class Sites {
 public:
  explicit Sites(Index functions) : functions_(functions), distinct_(static_cast<std::size_t>(functions)) {}

  Index size() const { return static_cast<Index>(sites_.size()); }
  Index functions() const { return functions_; }
  const Site& operator[](Index i) const { return sites_[static_cast<std::size_t>(i)]; }
  std::int64_t evaluations() const { return evaluations_; }
  std::int64_t failures() const { return failures_; }
  // The smallest step between values of function i if it takes few distinct ones: counts, shares, yes or no; else 0.
  double quantum(Index i) const;
  Index answered() const { return answered_; }  // sites where every function was seen

  // The site at `unit` itself, or none (-1).
  Index find(const Vector& unit) const;
  // Returns the site that took the answer: the one at `unit`, a new one if there is none.
  // `key` numbers the noise of the evaluation; -1: nobody else's.
  Index add(const Vector& unit, const Answer& answer, Index key = -1);
  void add_to(Index site, const Answer& answer, Index key = -1);
  // Means of evaluations that were made elsewhere.
  Index add(const Vector& unit, const Evaluated& known);

  // Noise that evaluations under one key share can be taken out of comparisons: the reference, which is the site with
  // most keys, shows it, and what the other sites `which` share with it is regressed away (a control variate; as far as
  // replicates show that there is anything to gain). Means of the objective are then relative to the reference's: what
  // is uncertain about that one, `level_variance`, is uncertain about all.
  void remove_shared_noise(const std::vector<Index>& which);
  Index reference() const;  // -1: none has enough keys
  double level_variance() const { return level_variance_; }
  double reference_noise() const { return reference_noise_; }  // standard deviation of one evaluation
  // A key under which the reference was evaluated and `site` (-1: a new one) was not; none if there is none left.
  std::optional<Index> known_key(Index site, Rng& rng) const;
  // The reference's noise under the key.
  std::optional<double> noise_under(Index key) const;

  // Values beyond this are cut: sums of squares must stay finite whatever an evaluator answers.
  static constexpr double largest = 1e100;

 private:
  Index functions_;
  Index site_at(const Vector& unit);  // a new one if there is none

  struct Keyed {
    Index key;
    double value;  // of the objective
  };
  std::vector<Site> sites_;
  std::vector<std::vector<Keyed>> keyed_;       // by site
  std::unordered_map<Index, double> residual_;  // of the reference, by key
  double level_variance_ = 0, reference_noise_ = 0;
  std::vector<DistinctValues> distinct_;                // by function
  std::unordered_multimap<std::size_t, Index> places_;  // by a hash of the point
  std::int64_t evaluations_ = 0, failures_ = 0;
  Index answered_ = 0;
};

// The variance of one evaluation of function i at every answered site of `which`: what its own replicates say, pooled
// with those of sites that are near or have a similar level, since noise changes with x but seldom abruptly. Of a
// function that counts, equal replicates do not mean that there is no noise: one evaluation each may yet come out a
// step higher or lower (Agresti and Coull's rule). Zero where no replicate ever differed; NaN if nothing was replicated
// yet. Where evaluators state standard errors, these count like several replicates.
Vector noise_variances(const Sites& sites, const std::vector<Index>& which, Index function);

}  // namespace zeroth
