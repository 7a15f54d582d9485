// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "zeroth/store/store.hpp"

namespace zeroth {

struct RunVerdict {
  std::int64_t run = 0;
  std::string name;
  std::string finding;  // what was found, in words
  bool sound = true;
  // If it is not: the number of answers that follow from one another. Those after them were not asked for by the
  // solver that was told the ones before.
  std::optional<std::int64_t> follow;
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
  struct Dropped {
    std::int64_t run = 0, from = 0, answers = 0;
  };
  std::vector<Dropped> dropped;  // runs that go on from an earlier answer
};

// Copies every row that can still be read to a new store, and of each run the answers that follow from one another, so
// that all of them can be resumed.
Salvage salvage(const std::string& damaged, const std::string& target);

}  // namespace zeroth
