// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/engine/parties.hpp"
#include "zeroth/run/document.hpp"
#include "zeroth/run/space.hpp"
#include "zeroth/run/statement.hpp"

namespace zeroth {

// What [solver] says about the run itself; its other keys are the solver's own options.
struct RunSettings {
  std::string name = "auto";
  std::int64_t budget = 1000;
  std::int64_t seed = 1;
  std::int64_t width = 1;
  double check_share = 0.1;
  double confidence = 0.95;
};

inline OptionList options_of(RunSettings& o) {
  return {
      {"name", o.name, "the solver; see 'zeroth list solvers'"},
      {"budget", o.budget, "evaluations of the whole vector (f0, f1..fm) at one point", at_least_one},
      {"seed", o.seed, "names all randomness of the run", nonnegative},
      {"width", o.width,
       "points the solver may propose at a time; part of the run, so that any number of workers gives the same run",
       at_least_one},
      {"check_share", o.check_share, "share of the budget kept for fresh looks at the recommended point", fraction},
      {"confidence", o.confidence, "below this probability of feasibility the answer is called infeasible", fraction}};
}

// A problem file understood: everything checked, everything in the words of the rooms below.
struct ResolvedProblem {
  std::string file;
  std::string name;
  Spec spec;  // in the solver's units
  Space space = Space::plain(1);
  std::vector<std::string> constraint_names;  // as declared
  std::optional<Meaning> meaning;             // of those, where they are more than names of what is measured
  std::vector<std::string> equality_names;
  std::optional<Problem> builtin;      // either this
  std::optional<Evaluator> evaluator;  // or this
  std::vector<Party> parties;          // or these, who own the functions between them
  bool maximize = false;
  RunSettings run;
  Settings solver_options;
  // What the evaluator returns as constraints.
  const std::vector<std::string>& value_names() const { return meaning ? meaning->values : constraint_names; }
  std::string identity;  // canonical JSON of all that decides the run, budget included
};

// `must_run`: the evaluator's program must exist; not when a stored run is read again elsewhere.
ResolvedProblem resolve(const Document& document, bool must_run = true);

// The solver that the file names, started.
Search start_solver(const ResolvedProblem& problem);

// What differs between two identities, one "key: old -> new" per line; the budget alone is left out.
std::vector<std::string> identity_changes(const std::string& before, const std::string& after);
std::int64_t identity_budget(const std::string& identity);

}  // namespace zeroth
