// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "zeroth/report/incumbent_path.hpp"
#include "zeroth/report/run_history.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {

// A run as reports see it.
struct ReportedRun {
  RunHistory history;
  IncumbentPath path;
  std::string model = {};      // page_model of it, if it was asked for
  std::int64_t model_of = -1;  // the evaluations that it is of
  bool seen_running = false;   // by a live page, which has no time for a model when it ends

  bool finished() const { return !path.points().empty() && path.points().back().checked; }
  bool infeasible() const;  // by the status of its result
};

// Mean and standard error over runs on a common grid of evaluations; each run counts with its latest value so far.
struct Band {
  std::vector<double> evaluations, mean, se;
  std::vector<int> runs;  // how many have a value there
};

using Members = std::vector<const ReportedRun*>;
Band band_over(const Members& runs, std::int64_t budget, const std::function<double(const PathPoint&)>& value);

// How soon runs came within a distance of the best answer of all and seemed feasible (no constraint above twice the
// standard error of the checked answers).
struct TargetReached {
  double tolerance = 0;  // share of the way from where runs began to the best answer
  double target = 0;
  int reached = 0;
  double median = std::nan(""), lowest = std::nan(""), highest = std::nan("");  // evaluations, of those that did
};

// Runs of one solver with one set of options and one budget on one problem, over seeds.
struct SolverGroup {
  std::string label, solver;
  std::int64_t budget = 0;
  std::vector<std::int64_t> runs;  // ids
  Band objective, violation;
  int finished = 0, feasible = 0;
  std::vector<double> answers;       // checked objectives of the finished runs, user's sign
  Moments answer;                    // mean and standard error of these; of one run: its own
  double half_width = std::nan("");  // of the 95 % interval of the mean
  double p_value = std::nan("");     // against the best group, after Holm
  bool best = false;
  std::vector<TargetReached> targets;
};

struct ProblemGroup {
  std::string name;
  bool maximize = false;
  std::vector<std::int64_t> runs;
  std::vector<SolverGroup> solvers;
};

using ReportedRuns = std::map<std::int64_t, std::shared_ptr<ReportedRun>>;

// Everything that can be compared: runs of the same problem, in the order of their first run.
std::vector<ProblemGroup> compare(const ReportedRuns& runs);

inline constexpr double target_tolerances[] = {0.1, 0.03, 0.01};

}  // namespace zeroth
