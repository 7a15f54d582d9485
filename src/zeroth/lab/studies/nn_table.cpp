// SPDX-License-Identifier: MIT
//
// Trials are paired (same split of the data, same judging seeds), so the question "is the first solver better?" is a
// one-sided paired t-test over the trials that both have run.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>

#include "zeroth/lab/studies/nn_study.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

using Row = std::map<std::int64_t, NnCell>;  // by trial

Row row(const std::vector<NnCell>& cells, const std::string& solver, std::int64_t evaluations) {
  Row found;
  for (const NnCell& c : cells)
    if (c.solver == solver && c.evaluations == evaluations) found.emplace(c.trial, c);
  return found;
}

double credit(const NnCell& cell, const Row& start) {
  if (cell.feasible) return cell.validation;
  const auto s = start.find(cell.trial);
  return s == start.end() ? guessing_error : s->second.validation;
}

// Probability, were the two equally good, of the first leading by as much as it does.
double p_value(const Row& first, const Row& other, const Row& start) {
  std::vector<double> lead;
  for (const auto& [trial, cell] : first)
    if (const auto o = other.find(trial); o != other.end())
      lead.push_back(credit(o->second, start) - credit(cell, start));
  if (lead.size() < 2) return std::nan("");
  const Moments m = moments(lead);
  if (!(m.se > 0)) return std::nan("");
  const boost::math::students_t t(static_cast<double>(lead.size()) - 1);
  return boost::math::cdf(boost::math::complement(t, m.mean / m.se));
}

std::string paper_figure(const std::string& data, const std::string& solver) {
  const bool mnist = data == "mnist";
  if (!mnist && data != "cifar10") return "";
  if (solver == "albo") return mnist ? "3.4" : "4.7";
  if (solver == "slack-al") return mnist ? "3.1" : "4.0";
  if (solver == "admmbo") return mnist ? "3.0" : "3.9";
  if (solver == "pesc") return mnist ? "2.9" : "3.4";
  if (solver == "proximal-conex") return mnist ? "1.9" : "2.2";
  return "";
}

}  // namespace

std::string nn_table(const NnStudy& study, const std::vector<NnCell>& cells) {
  const NetworkTask task(study.problem);
  const std::string first = study.solvers.front();
  const Row start = row(cells, nn_start, 0);
  std::string text = fmt::format(
      "Error in percent of the tuned network on {}, {} setting: {} iterations, at most {} MFLOP per prediction of {} "
      "images,\n{} fresh seeds per recommendation. feasible: share of recommendations within the limit; others count "
      "as "
      "the start.\np: {} better than this row by luck alone. paper: its validation error after 5000 iterations on "
      "other "
      "hardware.\n",
      study.problem.data, study.problem.setting, task.iterations(), task.limit(), prediction_batch, study.fresh_seeds,
      first);
  if (study.problem.data == "cifar10")
    text +=
        "The paper's figures for CIFAR-10 cannot be percent error of such a network, which errs on about half of the "
        "images.\n";
  for (const auto evaluations : study.evaluations) {
    // Budgets of which nothing was run are left out, but for the last, below which the fixed points stand.
    const bool ran = std::ranges::any_of(cells, [&](const NnCell& c) { return c.evaluations == evaluations; });
    if (!ran && evaluations != study.evaluations.back()) continue;
    const Row best = row(cells, first, evaluations);
    text += fmt::format(
        "\n| {} evaluations | trials | validation | se | test | MFLOP | feasible | p | s (CPU) | paper |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        evaluations);
    const auto line = [&](const std::string& solver, std::int64_t at) {
      const Row found = row(cells, solver, at);
      if (found.empty()) return;
      std::vector<double> validation, test, megaflops, feasible, seconds;
      for (const auto& [trial, c] : found) {
        validation.push_back(credit(c, start));
        test.push_back(c.test);
        megaflops.push_back(c.megaflops);
        feasible.push_back(c.feasible ? 100 : 0);
        seconds.push_back(c.cpu_seconds);
      }
      const Moments m = moments(validation);
      const double p = solver == first ? std::nan("") : p_value(best, found, start);
      text +=
          fmt::format("| {} | {} | {:.2f} | {} | {:.2f} | {:.1f} | {:.0f} % | {} | {:.0f} | {} |\n", solver,
                      found.size(), m.mean, found.size() > 1 ? fmt::format("{:.2f}", m.se) : "", moments(test).mean,
                      moments(megaflops).mean, moments(feasible).mean, std::isnan(p) ? "" : fmt::format("{:.2g}", p),
                      moments(seconds).mean, paper_figure(study.problem.data, solver));
    };
    for (const auto& solver : study.solvers) line(solver, evaluations);
    line(nn_start, 0);
    line(nn_known, 0);
    line(nn_widened, 0);
  }
  return text;
}

}  // namespace zeroth
