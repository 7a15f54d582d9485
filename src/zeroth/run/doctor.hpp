// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth {

// What a few trial evaluations tell about an evaluator.
struct FunctionReport {
  std::string name;
  double mean = 0, noise_sd = 0;  // at the start, over fresh seeds
  double spread = 0;              // sd of single evaluations at random points: how much there is to find
  double excess_kurtosis = 0;
  bool heavy_tails = false;
  std::vector<double> distinct;  // the values seen, if they are few; empty: many
  bool jumps = false;            // under one seed, along a short line
  bool ignores_x = false;
};

// One function asked alone, of an evaluator that can be (partial = true).
struct AloneReport {
  std::string name;
  double seconds = 0;
  bool answered = false, agrees = true;  // with what it answers among the others, under the same seed
};

// What was sent and what came back, as they were.
struct Exchange {
  std::string question, reply;
};

// What a budget would buy.
struct BudgetReport {
  std::int64_t evaluations = 0;
  double standard_error = 0;  // of the objective of the checked answer
};

struct Examination {
  std::int64_t evaluations = 0, failed = 0;
  std::map<std::string, std::int64_t> failures;  // how often for which reason
  std::string error_output;                      // the evaluator's last words, if it failed
  Exchange first, failing;                       // the first question of all, and the first one that failed
  enum class Again { not_asked, failed, succeeded } again = Again::not_asked;  // the failing question once more
  double first_seconds = 0, median_seconds = 0, longest_seconds = 0;
  enum class Seed { honoured, ignored, no_noise, not_known } seed = Seed::not_known;
  std::vector<FunctionReport> functions;                   // empty when too little succeeded
  std::int64_t feasible_points = 0, scattered_points = 0;  // random points where every constraint was seen to hold
  std::vector<BudgetReport> budgets;                       // ascending
  std::vector<AloneReport> alone;
  std::vector<std::string> advice;
  bool stopped = false;
  bool healthy() const { return failed == 0; }
};

// `engine_of` gives an engine for a problem; `stop`, if there is one, is asked while evaluations are waited for.
using EngineOf = std::function<std::unique_ptr<Engine>(const ResolvedProblem& problem)>;
Examination examine(const ResolvedProblem& problem, const EngineOf& engine_of, std::int64_t replicates = 16,
                    const std::function<bool()>& stop = {});

// What to do about a failure, by what the evaluator said and wrote to stderr; empty: nothing is known to help.
std::string remedy(const std::string& reason, const std::string& error_output, const ResolvedProblem& problem);

// All that can be said about what was found.
std::vector<std::string> advice_on(const ResolvedProblem& problem, const Examination& examination);

}  // namespace zeroth
