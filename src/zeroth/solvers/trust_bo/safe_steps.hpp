// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/core/random.hpp"
#include "zeroth/model/site_model.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {

// Where may be evaluated where safety was asked for. A point is allowed if
//   - every constraint holds there with that probability by the model, whose errors are widened by a half;
//   - it is near a site of which the same is true, and as the model's slopes have it at most half of that site's
//     distance to every limit is used up on the way: what lies beyond no data speaks for itself.
// What a search proposes is brought to where it may go: as far as allowed on the way from a safe site. So the region
// grows by small steps, and never across a limit that the model sees coming (after Y. Sui and others' SafeOpt, ICML
// 2015, with the slopes as in a log-barrier method).
class SafeSteps {
 public:
  SafeSteps(const SiteModel& model, const UnitBox& box, double probability, Vector start)
      : model_(model), box_(box), probability_(probability), start_(std::move(start)) {}

  // The first points, before there is a model: the start, again and again, and small steps around it.
  Vector first(Index number, Rng& rng) const;
  // After the model has changed.
  void update();
  Vector allowed(const Vector& wanted, Rng& rng) const;
  // Bonferroni, with widened errors: the probability that every inequality holds at each point.
  Vector probability(const Matrix& units) const;
  // A word on a start that is not feasible; empty: it may be.
  bool start_is_infeasible() const;

  static constexpr Index replicates = 4;  // of the start, at first

 private:
  bool near_enough(const Vector& unit) const;
  Vector small_step(const Vector& from, double size, Rng& rng) const;

  const SiteModel& model_;
  const UnitBox& box_;
  double probability_;
  Vector start_;
  std::vector<Vector> sites_;  // safe ones
  Matrix room_;                // functions x sites: how far the means are from their limits
  Vector steepest_;            // by function, per length of the largest coordinate's move
};

}  // namespace zeroth
