// SPDX-License-Identifier: MIT
#pragma once

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
};

// One function asked alone, of an evaluator that can be (partial = true).
struct AloneReport {
  std::string name;
  double seconds = 0;
  bool answered = false, agrees = true;  // with what it answers among the others, under the same seed
};

struct Examination {
  std::int64_t evaluations = 0, failed = 0;
  std::vector<std::string> failures;  // "count x reason", the most frequent first
  std::string error_output;           // the evaluator's last words, if it failed
  double first_seconds = 0, median_seconds = 0, longest_seconds = 0;
  enum class Seed { honoured, ignored, no_noise, not_known } seed = Seed::not_known;
  std::vector<FunctionReport> functions;  // empty when too little succeeded
  std::int64_t suggested_budget = 0;
  std::vector<AloneReport> alone;
  std::vector<std::string> advice;
  bool healthy() const { return failed == 0; }
};

Examination examine(const ResolvedProblem& problem, Engine& engine, std::int64_t replicates = 16);

}  // namespace zeroth
