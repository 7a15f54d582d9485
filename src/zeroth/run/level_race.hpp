// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/run/space.hpp"

namespace zeroth {

// Local search over levels: the neighbours of the best point known (one level up or down in one variable, or up in one
// and down in another) are looked at under the noise keys that the best point was looked at, a few at a time, the most
// promising by a linear fit of earlier looks first. Whoever is better moves the centre.
class LevelRace {
 public:
  static constexpr std::int64_t looks_each = 4;  // of one entrant in one round

  LevelRace(const Spec& spec, const Space& space);

  void learn(const Vector& x, const Answer& answer);  // an earlier look anywhere; what the fit rests on
  void begin(const Vector& center);

  // Who is to be looked at next, `looks_each` times each, from look number looks_at(k) on; empty when nobody promises
  // more.
  std::span<const Vector> entrants() const { return entrants_; }
  std::int64_t looks_at(std::size_t entrant) const;
  void tell(std::span<const Answer> answers);

  const Vector& best() const { return center_; }
  std::int64_t moves() const { return moves_; }

 private:
  // Looks by noise number: entry r of two tallies was seen under the same noise.
  struct Tally {
    std::vector<Answer> looks;
  };
  using Key = std::vector<double>;
  struct Judgement {
    double violation = 0;  // of the worst constraint, in standard deviations, caution included; feasible: <= 0
    bool known = false, hopeless = false;  // hopeless: it will hardly be confirmed
  };
  static Key key_of(const Vector& x) { return {x.data(), x.data() + x.size()}; }

  Judgement judge(const Tally& tally) const;
  bool better(const Tally& challenger, const Tally& champion, double& doubt) const;
  std::vector<Vector> neighbours() const;
  void fit();
  void choose();

  Spec spec_;
  const Space& space_;
  std::vector<Vector> seen_;
  std::vector<std::vector<double>> seen_values_;
  std::vector<Vector> slopes_;  // of each function, in the solver's units
  Vector center_;
  std::map<Key, Tally> tallies_;
  std::vector<Key> beaten_;  // neighbours of this centre that have lost
  std::vector<Vector> entrants_;
  std::int64_t moves_ = 0;
};

}  // namespace zeroth
