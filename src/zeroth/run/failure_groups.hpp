// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace zeroth {

// A reason with every number in it left out: reasons that are then equal are one and the same fault.
std::string without_numbers(const std::string& reason);

struct FailureGroup {
  std::string reason;         // the most frequent of the group, as it was said
  std::int64_t count = 0;     // of all of them
  std::int64_t variants = 1;  // how many reasons differ in numbers only
  std::string text() const;   // "3 x diverged at 0.1 (and 2 like it)"
};

// Failures by reason, those that differ in numbers only together; the most frequent first.
std::vector<FailureGroup> grouped_failures(const std::map<std::string, std::int64_t>& failures);

}  // namespace zeroth
