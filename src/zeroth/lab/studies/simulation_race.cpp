// SPDX-License-Identifier: MIT
#include "zeroth/lab/studies/simulation_race.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

bool is_rival(const Variant& v) {
  return v.solver == "albo" || v.solver == "slack-al" || v.solver == "admmbo" || v.solver == "pesc";
}

const std::vector<Trajectory>& starts(const Curves& curves) { return curves.at(start_curve); }

// "2.4 (1.6 to 3.7)", or "> 2.4" of a rival that never arrives.
std::string times_as_much(const Duel& d) {
  const double mean = std::exp(0.5 * (d.lower + d.upper));
  if (d.arrivals == 0) return fmt::format("> {:.2g}", mean);
  if (d.trials == 1) return fmt::format("{:.2g}", mean);
  return fmt::format("{:.2g} ({:.2g} to {:.2g})", mean, std::exp(d.lower), std::exp(d.upper));
}

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace

double stays_below(const Trajectory& trial, const Measure& what, double level, const Measure& axis) {
  double reached = never;
  for (std::size_t k = trial.size(); k-- > 0;) {
    if (!(what(trial[k]) <= level)) break;
    reached = axis(trial[k]);
  }
  return reached;
}

Duel duel(const std::vector<Trajectory>& ours, const std::vector<Trajectory>& theirs,
          const std::vector<Trajectory>& start, const Measure& what, double share, const Measure& axis) {
  Duel result;
  std::vector<double> ratios;
  for (std::size_t trial = 0; trial < std::min(ours.size(), theirs.size()); ++trial) {
    const double level = share * what(start[trial].front());
    const double here = stays_below(ours[trial], what, level, axis);
    const double there = stays_below(theirs[trial], what, level, axis);
    const double here_at_least = std::min(here, axis(ours[trial].back()));
    const double there_at_least = std::min(there, axis(theirs[trial].back()));
    if (std::isinf(there) && (std::isinf(here) || here > there_at_least)) continue;
    if (std::isinf(here) && there > here_at_least) continue;  // ours ended before
    ratios.push_back(std::log(there_at_least / here_at_least));
    result.arrivals += std::isfinite(there);
  }
  result.trials = static_cast<int>(ratios.size());
  if (ratios.empty()) return result;
  const Moments m = moments(ratios);
  const double half = ratios.size() > 1 ? half_width_95(m.se, result.trials) : 0;
  result.lower = m.mean - half;
  result.upper = m.mean + half;
  return result;
}

namespace {

double median_need(const std::vector<Trajectory>& trials, const std::vector<Trajectory>& start, const Measure& what,
                   double share, const Measure& axis) {
  std::vector<double> all;
  for (std::size_t t = 0; t < trials.size(); ++t)
    all.push_back(stays_below(trials[t], what, share * what(start[t].front()), axis));
  return median(all);
}

}  // namespace

PanelRace race(const SimulationPanel& panel, const Curves& curves, const Measure& what,
               const std::vector<std::string>& ours, const Measure& axis, std::span<const double> shares) {
  PanelRace result;
  const auto& start = starts(curves);
  const double coarsest = shares.front();
  const auto best_of_ours = [&](double share) -> const std::vector<Trajectory>& {
    const auto need = [&](const std::string& name) { return median_need(curves.at(name), start, what, share, axis); };
    return curves.at(*std::ranges::min_element(ours, {}, need));
  };
  const auto& first = best_of_ours(coarsest);
  result.arrives = true;
  for (std::size_t trial = 0; trial < first.size(); ++trial)
    result.arrives =
        result.arrives && std::isfinite(stays_below(first[trial], what, coarsest * what(start[trial].front()), axis));
  for (const double share : shares) {
    std::vector<std::string> here;
    for (const Variant& rival : panel.variants) {
      if (!is_rival(rival)) continue;
      const Duel d = duel(best_of_ours(share), curves.at(rival.name), start, what, share, axis);
      const std::string where = rival.name + " at " + percent(share);
      if (d.trials > 0) here.push_back(rival.name + " " + times_as_much(d));
      if (d.trials > 0 && !d.ours()) (d.theirs() ? result.ahead : result.level).push_back(where);
      if (share != coarsest) continue;
      if (d.trials > 0) result.decided = true;
      else result.open.push_back(rival.name);
    }
    if (!here.empty()) result.ratios.push_back(fmt::format("at {}: {}", percent(share), fmt::join(here, ", ")));
  }
  return result;
}

std::string PanelRace::verdict() const {
  if (!arrives) return "**no**";
  std::vector<std::string> parts;
  if (!ahead.empty()) parts.push_back(fmt::format("behind {}", fmt::join(ahead, ", ")));
  if (!level.empty()) parts.push_back(fmt::format("level with {}", fmt::join(level, ", ")));
  if (decided && !open.empty()) parts.push_back(fmt::format("open: {}", fmt::join(open, ", ")));
  const char* word = !decided ? "open" : !ahead.empty() ? "**no**" : !level.empty() ? "not shown" : "yes";
  return parts.empty() ? word : fmt::format("{} ({})", word, fmt::join(parts, "; "));
}

std::string race_table(const SimulationPanel& panel, const Curves& curves, const Measure& what) {
  const auto& start = starts(curves);
  const auto needed = [&](const std::vector<Trajectory>& trials, double share, const Measure& axis) {
    return median_need(trials, start, what, share, axis);
  };
  std::string text =
      "Joint evaluations (calls) until the error stays below a share of the start's, median over the "
      "trials:\n\n| curve |";
  for (const double share : shares_of_the_start) text += fmt::format(" {} |", percent(share));
  text += "\n|---|";
  for (std::size_t k = 0; k < std::size(shares_of_the_start); ++k) text += "---|";
  text += "\n";
  std::map<double, double> least;
  for (const double share : shares_of_the_start) {
    least[share] = never;
    for (const auto& v : panel.variants)
      least[share] = std::min(least[share], needed(curves.at(v.name), share, &SimulationPoint::evaluations));
  }
  for (const auto& v : panel.variants) {
    const auto& trials = curves.at(v.name);
    text += fmt::format("| {} |", v.name);
    for (const double share : shares_of_the_start) {
      const double evaluations = needed(trials, share, &SimulationPoint::evaluations);
      if (std::isinf(evaluations)) {
        text += fmt::format(" > {:.0f} ({:.0f}) |", trials[0].back().evaluations, trials[0].back().calls);
        continue;
      }
      const char* mark = evaluations == least[share] ? "**" : "";
      text += fmt::format(" {}{:.0f}{} ({:.0f}) |", mark, evaluations, mark,
                          needed(trials, share, &SimulationPoint::calls));
    }
    text += "\n";
  }
  return text;
}

}  // namespace zeroth
