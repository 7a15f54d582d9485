// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "zeroth/core/options.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/model/warp.hpp"

namespace zeroth {

// A global model of all functions over replicated sites, for any budget: see docs/solvers/trust-bo.md.
struct TrustBoOptions {
  std::int64_t start = 0;
  double safety = 0.95;
  double replicate = 0.35;
  double safe = 0;
};

inline constexpr const char* safe_help =
    "every evaluated point keeps all constraints with this probability, by the model, from a feasible start on; 0: not "
    "asked for";

inline OptionList options_of(TrustBoOptions& o) {
  return {
      {"start", o.start, "points of the initial design; 0: 6 sqrt(d), at most a quarter of the budget", nonnegative},
      {"safety", o.safety, "posterior probability of each constraint at the points that are replicated",
       Range{.lower = 0.5, .upper = 0.9999}},
      {"replicate", o.replicate, "share of evaluations spent at the model's cautious optimum", fraction},
      {"safe", o.safe, safe_help, Range{.lower = 0, .upper = 0.9999}}};
}

Search trust_bo(Spec spec, TrustBoOptions options, std::uint64_t seed);

// Evaluations that others made in the same run, which the model takes in before its next step.
struct Elsewhere {
  std::vector<Vector> x;
  std::vector<Answer> answers;
  std::vector<std::uint64_t> noise;  // their keys
  bool exact = false;                // no replicate of anybody's has differed yet

  void add(Vector at, const Answer& answer, std::uint64_t key) {
    x.push_back(std::move(at));
    answers.push_back(answer);
    noise.push_back(key);
  }
};
Search trust_bo_beside_others(Spec spec, TrustBoOptions options, std::uint64_t seed,
                              std::shared_ptr<Elsewhere> elsewhere);

}  // namespace zeroth
