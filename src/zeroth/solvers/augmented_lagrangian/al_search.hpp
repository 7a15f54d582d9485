// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/solvers/augmented_lagrangian/al_surrogates.hpp"

namespace zeroth {

// What tells one augmented-Lagrangian method from another. All are plain functions: a coroutine must not hold on to
// more.
struct AlForm {
  double (*value)(const AugmentedLagrangian&, double f, const Vector& c);
  double (*improvement)(const AugmentedLagrangian&, const BeliefAt&, double best, const Matrix& normals);
  double (*mean)(const AugmentedLagrangian&, const BeliefAt&);
  // The multiplier update at the best point; returns whether rho is to be halved.
  bool (*update)(AugmentedLagrangian&, const Vector& c, const AlOptions&);
  Index draws = 0;            // normal draws that `improvement` needs
  bool local_search = false;  // refine the best candidate by L-BFGS
};

// The loop that the methods share; see albo.cpp and slack_al.cpp for the equations.
Search al_search(Spec spec, AlOptions options, AlForm form, std::uint64_t seed);

}  // namespace zeroth
