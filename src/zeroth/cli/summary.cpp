// SPDX-License-Identifier: MIT
#include "zeroth/cli/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/run/declared.hpp"
#include "zeroth/run/failure_groups.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/verdict.hpp"

namespace zeroth::cli {
namespace {

constexpr Index shown_coordinates = 12;

std::string with_error(const Estimate& e) {
  if (std::isnan(e.mean)) return "not known";
  if (std::isnan(e.se)) return fmt::format("{:.6g}", e.mean);
  return fmt::format("{:.6g} +- {:.2g}", e.mean, e.se);
}

std::string with_interval(const Chance& c) {
  return fmt::format("{} {:.4g}, 95 % interval {:.4g} to {:.4g}", c.kind(), c.estimate, c.lower, c.upper);
}

std::string price_text(const ConstraintResult& c) {
  if (std::isnan(c.multiplier.mean)) return "";
  const Interval& i = c.multiplier_interval;
  return fmt::format(", multiplier {:.6g}", c.multiplier.mean) +
         (i.low < i.high ? fmt::format(" (95 %: {:.4g} to {:.4g})", i.low, i.high) : "");
}

// In the units of the declaration: the name says the limit where it is not 0.
std::string constraint_text(const ConstraintResult& c, const ResolvedProblem& problem, std::size_t i) {
  const Statement* statement = problem.meaning ? &problem.meaning->statements[i] : nullptr;
  const Declared d = declared(c, statement);
  std::string text = c.name + ": ";
  if (c.chance) text += with_interval(*c.chance);
  else text += with_error({d.estimate, d.se}) + (d.what == c.name ? ", limit <= 0" : "");
  if (!std::isnan(c.probability_feasible))
    text += fmt::format(", feasible with probability {:.4g}", c.probability_feasible);
  return text + price_text(c);
}

std::string ends(const Interval& i) { return fmt::format("[{:.6g}, {:.6g}]", i.low, i.high); }

std::string meaning(const Result& r) {
  switch (r.status) {
    case Status::budget:
      return "budget spent; the answer is confirmed feasible";
    case Status::converged:
      return "converged; the answer is confirmed feasible, and what could still be gained is below its error";
    case Status::local:
      return "a local optimum, confirmed feasible; others may be better";
    case Status::stopped:
      return fmt::format("stopped by '{}'; the answer is confirmed feasible", r.stopped_by);
    case Status::interrupted:
      return "interrupted; go on with --resume";
    case Status::infeasible:
      return "no candidate is feasible, by the evidence; the problem itself may still have a feasible point";
    case Status::undecided:
      break;
  }
  return doubt_text(r) + (r.stopped_by.empty() ? "" : fmt::format(" (stopped by '{}')", r.stopped_by));
}

void line(std::string& out, const char* label, const std::string& text) {
  fmt::format_to(std::back_inserter(out), "{:<14}{}\n", label, text);
}

}  // namespace

std::string summary(const SolveOutcome& outcome, const ResolvedProblem& problem, const std::string& store) {
  const Result& r = outcome.result;
  std::string out;
  line(out, "status", meaning(r));
  line(out, "solver", r.note.empty() ? r.solver : fmt::format("{} ({})", r.solver, r.note));
  const Vector x = problem.space.to_user(r.x);
  const auto& names = problem.space.names();
  for (Index i = 0; i < std::min(x.size(), shown_coordinates); ++i) {
    const std::string value = !problem.space.variables().values_of(i).empty() ? problem.space.text_of(i, x[i])
                              : std::isnan(x[i])                              ? "does not apply"
                                                                              : fmt::format("{:.8g}", x[i]);
    line(out, i == 0 ? "x" : "",
         names.empty()
             ? fmt::format("[{}] {}", i, value)
             : fmt::format("{} = {}", names[static_cast<std::size_t>(i)], value.empty() ? "does not apply" : value));
  }
  if (x.size() > shown_coordinates) line(out, "", fmt::format("... {} more, see --json", x.size() - shown_coordinates));
  Estimate objective = r.objective;
  if (problem.maximize) objective.mean = -objective.mean;
  const Interval& f = r.objective_interval;
  line(out, "objective",
       fmt::format("{}{}  (mean +- standard error of {} fresh evaluations; 95 % interval {})",
                   problem.objective.empty() ? "" : problem.objective + ": ", with_error(objective), r.replicates,
                   ends(problem.maximize ? Interval{-f.high, -f.low} : f)));
  for (std::size_t i = 0; i < r.constraints.size(); ++i)
    line(out, i == 0 ? "constraints" : "", constraint_text(r.constraints[i], problem, i));
  for (const auto& h : r.equalities) {
    std::string text = fmt::format("|{}|: {:.3g}", h.name, std::abs(h.value.mean));
    if (!std::isnan(h.low)) text += fmt::format(" (95 %: {:.3g} to {:.3g})", h.low, h.high);
    text += fmt::format(", tolerance {:.3g}", h.tolerance);
    if (!std::isnan(h.probability_feasible))
      text += fmt::format(", met with probability {:.4g}", h.probability_feasible);
    text += price_text(h);
    line(out, &h == &r.equalities.front() ? "equalities" : "", text);
  }
  for (const auto& c : r.relaxation)
    line(out, &c == &r.relaxation.front() ? "relaxation" : "",
         fmt::format("with {} relaxed by {:.4g} (95 % interval {}) the answer would be feasible", c.name, c.amount,
                     ends(c.interval)));
  if (r.safe)
    line(out, "safe",
         fmt::format("{} of {} evaluations broke the promise of {:.4g} (at points that are infeasible by what is known "
                     "now)",
                     r.safe->broken, r.safe->evaluations, r.safe->asked));
  if (!std::isnan(r.kkt_residual.mean)) line(out, "KKT residual", with_error(r.kkt_residual));
  if (!r.constraints.empty() || !std::isnan(r.kkt_residual.mean)) line(out, "", "(+- is one standard error)");
  if (const auto truth = true_quality(problem, r.x))
    line(out, "truth",
         fmt::format("objective {:.6g}, {}violation {:.3g}", truth->objective,
                     std::isnan(truth->gap) ? ""
                                            : fmt::format("gap to the optimum {:.3g}{}, ", truth->gap,
                                                          std::isnan(truth->duality_gap)
                                                              ? ""
                                                              : fmt::format(" (known to {:.1g})", truth->duality_gap)),
                     truth->violation));
  line(out, "evaluations", fmt::format("{}, {} failed, {:.3g} s", r.evaluations, r.failed, r.seconds));
  if (r.cost) {
    std::string asked;
    const auto functions = measured_names(problem);
    for (std::size_t i = 0; i < functions.size() && i < r.function_calls.size(); ++i)
      asked += fmt::format("{}{} {} times", i == 0 ? "" : ", ", functions[i], r.function_calls[i]);
    line(out, "cost", fmt::format("{:.6g} of {} units; {}", *r.cost, problem.run.budget, asked));
  }
  for (const FailureGroup& group : grouped_failures(r.failures)) line(out, "", group.text());
  line(out, "run", fmt::format("{} in {}, seed {}", outcome.run, store, r.seed));
  return out;
}

}  // namespace zeroth::cli
