// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/solvers/augmented_lagrangian/al_search.hpp"

namespace zeroth {

// Bayesian optimisation by the augmented Lagrangian with slack variables (Picheny, Gramacy, Wild and Le Digabel,
// "Bayesian optimization under mixed constraints with a slack-variable augmented Lagrangian", NIPS 2016).
struct SlackAlOptions {
  AlOptions al;
  bool local_search = true;
};

inline OptionList options_of(SlackAlOptions& o) {
  OptionList list = options_of(o.al);
  list.emplace_back("local_search", o.local_search, "refine the best candidate by L-BFGS on the improvement");
  return list;
}

Search slack_al(Spec spec, SlackAlOptions options, std::uint64_t seed);

}  // namespace zeroth
