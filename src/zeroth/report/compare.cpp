// SPDX-License-Identifier: MIT
#include "zeroth/report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "zeroth/core/text.hpp"
#include "zeroth/run/result.hpp"

namespace zeroth {
namespace {

constexpr int grid_points = 80;

// Options that tell apart groups of the same solver: "conex (smoothing = 0.1)".
void label(std::vector<SolverGroup>& groups, const std::vector<std::string>& keys) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    std::string differing;
    bool other_budget = false;
    const auto mine = parse_json<nlohmann::json>(keys[g]);
    std::set<std::string> names;
    for (std::size_t o = 0; o < groups.size(); ++o) {
      if (o == g || groups[o].solver != groups[g].solver) continue;
      other_budget = other_budget || groups[o].budget != groups[g].budget;
      const auto theirs = parse_json<nlohmann::json>(keys[o]);
      if (!mine.is_object() || !theirs.is_object()) continue;
      for (const auto& [key, value] : mine.items())
        if (!theirs.contains(key) || theirs[key] != value) names.insert(key);
    }
    for (const auto& name : names)
      differing += fmt::format("{}{} = {}", differing.empty() ? "" : ", ", name,
                               mine[name].is_string() ? mine[name].get<std::string>() : mine[name].dump());
    if (other_budget) differing += fmt::format("{}budget = {}", differing.empty() ? "" : ", ", groups[g].budget);
    groups[g].label = differing.empty() ? groups[g].solver : fmt::format("{} ({})", groups[g].solver, differing);
  }
}

// How far above its limit each function may be estimated: twice the error of the answers that were found feasible. The
// error of the estimate itself would forgive most where least is known.
std::vector<double> allowances(const std::vector<Members>& members) {
  std::vector<double> allowed;
  for (const Members& runs : members)
    for (const ReportedRun* run : runs) {
      if (!run->finished() || run->infeasible()) continue;
      const auto& values = run->path.points().back().values;
      allowed.resize(values.size(), 0);
      for (std::size_t i = 0; i < values.size(); ++i)
        if (std::isfinite(values[i].se)) allowed[i] = std::max(allowed[i], 2 * values[i].se);
    }
  return allowed;
}

bool seems_feasible(const PathPoint& p, const RunHistory& h, const std::vector<double>& allowed) {
  for (std::size_t i = 1; i < p.values.size(); ++i) {
    const double excess = i <= h.constraints() ? p.values[i].mean : std::abs(p.values[i].mean);
    if (!(excess <= allowed[i])) return false;
  }
  return true;
}

TargetReached reached(const Members& members, const std::vector<double>& allowed, double tolerance, double begin,
                      double best, double sign) {
  TargetReached t;
  t.tolerance = tolerance;
  t.target = best + tolerance * (begin - best);
  std::vector<double> when;
  for (const ReportedRun* run : members)
    for (const PathPoint& p : run->path.points())
      if (sign * p.values[0].mean <= sign * t.target && seems_feasible(p, run->history, allowed)) {
        when.push_back(static_cast<double>(p.evaluations));
        break;
      }
  t.reached = static_cast<int>(when.size());
  if (when.empty()) return t;
  std::ranges::sort(when);
  const std::size_t half = when.size() / 2;
  t.median = when.size() % 2 == 1 ? when[half] : (when[half - 1] + when[half]) / 2;
  t.lowest = when.front();
  t.highest = when.back();
  return t;
}

void add_answers(SolverGroup& group, const Members& members) {
  for (const ReportedRun* run : members) {
    if (!run->finished()) continue;
    ++group.finished;
    if (!run->infeasible()) ++group.feasible;
    group.answers.push_back(run->path.points().back().values[0].mean);
  }
  group.answer = {std::nan(""), std::nan("")};
  if (group.finished == 1) {
    for (const ReportedRun* run : members)
      if (run->finished()) {
        const Estimate& e = run->path.points().back().values[0];
        group.answer = {e.mean, e.se};
      }
    group.half_width = half_width_95(group.answer.se, 1);
  } else if (group.finished > 1) {
    group.answer = moments(group.answers);
    group.half_width = half_width_95(group.answer.se, group.finished);
  }
}

void add_significance(std::vector<SolverGroup>& groups, double sign) {
  const auto rank = [&](const SolverGroup& g) {  // mostly feasible ones first, then by the answer
    return std::pair(2 * g.feasible < g.finished || g.finished == 0,
                     std::isnan(g.answer.mean) ? std::numeric_limits<double>::infinity() : sign * g.answer.mean);
  };
  if (groups.empty()) return;
  const auto best = std::ranges::min_element(groups, {}, rank);
  if (best->finished == 0) return;
  best->best = true;
  std::vector<double> p;
  for (const SolverGroup& g : groups) {
    double value = std::nan("");
    if (!g.best && g.finished > 0) {
      value = welch_p_value(g.answers, best->answers);
      // One run each: only the errors of the two checks can be compared, which says nothing about other seeds.
      const double se = std::hypot(g.answer.se, best->answer.se);
      if (std::isnan(value) && se > 0)
        value = 2 * boost::math::cdf(boost::math::complement(boost::math::normal(),
                                                             std::abs(g.answer.mean - best->answer.mean) / se));
    }
    p.push_back(value);
  }
  p = holm(p);
  for (std::size_t g = 0; g < groups.size(); ++g) groups[g].p_value = p[g];
}

void add_targets(std::vector<SolverGroup>& groups, const std::vector<Members>& members, double sign) {
  double best = std::numeric_limits<double>::infinity(), begin = -best;
  for (const Members& runs : members)
    for (const ReportedRun* run : runs) {
      for (const PathPoint& p : run->path.points())
        if (std::isfinite(p.values[0].mean)) {
          begin = std::max(begin, sign * p.values[0].mean);
          break;
        }
      if (run->finished() && !run->infeasible()) best = std::min(best, sign * run->path.points().back().values[0].mean);
    }
  if (!std::isfinite(best) || !(begin > best)) return;
  const std::vector<double> allowed = allowances(members);
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (const double tolerance : target_tolerances)
      groups[g].targets.push_back(reached(members[g], allowed, tolerance, sign * begin, sign * best, sign));
}

}  // namespace

bool ReportedRun::infeasible() const { return history.row().status == to_string(Status::infeasible); }

Band band_over(const Members& members, std::int64_t budget, const std::function<double(const PathPoint&)>& value) {
  Band band;
  std::set<std::int64_t> grid;
  // Half of the grid is even, half is denser toward the start, for readers of either axis.
  for (int i = 1; i <= grid_points / 2; ++i) {
    grid.insert(budget * i / (grid_points / 2));
    grid.insert(static_cast<std::int64_t>(std::llround(std::pow(static_cast<double>(budget), 2.0 * i / grid_points))));
  }
  for (const std::int64_t e : grid) {
    std::vector<double> sample;
    for (const ReportedRun* run : members) {
      double latest = std::nan("");
      for (const PathPoint& p : run->path.points())
        if (p.evaluations <= e && std::isfinite(value(p))) latest = value(p);
      // A run that is not there yet has nothing to say about later evaluations.
      if (std::isfinite(latest) && (run->finished() || run->path.points().back().evaluations >= e))
        sample.push_back(latest);
    }
    if (sample.empty()) continue;
    const Moments m = moments(sample);
    band.evaluations.push_back(static_cast<double>(e));
    band.mean.push_back(m.mean);
    band.se.push_back(m.se);
    band.runs.push_back(static_cast<int>(sample.size()));
  }
  return band;
}

std::vector<ProblemGroup> compare(const ReportedRuns& runs) {
  std::vector<ProblemGroup> problems;
  std::map<std::string, std::size_t> place;
  for (const auto& [id, run] : runs) {
    const RunRow& row = run->history.row();
    const auto [found, fresh] = place.try_emplace(problem_key(row), problems.size());
    if (fresh) problems.push_back({row.name, row.maximize, {}, {}});
    problems[found->second].runs.push_back(id);
  }
  for (ProblemGroup& problem : problems) {
    std::map<std::pair<std::string, std::int64_t>, std::size_t> groups;
    std::vector<std::string> keys;
    std::vector<Members> members;
    for (const std::int64_t id : problem.runs) {
      const ReportedRun& run = *runs.at(id);
      const RunRow& row = run.history.row();
      const auto [found, fresh] = groups.try_emplace({solver_key(row), row.budget}, problem.solvers.size());
      if (fresh) {
        SolverGroup& group = problem.solvers.emplace_back();
        group.solver = row.solver;
        group.budget = row.budget;
        keys.push_back(solver_key(row));
        members.emplace_back();
      }
      problem.solvers[found->second].runs.push_back(id);
      members[found->second].push_back(&run);
    }
    label(problem.solvers, keys);
    for (std::size_t g = 0; g < members.size(); ++g) {
      SolverGroup& group = problem.solvers[g];
      group.objective = band_over(members[g], group.budget, [](const PathPoint& p) { return p.values[0].mean; });
      group.violation = band_over(members[g], group.budget, [](const PathPoint& p) { return p.violation.mean; });
      add_answers(group, members[g]);
    }
    const double sign = problem.maximize ? -1 : 1;
    add_significance(problem.solvers, sign);
    add_targets(problem.solvers, members, sign);
  }
  return problems;
}

}  // namespace zeroth
