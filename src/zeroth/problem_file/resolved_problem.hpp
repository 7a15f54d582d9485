// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/adapters/fence.hpp"
#include "zeroth/adapters/space.hpp"
#include "zeroth/adapters/statement.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/core/stop_rules.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/parties.hpp"

namespace zeroth {

// What [solver] says about the run itself; its other keys are the solver's own options.
struct RunSettings {
  std::string name = "auto";
  std::int64_t budget = 1000;
  std::int64_t seed = 1;
  std::int64_t width = 1;
  std::int64_t carried = 0;
  std::int64_t lag = 0;
  double check_share = 0.1;
  double confidence = 0.95;
};

inline OptionList options_of(RunSettings& o) {
  return {
      {"name", o.name, "the solver; see 'zeroth list solvers'"},
      {"budget", o.budget, "evaluations of the whole vector (f0, f1..fm) at one point; with [cost] in its units",
       at_least_one},
      {"seed", o.seed, "names all randomness of the run", nonnegative},
      {"width", o.width,
       "points the solver may propose at a time; part of the run, so that any number of workers gives the same run",
       at_least_one},
      {"lag", o.lag,
       "how many later points may be proposed before the oldest open one is answered; part of the run like the width",
       nonnegative},
      {"carried", o.carried,
       "evaluations of the run that this one continues: they count toward the budget; with [cost] what they cost",
       nonnegative},
      {"check_share", o.check_share,
       "share of the budget kept at least for fresh evaluations of the candidates for the answer", fraction},
      {"confidence", o.confidence,
       "probability of holding, or of not holding, from which a constraint is said to do so", fraction}};
}

// A problem file understood: everything checked, everything in the words of the rooms below.
struct ResolvedProblem {
  std::string file;
  std::string name;
  Spec spec;  // in the solver's units
  Space space = Space::plain(1);
  std::string objective;                      // as declared; empty: it was not
  std::vector<std::string> constraint_names;  // as declared
  std::shared_ptr<const Fence> fence;         // null: the domain alone says where evaluations may be
  bool limits_unknown = false;                // some known limits are functions that were not given here
  std::optional<Meaning> meaning;             // of those, where they are more than names of what is measured
  std::vector<std::string> equality_names;
  std::optional<Problem> builtin;      // either this
  std::optional<Evaluator> evaluator;  // or this
  std::vector<Party> parties;          // or these, who own the functions between them
  bool maximize = false;
  RunSettings run;
  StopRules stop_rules;
  Settings solver_options;
  Vector cost;  // of every function that is measured; empty: they are asked together, and the budget counts evaluations
  // What the evaluator returns as constraints.
  const std::vector<std::string>& value_names() const { return meaning ? meaning->values : constraint_names; }
  // Single functions can be asked, so that evaluations may lack some values.
  bool partial() const { return cost.size() > 0 || !parties.empty() || (evaluator && !evaluator->partial.empty()); }
  // What people get to see of a noise key: as many bits as they asked for.
  std::uint64_t seed_of(std::uint64_t noise) const { return evaluator ? noise >> (53 - evaluator->seed_bits) : noise; }
  std::string identity;  // canonical JSON of all that decides the run, budget included
};

}  // namespace zeroth
