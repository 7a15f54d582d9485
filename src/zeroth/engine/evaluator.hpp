// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/engine/file_exchange.hpp"

namespace zeroth {

// A program of the user's that answers questions: docs/evaluator-protocol.md.
struct Evaluator {
  std::vector<std::string> command;  // argv, never a shell
  std::string directory;             // it runs here; empty: where zeroth runs
  bool stream = true;                // one long-lived process per worker; false: a process per evaluation
  double timeout = 0;                // seconds for one evaluation; 0: none
  std::int64_t retries = 0;          // further attempts after a failed one
  Index constraints = 0;
  Index equalities = 0;
  int seed_bits = 53;     // seeds are sent below 2^seed_bits: some languages take no more
  bool maximize = false;  // solvers minimise: the objective changes sign on its way in
  // Names of objective, constraints and equalities, if it can be asked for some of them only; empty: it cannot.
  std::vector<std::string> partial;

  // Appends `x` as JSON in the user's units; kept inside the declared bounds by whoever provides it.
  std::function<void(std::span<const double> x, std::string& json)> write_x;
  std::shared_ptr<const FileExchange> files;  // not null: it reads and writes files, a process per evaluation
};

// The functions that a query wants, by name: what an evaluator with `partial` is told.
std::vector<std::string> wanted_names(const Evaluator& evaluator, const Query& query);

// {"id":17,"x":...,"seed":8723498723} and a newline; with `partial` also "wanted":["objective","c1"].
std::string request_line(const Evaluator& evaluator, const Query& query, std::uint64_t id);

struct Reply {
  Answer answer;
  bool in_step = true;  // false: not a reply to this question, so nothing more from that process can be trusted
};

// Reads one reply. Whatever is wrong with it is a failed answer that says what was expected. `wanted` (one flag per
// function; empty: all) counts with `partial`: the others may be null or missing, and are not told if they are there.
Reply parse_reply(std::string_view line, std::uint64_t id, const Evaluator& evaluator,
                  std::span<const std::uint8_t> wanted = {});

}  // namespace zeroth
