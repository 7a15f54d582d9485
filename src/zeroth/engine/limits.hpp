// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace zeroth {

// This machine or its limits, not an evaluation, failed: too few descriptors, processes or memory. Nothing is recorded
// as an answer; what had arrived is kept, and the run can be resumed.
class OutOfResources : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Makes sure that `workers` of them, each with `each` descriptors here, can be open beside what is open anyway: raises
// the soft limit as far as needed. Throws Error, before anything has begun, if the hard limit is below.
void reserve_descriptors(int workers, int each);

// In a child: the limit as it was. Programs that close every possible descriptor, or use select(), expect it.
// Async-signal-safe.
void give_back_descriptor_limit() noexcept;

}  // namespace zeroth
