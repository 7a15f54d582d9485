// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/core/search.hpp"

namespace zeroth {

// The one explicit list of everything that has a name: no registration at start-up, no macros.

struct SolverEntry {                     // A solver that a problem file can name.
  std::string name, summary, reference;  // what it is called, one line about it, its paper
  std::function<void(const std::function<void(const OptionList&)>&)> describe;  // lends the options at their defaults
  std::function<Search(Spec, const Settings&, std::uint64_t seed)> make;        // starts it; bad options throw an Error
};

struct ProblemEntry {                    // A benchmark problem that a problem file can name.
  std::string name, summary, reference;  // what it is called, one line about it, its paper
  std::function<void(const std::function<void(const OptionList&)>&)> describe;  // lends the options at their defaults
  std::function<Problem(const Settings&)> make;                                 // builds it; bad options throw an Error
};

struct EngineEntry {          // A way to evaluate.
  std::string name, summary;  // what it is called, one line about it
};

const std::vector<SolverEntry>& solvers();    // in the order in which they are listed
const std::vector<ProblemEntry>& problems();  // benchmark problems
const std::vector<EngineEntry>& engines();    // where evaluations happen

// Found by name, or an Error that lists what there is and the nearest name.
const SolverEntry& solver_named(const std::string& name, const std::string& where = "");
const ProblemEntry& problem_named(const std::string& name, const std::string& where = "");

// Whether a solver can do without some values of an evaluation: where functions have their costs (Spec::cost), dear
// ones are then not asked where a cheap constraint surely fails.
bool learns_from_partial_answers(const std::string& solver);

// Whether earlier evaluations are data for a solver; the others begin at the best of them and forget the rest.
bool learns_from_earlier_evaluations(const std::string& solver);

}  // namespace zeroth
