// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/search.hpp"
#include "zeroth/run/feasibility.hpp"

namespace zeroth {

// The least share of the way from `bold` to `safe` after which `final_evaluations` more will confirm feasibility at
// `confidence` nine times in ten; 0 where there is no retreat, since the fallback evaluations less feasible.
//
// Constraint values are taken as linear between the two points. At share r the mean is m(r) with variance v(r) from the
// evaluations at both ends; the final ones will have the standard error s. They confirm if their mean is below -t s,
// and do so nine times in ten if m(r) + t s + 1.28 sqrt(v(r) + s^2) <= 0.
double least_retreat(const Spec& spec, const EqualityRule& rule, const CheckedPoint& bold, const CheckedPoint& safe,
                     std::int64_t final_evaluations, double confidence);

// How likely a model thinks it that so many evaluations at a point will confirm feasibility at `confidence`, being
// counted themselves as CheckedPoint counts models. `statements`: of chances, null elsewhere.
double chance_to_confirm(const Spec& spec, const Meaning* meaning, const Belief& belief, std::int64_t final_evaluations,
                         double confidence);

// How likely a model thinks it that every inequality holds at a point.
double chance_to_hold(const Spec& spec, const Belief& belief);

}  // namespace zeroth
