// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "zeroth/lab/studies/simulation.hpp"

namespace zeroth {

using Measure = std::function<double(const SimulationPoint&)>;
using Curves = std::map<std::string, std::vector<Trajectory>>;

// The accuracies at which systems are compared: shares of the start's error.
inline constexpr double shares_of_the_start[] = {0.9, 0.5, 0.1, 0.01};

// `axis` (calls or evaluations) from which on `what` stays at most `level`; infinity: never.
double stays_below(const Trajectory& trial, const Measure& what, double level, const Measure& axis);

// Who of two is first to an accuracy, trial by trial from the same start: log(theirs / ours), with a 95 % interval over
// the trials. Who does not arrive counts with the end of its curve, which is less than it would need; who never
// arrives, in no trial, is behind. A trial in which theirs ended before ours was there tells nothing and does not
// count.
struct Duel {
  int trials = 0;    // that count
  int arrivals = 0;  // of theirs in those
  double lower = 0, upper = 0;
  bool ours() const { return trials > 0 && (arrivals == 0 || lower > 0); }
  bool theirs() const { return trials > 0 && upper < 0; }
};

// "`ours` needs fewer evaluations (or calls) than each of the four". At every accuracy a rival is ahead if the whole
// interval says so, level if it holds 1. Rivals whose evaluations ended in every trial before `ours` was at the first
// accuracy are open. Of several of ours the one counts that needs least at that accuracy, by the median.
struct PanelRace {
  std::vector<std::string> ahead, level, open;  // "admmbo at 90 %"; of `open` the names alone
  std::vector<std::string> ratios;              // how many times as much each needs, with intervals
  bool arrives = false;                         // ours at the first accuracy, in every trial
  bool decided = false;                         // against anybody

  std::string verdict() const;
};
PanelRace race(const SimulationPanel& panel, const Curves& curves, const Measure& what,
               const std::vector<std::string>& ours, const Measure& axis, std::span<const double> shares);
Duel duel(const std::vector<Trajectory>& ours, const std::vector<Trajectory>& theirs,
          const std::vector<Trajectory>& start, const Measure& what, double share, const Measure& axis);

// What everybody needs to every accuracy, median over the trials, as a table.
std::string race_table(const SimulationPanel& panel, const Curves& curves, const Measure& what);

}  // namespace zeroth
