// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <vector>

#include "zeroth/adapters/space.hpp"
#include "zeroth/core/problem.hpp"

namespace zeroth {

// Local search over levels: the neighbours of the best point known (one level up or down in up to three variables) are
// evaluated under the noise keys that the best point was evaluated under, a few at a time, the most promising by a
// linear fit of earlier evaluations first. Whoever is better moves the centre. It begins where the fit's own local
// search ends, if an evaluation there agrees. At the end the winner must stand more evaluations, since the best of many
// is partly the luckiest.
class LevelRace {
 public:
  static constexpr std::int64_t evaluations_each = 4;  // of one entrant in one round

  LevelRace(const Spec& spec, const Space& space);

  void learn(const Vector& x, const Answer& answer);  // an evaluation anywhere; what the fit rests on
  void begin(const Vector& center);
  void confirm();  // from now on only who has won so far, or would if the winner fails, if anybody seems feasible
  bool confirming() const { return confirming_; }

  // Who is to be evaluated next, `evaluations_each` times each, from evaluation number evaluations_at(k) on; empty when
  // nobody promises more.
  std::span<const Vector> entrants() const { return entrants_; }
  std::int64_t evaluations_at(std::size_t entrant) const;
  void tell(std::span<const Answer> answers);

  const Vector& best() const { return center_; }
  std::int64_t moves() const { return moves_; }

 private:
  // Evaluations by noise number: entry r of two tallies was seen under the same noise.
  struct Tally {
    std::vector<Answer> evaluations;
  };
  struct Level {
    double count, mean, variance, error;  // variance of one evaluation, standard error of the mean
  };
  using Key = std::vector<double>;
  struct Judgement {
    double violation = 0;  // of the worst constraint, in standard deviations, caution included; feasible: <= 0
    bool known = false, hopeless = false;  // hopeless: it will hardly be confirmed
  };
  static Key key_of(const Vector& x) { return {x.data(), x.data() + x.size()}; }

  Level level(const Tally& tally, Index function) const;
  // `caution`: standard errors by which a constraint must seem to hold.
  Judgement judge(const Tally& tally, double caution) const;
  bool better(const Tally& challenger, const Tally& champion, double& doubt) const;
  // Neighbours of x, the most promising first, where the constraints stand at `levels`.
  std::vector<Vector> most_promising(const Vector& x, const Vector& levels, std::size_t count, double& best) const;
  Vector fitted_levels(const Vector& x) const;
  Vector fitted_optimum(const Vector& x) const;
  void fit();
  void choose();
  void record(std::span<const Answer> answers);

  Spec spec_;
  const Space& space_;
  std::vector<Vector> seen_;
  std::vector<std::vector<double>> seen_values_;
  std::vector<Vector> slopes_;  // of each function, in the solver's units
  Vector fit_center_, fit_level_;
  std::size_t fitted_ = 0;  // evaluations that the fit has seen
  Vector center_;
  std::map<Key, Tally> tallies_;
  const Tally* most_seen_ = nullptr;
  std::set<Key> beaten_;  // neighbours of this centre that have lost
  std::set<Key> failed_;  // that were not confirmed
  std::vector<Vector> entrants_;
  bool confirming_ = false;
  std::int64_t moves_ = 0;
};

}  // namespace zeroth
