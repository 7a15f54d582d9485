// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "zeroth/core/random.hpp"
#include "zeroth/model/site_model.hpp"
#include "zeroth/model/unit_box.hpp"

namespace zeroth {

// A point of the unit cube with what the model says of it.
struct ProposedPoint {
  Vector unit;
  double value = 0;      // of the criterion
  double violation = 0;  // 0: it keeps to what was asked of the constraints
};

// Points all over X, a few of them new with every step: in a box a Sobol sequence, else uniform samples of the set,
// which cost too much to be drawn anew for every question. (Points of the box moved into X would crowd at its edges.)
class Everywhere {
 public:
  Everywhere(const UnitBox& box, std::uint64_t seed);
  void renew();
  Matrix points(Rng& rng) const;

 private:
  const UnitBox& box_;
  Rng rng_;
  Matrix samples_;  // of a set that is no box
  Index oldest_ = 0;
};

// Where to evaluate next, and what to recommend, by the site model. All criteria are in the model's units, so that
// nothing depends on the scale of objective or constraints.
class Proposer {
 public:
  Proposer(const SiteModel& model, const UnitBox& box, const Everywhere& everywhere, std::vector<Vector> centers,
           double reach, Rng& rng);

  // Points that are taken already: improvement, hidden and unknown go elsewhere.
  void avoid(const Vector& unit) { taken_.push_back(unit); }

  // min mean_f subject to mean_j + z sd_j <= 0 for every constraint, from candidates all over the set and around the
  // centers, polished on the means.
  ProposedPoint optimum(double z) const;
  // min mean_f - 2 sd_f subject to mean_j - 2 sd_j <= 0 by the process with lengths of a third: what may hide between
  // the sites.
  ProposedPoint hidden() const;
  // Largest expected improvement on `best` (in the model's units) times the probability of feasibility; without `best`
  // that probability alone.
  ProposedPoint improvement(std::optional<double> best) const;
  // Largest predictive variance of the objective among what may well be feasible.
  ProposedPoint unknown() const;
  // Among the active sites: least expected loss, where a loss grows with the objective and with the probability that
  // some constraint does not hold.
  struct Bet {
    Vector unit;
    double violated = 1;  // probability
    double objective = 0;
    Index site = -1;
  };
  Bet safest_bet(double start_objective) const;
  std::vector<Bet> best_bets(double start_objective, std::size_t count) const;
  // What evaluating on may bring, compared with `unit`, in units of the objective.
  struct Outlook {
    double expected_improvement = 0;  // of the best next evaluation
    double possible_gain = 0;         // a 95 % bound on what any point that may be feasible is better by
    bool several_optima = false;      // such points lie far apart
  };
  Outlook outlook(const Vector& unit) const;
  // The site that may well be feasible and better than the one at `unit`, where that one has been replicated more than
  // its due: N_b^2 = sum of N_i^2 over what is in contention, for equal noise (optimal computing budget allocation;
  // Chen, Lin, Yucesan and Chick, 2000).
  std::optional<Vector> contender(const Vector& unit) const;
  // y >= 0 that balances the slopes of the means: multipliers of the constraints active at `unit`, in the user's units.
  Vector multipliers(const Vector& unit) const;

 private:
  struct Criterion {
    Vector value, violation;
  };
  enum class Extent : std::uint8_t { whole_set, around_centers };
  template <class Score>
  ProposedPoint search(const Score& score, int rounds, bool elsewhere, Extent extent = Extent::whole_set) const;
  // Without noise every evaluation tells what is rough, and a search goes where the rest is best; under noise a known
  // site is worth more than a new one that promises as much.
  SiteModel::Scale searched() const { return model_.noisy() ? SiteModel::Scale::learned : SiteModel::Scale::smooth; }
  Criterion at_margin(const Beliefs& b, double z) const;
  Matrix candidates(Extent extent) const;
  Vector on_line(const Vector& center) const;
  Matrix around(const Vector& center, double size, Index count) const;
  Vector mixed_step(const Vector& center, double size, const Vector& shape) const;
  Matrix other_categories(const Vector& center) const;
  Vector polished(const Vector& unit, double z) const;

  const SiteModel& model_;
  const UnitBox& box_;
  const Everywhere& everywhere_;
  std::vector<Vector> centers_, taken_;
  double reach_;
  Rng& rng_;
};

}  // namespace zeroth
