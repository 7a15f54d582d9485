// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/iterate.hpp"

namespace zeroth {

// How a worker begins its copy of a solver's x (core/iterate.hpp), whichever solver it is.
MakeReplica replicas_of(const Spec& spec);

}  // namespace zeroth
