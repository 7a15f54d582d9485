// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "zeroth/engine/child.hpp"

namespace zeroth {

// A program run to its end with nothing on its standard input, and what it said.
struct Finished {
  bool started = false;
  std::string why_not;  // it could not be started
  Exit exit;
  std::string out, error;

  bool succeeded() const { return started && exit.signal == 0 && exit.code == 0; }
};

// `waiting` is called every now and then with the seconds gone by, for who wants to say that it still runs.
Finished run_command(const std::vector<std::string>& argv, const std::string& directory = "",
                     const std::function<void(double seconds)>& waiting = {});

}  // namespace zeroth
