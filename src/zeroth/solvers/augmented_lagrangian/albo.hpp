// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/solvers/augmented_lagrangian/al_search.hpp"

namespace zeroth {

// Bayesian optimisation by the augmented Lagrangian (Gramacy et al., "Modeling an augmented Lagrangian for blackbox
// constrained optimization", Technometrics 58, 2016).
struct AlboOptions {
  AlOptions al;
  std::int64_t draws = 1000;
  std::string penalty_rule = "paper";
};

inline OptionList options_of(AlboOptions& o) {
  OptionList list = options_of(o.al);
  list.emplace_back("draws", o.draws, "Monte Carlo draws of the composite", at_least_one);
  list.emplace_back("penalty_rule", o.penalty_rule,
                    "paper: rho is halved when the best point is infeasible; lagp: when any |c_j| there exceeds the "
                    "equality tolerance, as laGP 1.5-9 has it",
                    Choices{{"paper", "lagp"}});
  return list;
}

Search albo(Spec spec, AlboOptions options, std::uint64_t seed);

}  // namespace zeroth
