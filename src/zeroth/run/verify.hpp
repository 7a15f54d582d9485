// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "zeroth/run/store.hpp"

namespace zeroth {

struct RunVerdict {
  std::int64_t run = 0;
  std::string name;
  std::string finding;  // what was found, in words
  bool sound = true;
};

struct StoreVerdict {
  std::vector<std::string> damage;  // what SQLite's own check says of the file; empty: none
  std::vector<RunVerdict> runs;
  bool sound() const;
};

// Checks the file, then replays every run: the solver, told the stored answers, must ask the stored questions and end
// with the stored recommendation. Writes nothing.
StoreVerdict verify(Store& store);

struct Salvage {
  std::int64_t runs = 0, answers = 0, trace = 0;
};

// Copies every row that can still be read to a new store.
Salvage salvage(const std::string& damaged, const std::string& target);

}  // namespace zeroth
