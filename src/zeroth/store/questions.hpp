// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "zeroth/store/store.hpp"

namespace zeroth {

// A question of a run that somebody else is to answer (`zeroth ask`, `zeroth tell`). Its id is its name for ever, in
// the whole store: rows are never deleted, and an id that was shown to anybody never comes to mean another question.
struct StoredQuestion {
  std::int64_t id = 0, run = 0, number = 0;
  std::vector<double> x;  // user's units; empty when the dimension is above Store::x_limit
  std::uint64_t x_hash = 0, noise = 0;
  std::string asked;  // when it was handed out; empty: it was not, or it was taken back
  bool answered = false;
  std::vector<std::uint8_t> wanted = {};  // one flag per function; empty: all of them
};

// Those of a run, by their numbers; without those that have an answer unless `all`.
std::vector<StoredQuestion> questions_of(Store& store, std::int64_t run, bool all = false);
std::optional<StoredQuestion> question(Store& store, std::int64_t id);
// Keeps questions that are new, and sets the id of every one.
void keep_questions(Store& store, std::span<StoredQuestion> questions);
void mark_asked(Store& store, std::span<const StoredQuestion> questions);
void take_back(Store& store, std::int64_t id);                   // it will be handed out again
std::int64_t waiting_questions(Store& store, std::int64_t run);  // handed out and without an answer

}  // namespace zeroth
