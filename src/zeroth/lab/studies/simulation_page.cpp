// SPDX-License-Identifier: MIT
//
// `zeroth reproduce qcqp-convex` and `qcqp-nonconvex`: figures, table and the page of findings. All figures in the page
// are computed from the ledgers here; nothing is typed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/studies/simulation_race.hpp"
#include "zeroth/report/figure.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

// Mean and standard error over trials at checkpoint k.
Moments over_trials(const std::vector<Trajectory>& trials, std::size_t k, const Measure& what) {
  std::vector<double> values;
  for (const auto& t : trials) values.push_back(what(t[k]));
  return moments(values);
}

Series curve(const std::string& name, const std::vector<Trajectory>& trials, const Measure& x, const Measure& y) {
  Series s;
  s.name = name;
  for (std::size_t k = 0; k < trials[0].size(); ++k) {
    const Moments m = over_trials(trials, k, y);
    if (!std::isfinite(m.mean) || m.mean <= 0) continue;
    s.x.push_back(x(trials[0][k]));
    s.y.push_back(m.mean);
    const double se = std::isfinite(m.se) ? m.se : 0;
    s.lower.push_back(std::max(m.mean - se, 0.05 * m.mean));
    s.upper.push_back(m.mean + se);
  }
  return s;
}

void figures(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs, const std::filesystem::path& out,
             const std::string& stem, const std::vector<std::pair<Measure, const char*>>& measures) {
  const std::pair<Measure, const char*> axes[] = {{&SimulationPoint::calls, "calls of single functions"},
                                                  {&SimulationPoint::evaluations, "joint evaluations"}};
  for (const auto& [x, x_label] : axes) {
    const std::string suffix = std::string(x_label).starts_with("calls") ? "calls" : "evaluations";
    for (const auto& [y, y_label] : measures) {
      std::vector<Panel> drawn;
      for (const auto& panel : panels) {
        Panel p{panel.title, x_label, y_label, true, true, {}};
        for (std::size_t v = 0; v < panel.variants.size(); ++v) {
          const std::string& name = panel.variants[v].name;
          auto series = curve(name, runs.at(panel.name).at(name), x, y);
          if (series.x.empty()) continue;
          series.color = v;  // the same in every panel, whoever is missing
          series.points = series.x.size() == 1;
          p.series.push_back(std::move(series));
        }
        drawn.push_back(std::move(p));
      }
      std::string name = y_label;
      name = name.substr(0, name.find(' '));
      draw(drawn, out / fmt::format("{}-{}-{}", stem, name, suffix), panels.size() > 1 ? 2 : 1);
    }
  }
}

std::string plus_minus(const Moments& m) {
  if (!std::isfinite(m.se)) return fmt::format("{:.3g}", m.mean);
  return fmt::format("{:.3g} ± {:.2g}", m.mean, 1.96 * m.se);
}

std::string count(double n) { return std::isfinite(n) ? fmt::format("{:.0f}", n) : "not reached"; }

std::string final_table(const SimulationPanel& panel, const Curves& runs, bool nonconvex) {
  std::string text = nonconvex
                         ? "| curve | trials | evaluations | calls | f0 | \\|grad f0\\| | KKT residual | violation "
                           "|\n|---|---|---|---|---|---|---|---|\n"
                         : "| curve | trials | evaluations | calls | gap | violation |\n|---|---|---|---|---|---|\n";
  for (const auto& variant : panel.variants) {
    const auto& t = runs.at(variant.name);
    const std::size_t last = t[0].size() - 1;
    text +=
        fmt::format("| {} | {} | {:.0f} | {:.0f} |", variant.name, t.size(), t[0][last].evaluations, t[0][last].calls);
    text += fmt::format(" {} |", plus_minus(over_trials(t, last, &SimulationPoint::gap)));
    if (nonconvex)
      text += fmt::format(" {} | {} |", plus_minus(over_trials(t, last, &SimulationPoint::gradient)),
                          plus_minus(over_trials(t, last, &SimulationPoint::kkt)));
    text += fmt::format(" {} |\n", plus_minus(over_trials(t, last, &SimulationPoint::violation)));
  }
  return text;
}

// What is asked of every panel, and how it came out there.
struct Claim {
  std::string name, verdict;
  std::string evidence = {};
};

std::string yes_or_no(bool holds) { return holds ? "yes" : "**no**"; }

double half_width(const Moments& m) { return std::isfinite(m.se) ? 1.96 * m.se : 0; }

Claim fewer(const SimulationPanel& panel, const Curves& runs, const Measure& what, const std::string& who,
            const std::vector<std::string>& ours, const Measure& axis, const char* unit,
            std::span<const double> shares) {
  const PanelRace r = race(panel, runs, what, ours, axis, shares);
  return {fmt::format("{} needs fewer {} than the four", who, unit), r.verdict(),
          r.ratios.empty() ? "" : fmt::format("times as many, {}", fmt::join(r.ratios, "; "))};
}

// Errors are max(gap, violation) in the convex case and the KKT residual in the nonconvex one.
std::vector<Claim> claims(const SimulationPanel& panel, const Curves& runs, const Measure& what) {
  // Residuals of two random feasible points differ by a tenth: nine tenths of the start's are no accuracy there.
  const std::span<const double> shares = std::span(shares_of_the_start).subspan(panel.problem.indefinite ? 1 : 0);
  const auto& small = runs.at("SZO-ConEx nu=0.05");
  const auto& middle = runs.at("SZO-ConEx nu=0.1");
  const auto& large = runs.at("SZO-ConEx nu=2");
  const std::size_t last = middle[0].size() - 1;
  const Moments begin = over_trials(middle, 0, what), end = over_trials(middle, last, what);
  const Moments end_small = over_trials(small, last, what), end_large = over_trials(large, last, what);
  const double spread = std::hypot(half_width(end), half_width(end_small));
  const double theirs = middle[0][last].evaluations;
  double highest = 0;
  for (std::size_t k = 0; k <= last; ++k) highest = std::max(highest, over_trials(middle, k, what).mean);
  std::vector<double> falls;
  for (const auto& t : middle) falls.push_back(what(t[last]) - what(t[0]));
  const Moments fall = moments(falls);
  std::vector<double> needs;  // of adaptive-conex, for what the Algorithm has at its end, trial by trial
  for (std::size_t t = 0; t < middle.size(); ++t)
    needs.push_back(
        stays_below(runs.at("adaptive-conex")[t], what, what(middle[t][last]), &SimulationPoint::evaluations));
  const double needed = median(needs), most = *std::ranges::max_element(needs);
  std::vector<std::string> ours{"adaptive-conex"};
  if (runs.contains("trust-bo")) ours.push_back("trust-bo");
  return {
      {"Algorithm's error falls", yes_or_no(fall.mean + half_width(fall) < 0),
       fmt::format("nu = 0.1: {:.3g} at first, {:.3g} at most, {} at the end, by {} in the same trial", begin.mean,
                   highest, plus_minus(end), plus_minus(fall))},
      {"small nu are alike",
       yes_or_no(std::abs(end_small.mean - end.mean) <= std::max(spread, 0.1 * std::abs(end.mean))),
       fmt::format("ends at {} (0.05) and {} (0.1)", plus_minus(end_small), plus_minus(end))},
      {"nu = 2 is worse than nu = 0.1",
       yes_or_no(!std::isfinite(end_large.mean) || end_large.mean - half_width(end_large) > end.mean + half_width(end)),
       fmt::format("ends at {}, which is {:.2g} times nu = 0.1", plus_minus(end_large), end_large.mean / end.mean)},
      {"nu = 2 diverges",
       yes_or_no(!std::isfinite(end_large.mean) || end_large.mean > over_trials(large, 0, what).mean),
       fmt::format("{:.3g} at first, {} at the end", over_trials(large, 0, what).mean, plus_minus(end_large))},
      fewer(panel, runs, what, "Algorithm", {"SZO-ConEx nu=0.1"}, &SimulationPoint::calls, "calls", shares),
      fewer(panel, runs, what, "`adaptive-conex`", {"adaptive-conex"}, &SimulationPoint::calls, "calls", shares),
      fewer(panel, runs, what, "`adaptive-conex`", {"adaptive-conex"}, &SimulationPoint::evaluations, "evaluations",
            shares),
      fewer(panel, runs, what, "The best of ours", ours, &SimulationPoint::calls, "calls", shares),
      fewer(panel, runs, what, "The best of ours", ours, &SimulationPoint::evaluations, "evaluations", shares),
      {"`adaptive-conex` needs 100x fewer evaluations than the Algorithm", yes_or_no(theirs >= 100 * needed),
       fmt::format("it has what Algorithm (nu = 0.1) has after {:.0f} evaluations after {} (median; {} at most){}",
                   theirs, count(needed), count(most),
                   std::isfinite(needed) ? fmt::format(": {:.0f} times fewer", theirs / needed) : "")}};
}

// Every other curve against the first, where the curves are variants of one method.
std::string changes(const SimulationPanel& panel, const Curves& runs, const Measure& what) {
  std::string text;
  const auto end = [&](const Variant& v) { return over_trials(runs.at(v.name), runs.at(v.name)[0].size() - 1, what); };
  const Moments base = end(panel.variants[0]);
  for (std::size_t i = 1; i < panel.variants.size(); ++i) {
    const Moments m = end(panel.variants[i]);
    const double noise = std::hypot(half_width(base), half_width(m));
    const char* verdict = !(m.mean - base.mean <= noise) ? "worse"
                          : base.mean - m.mean > noise   ? "better"
                                                         : "no different";
    text += fmt::format("- *{}*: error {} against {}, {}\n", panel.variants[i].name, plus_minus(m), plus_minus(base),
                        verdict);
  }
  return text + "\n";
}

// Which claim holds in which panel, at a glance.
std::string overview(const std::vector<SimulationPanel>& panels, const std::vector<std::vector<Claim>>& all) {
  if (all.empty()) return "";
  std::string text = "| claim |";
  for (const auto& panel : panels) text += fmt::format(" {} |", panel.title);
  text += "\n|---|";
  for (std::size_t k = 0; k < panels.size(); ++k) text += "---|";
  text += "\n";
  for (std::size_t i = 0; i < all[0].size(); ++i) {
    text += fmt::format("| {} |", all[0][i].name);
    for (const auto& claims : all) text += fmt::format(" {} |", claims[i].verdict);
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

std::string findings(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs, bool nonconvex) {
  const Measure what = nonconvex ? Measure(&SimulationPoint::kkt) : Measure(&SimulationPoint::error);
  std::string text;
  std::vector<std::vector<Claim>> all;
  for (const auto& panel : panels) {
    const auto& r = runs.at(panel.name);
    text += fmt::format("### {}\n\n{}\n", panel.title, final_table(panel, r, nonconvex));
    if (!r.contains("SZO-ConEx nu=0.1")) {
      text += changes(panel, r, what);
      continue;
    }
    all.push_back(claims(panel, r, what));
    text += race_table(panel, r, what) + "\n";
    for (const Claim& c : all.back())
      text += fmt::format("- *{}*: {}{}{}\n", c.name, c.verdict, c.evidence.empty() ? "" : "; ", c.evidence);
    text += "\n";
  }
  return overview(panels, all) + text;
}

namespace {

std::string reproduce(const ReproduceOptions& o, bool nonconvex) {
  const std::filesystem::path figure_folder = o.out / "figures";
  std::filesystem::create_directories(figure_folder);
  const std::string stem = nonconvex ? "qcqp-nonconvex" : "qcqp-convex";
  if (o.evaluations.size() != 0 && o.evaluations.size() != 1 && o.evaluations.size() != 3)
    throw Error(
        "--evaluations: this study takes one number, the evaluations of each Bayesian system at n >= 50, or three, for "
        "n = 50, 200 and 500");
  const auto panels = nonconvex ? nonconvex_panels(o) : convex_panels(o);
  const auto runs = run_panels(panels, simulation_file(o, nonconvex), o.jobs, o.solvers);
  const auto ablation = nonconvex ? std::vector<SimulationPanel>{} : ablation_panels(o);
  const auto changed = run_panels(ablation, figure_folder / "qcqp-ablation.csv", o.jobs, o.solvers);
  if (!complete(panels, runs) || !complete(ablation, changed))
    return "Stored. The page is written when all of its curves are there: run the study again without --solvers.\n";
  std::vector<std::pair<Measure, const char*>> measures;
  if (nonconvex) {
    measures = {{&SimulationPoint::gradient, "gradient of f0, norm"}, {&SimulationPoint::kkt, "KKT residual"}};
  } else {
    measures = {{&SimulationPoint::gap, "gap f0(x) - f0*"}, {&SimulationPoint::violation, "violation of f1 <= 1"}};
  }
  figures(panels, runs, figure_folder, stem, measures);
  std::string text = fmt::format("Last run: `zeroth reproduce {}{}{}{} --out docs`.\n\n", stem,
                                 o.trials > 0 ? fmt::format(" --trials {}", o.trials) : "", o.full ? " --full" : "",
                                 o.smoke ? " --smoke" : "");
  text += findings(panels, runs, nonconvex);
  if (!nonconvex) {
    figures(ablation, changed, figure_folder, "qcqp-ablation", measures);
    text += "## One change at a time\n\n![ablation](figures/qcqp-ablation-gap-evaluations.png)\n\n" +
            findings(ablation, changed, false);
  }
  std::ofstream(figure_folder / (stem + ".md")) << text;
  write_paper_page(o.out);
  return text;
}

}  // namespace

std::string reproduce_qcqp_convex(const ReproduceOptions& o) { return reproduce(o, false); }
std::string reproduce_qcqp_nonconvex(const ReproduceOptions& o) { return reproduce(o, true); }

}  // namespace zeroth
