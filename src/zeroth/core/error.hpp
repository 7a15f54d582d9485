// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace zeroth {

// Bad input. The message names the offending value and what would be right; `where` is "file:line" when a file is to
// blame. Caught once per interface (command line, Python). A failed evaluation is not an Error, it is a failed Answer.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
  Error(const std::string& where, const std::string& message)
      : std::runtime_error(where.empty() ? message : where + ": " + message) {}
};

}  // namespace zeroth
