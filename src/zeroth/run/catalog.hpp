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

struct SolverEntry {
  std::string name, summary, reference;
  std::function<void(const std::function<void(const OptionList&)>&)> describe;  // lends the options at their defaults
  std::function<Search(Spec, const Settings&, std::uint64_t seed)> make;
};

struct ProblemEntry {
  std::string name, summary, reference;
  std::function<void(const std::function<void(const OptionList&)>&)> describe;
  std::function<Problem(const Settings&)> make;
};

struct EngineEntry {
  std::string name, summary;
};

const std::vector<SolverEntry>& solvers();
const std::vector<ProblemEntry>& problems();
const std::vector<EngineEntry>& engines();

// Found by name, or an Error that lists what there is and the nearest name.
const SolverEntry& solver_named(const std::string& name, const std::string& where = "");
const ProblemEntry& problem_named(const std::string& name, const std::string& where = "");

}  // namespace zeroth
