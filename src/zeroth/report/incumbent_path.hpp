// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "zeroth/report/run_history.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {

// What the evaluations taken so far say about the point that the solver would have recommended after so many
// evaluations.
struct PathPoint {
  std::int64_t evaluations = 0;
  std::vector<Estimate> values;     // one per function, user's sign; NaN: too few evaluations to tell
  std::vector<double> noise;        // one per function: standard deviation of an evaluation around the fit
  std::vector<double> multipliers;  // the solver's, if it has any
  Estimate violation;               // the largest of max(0, f_i) and |h_j|, with the standard error of that one
  double moved = 0;  // since the point before: root mean square over the variables, in shares of their ranges
  double exact_objective = std::nan(""), exact_violation = std::nan("");  // of benchmark problems only
  bool checked = false;  // the last point of a finished run: its fresh evaluations, not the search's
};

// The path of the recommendation, at most `resolution` and some points of the trace, denser at the start. At each, a
// plane (with squares where evaluations are so far apart that curvature shows) is fitted by least squares to the
// evaluations nearest to the point among those taken before; its value at the point is the estimate, its residuals the
// noise. Where the point itself was evaluated often enough the plain mean is taken instead, which no curvature can
// bias.
//
// A point of the path rests on what came before it alone, so it never changes again: extending costs what is new.
class IncumbentPath {
 public:
  static constexpr std::int64_t resolution = 120;

  void extend(const RunHistory& history);
  const std::vector<PathPoint>& points() const { return points_; }

 private:
  void add(const RunHistory& history, const StoredTrace& trace);

  std::vector<PathPoint> points_;
  std::vector<double> last_x_;
  std::size_t used_ = 0;  // rows of the trace
};

// Estimates of all functions at `x` from the evaluations numbered below `before`.
PathPoint estimate_at(const RunHistory& history, std::span<const double> x, std::int64_t before);

// Means over the fresh evaluations that a finished run ended with: the last evaluations, all at one point.
std::vector<Estimate> last_replicates(const RunHistory& history);

// Largest of max(0, f_i) and |h_j| with its standard error.
Estimate violation_of(const std::vector<Estimate>& values, std::size_t constraints);

}  // namespace zeroth
