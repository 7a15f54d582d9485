// SPDX-License-Identifier: MIT
//
// Trials are paired (same subsample of the data, same judging seeds), so the question "is the first solver better?" is
// a one-sided paired t-test over the trials. An infeasible recommendation earns nothing: its effective samples count as
// zero.
#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "zeroth/lab/studies/hmc_study.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

std::vector<HmcCell> row(const std::vector<HmcCell>& cells, const std::string& solver, std::int64_t evaluations) {
  std::vector<HmcCell> found;
  for (const HmcCell& c : cells)
    if (c.solver == solver && c.evaluations == evaluations) found.push_back(c);
  std::ranges::sort(found, {}, &HmcCell::trial);
  return found;
}

std::vector<double> credits(const std::vector<HmcCell>& row) {
  std::vector<double> result;
  for (const HmcCell& c : row) result.push_back(c.credit());
  return result;
}

// Probability, were the two equally good, of the first leading by as much as it does.
double p_value(const std::vector<double>& first, const std::vector<double>& other) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) difference.push_back(first[i] - other[i]);
  const Moments m = moments(difference);
  if (!(m.se > 0)) return std::nan("");
  const boost::math::students_t t(static_cast<double>(difference.size()) - 1);
  return boost::math::cdf(boost::math::complement(t, m.mean / m.se));
}

std::string paper_figure(const std::string& solver) {
  if (solver == "albo") return "9.4e4";
  if (solver == "slack-al") return "9.3e4";
  if (solver == "admmbo") return "9.4e4";
  if (solver == "pesc") return "9.9e4";
  if (solver == "proximal-conex") return "10.8e4";
  return "";
}

}  // namespace

std::string hmc_table(const HmcStudy& study, const std::vector<HmcCell>& cells) {
  const auto optimum = credits(row(cells, grid_optimum, 0));
  const double attainable = moments(optimum).mean;
  const std::string first = study.solvers.front();
  std::string text = fmt::format(
      "Effective samples of the tuned sampler, {} gradients per evaluation, {} trials, {} fresh seeds each.\n"
      "feasible: share of trials whose recommendation passes both tests. p: {} better than this row by luck alone.\n",
      study.gradients, study.trials, study.fresh_seeds, first);
  for (const auto evaluations : study.evaluations) {
    const auto best = credits(row(cells, first, evaluations)), random = credits(row(cells, "random", evaluations));
    text += fmt::format(
        "\n| {} evaluations | mean | se | feasible | of attainable | of random | p | s (CPU) | paper |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        evaluations);
    const auto line = [&](const std::string& solver, std::int64_t at) {
      const auto found = row(cells, solver, at);
      const auto values = credits(found);
      if (values.empty()) return;
      const Moments m = moments(values);
      const auto feasible = std::ranges::count_if(found, [](const HmcCell& c) { return c.feasible; });
      double seconds = 0;
      for (const HmcCell& c : found) seconds += c.cpu_seconds / static_cast<double>(found.size());
      const double p = solver == first ? std::nan("") : p_value(best, values);
      text += fmt::format("| {} | {:.0f} | {:.0f} | {:.0f} % | {:.2f} | {:.2f} | {} | {:.1f} | {} |\n", solver, m.mean,
                          m.se, 100.0 * static_cast<double>(feasible) / static_cast<double>(found.size()),
                          m.mean / attainable, m.mean / moments(random).mean,
                          std::isnan(p) ? "" : fmt::format("{:.2g}", p), seconds, paper_figure(solver));
    };
    for (const auto& solver : study.solvers) line(solver, evaluations);
    line(start_point, 0);
    line(grid_optimum, 0);
  }
  return text;
}

}  // namespace zeroth
