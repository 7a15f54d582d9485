// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "zeroth/core/options.hpp"
#include "zeroth/lab/ledger.hpp"
#include "zeroth/lab/studies/reproduce.hpp"
#include "zeroth/problems/qcqp.hpp"

namespace zeroth {

// The paper's simulations (Figures 1 and 2): one random quadratic problem that stays fixed, many trials that differ by
// their noise, every system's error against what it has asked.

// One curve of one panel.
struct Variant {
  std::string name;    // in the legend
  std::string solver;  // in the catalog
  Settings settings;
  std::int64_t budget = 0;  // joint evaluations
  std::int64_t trials = 0;
};

// One panel: a problem and who is compared on it.
struct SimulationPanel {
  std::string name;  // in the ledger
  std::string title;
  QcqpOptions problem;
  std::vector<Variant> variants;
};

// How things stand after so many joint evaluations.
struct SimulationPoint {
  double evaluations = 0;
  double calls = 0;      // of single functions
  double gap = 0;        // f0(x) - f0*; f0(x) itself in the nonconvex case, where f0* is not known
  double violation = 0;  // largest positive constraint
  double gradient = 0;   // |grad f0(x)|, the paper's measure in the nonconvex case
  double kkt = 0;        // distance to the conditions of Definition 3.3

  // A gap can be bought with a violation: what counts is the larger of the two.
  double error() const { return gap > violation ? gap : violation; }
};
using Trajectory = std::vector<SimulationPoint>;

// sqrt of the least  |(x - P_X(x - step (grad f0 + y grad f1))) / step|^2 + (y f1)^2  over y >= 0, plus the violation
// squared. Definition 3.3 of the paper wants a KKT point near x, not at x, and this is it: for step = 1 / L the point
// that P_X gives is residual / L away, and there the Lagrangian's gradient is within twice the residual of the normal
// cone. (At x itself the cone is {0} however close a wall may be.) One constraint; X the box of the problem.
double kkt_distance(const QcqpOptions& options, const std::vector<Quadratic>& f, double step, const Vector& x);

// Where every system starts, and the name of that as a curve of one point.
SimulationPoint at_start(const QcqpOptions& options, std::uint64_t seed);
inline constexpr const char* start_curve = "start";

Trajectory run_simulation(const QcqpOptions& options, const Variant& variant, std::uint64_t seed);

// Evaluations at which a curve is recorded.
std::vector<std::int64_t> checkpoints(std::int64_t budget);

// Trajectories by panel, curve and trial; what is missing is run, but only of the solvers in `only` (empty: of all),
// and the rest comes from the ledger at `file`. Curves that are not complete then are left out. Beside them the start.
using SimulationRuns = std::map<std::string, std::map<std::string, std::vector<Trajectory>>>;
SimulationRuns run_panels(const std::vector<SimulationPanel>& panels, const std::filesystem::path& file, int jobs,
                          const std::vector<std::string>& only = {});
bool complete(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs);

// The largest budget that the ledger at `file` holds of a curve's first trial; 0: none.
std::int64_t longest_stored(const std::filesystem::path& file, const std::string& panel, const std::string& curve);

// Steps of Algorithm 1 (or of the inner solver of Algorithm 2) for the panel's problem: the best of a grid on another
// instance of it, kept in the ledger at `file`.
struct Steps {
  double eta = 0, tau = 0;
};
Steps search_steps(const QcqpOptions& problem, const std::string& solver, std::int64_t budget,
                   const std::filesystem::path& file, int jobs);

std::filesystem::path simulation_file(const ReproduceOptions& options, bool nonconvex);  // its ledger

// What the studies of both figures are made of, and the page of findings from whatever of them is in `out`.
std::vector<SimulationPanel> convex_panels(const ReproduceOptions& options);
std::vector<SimulationPanel> nonconvex_panels(const ReproduceOptions& options);
std::vector<SimulationPanel> ablation_panels(const ReproduceOptions& options);
std::string findings(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs, bool nonconvex);
void write_paper_page(const std::filesystem::path& out);

}  // namespace zeroth
