// SPDX-License-Identifier: MIT
//
// `zeroth reproduce qcqp-convex` and `qcqp-nonconvex`: figures, table and the page of findings. All figures in the page
// are computed from the ledgers here; nothing is typed.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>

#include "zeroth/report/figure.hpp"
#include "zeroth/report/simulation.hpp"
#include "zeroth/report/statistics.hpp"

namespace zeroth {
namespace {

using Measure = std::function<double(const SimulationPoint&)>;

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
        for (const auto& variant : panel.variants) {
          auto series = curve(variant.name, runs.at(panel.name).at(variant.name), x, y);
          if (series.x.size() > 1) p.series.push_back(std::move(series));
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

// Joint evaluations after which the mean of `what` over trials stays at most `level`; infinity: never.
double evaluations_to(const std::vector<Trajectory>& trials, const Measure& what, double level, const Measure& axis) {
  double reached = std::numeric_limits<double>::infinity();
  for (std::size_t k = trials[0].size(); k-- > 0;) {
    if (!(over_trials(trials, k, what).mean <= level)) break;
    reached = axis(trials[0][k]);
  }
  return reached;
}

std::string count(double n) { return std::isfinite(n) ? fmt::format("{:.0f}", n) : "not reached"; }

std::string final_table(const SimulationPanel& panel, const std::map<std::string, std::vector<Trajectory>>& runs,
                        bool nonconvex) {
  std::string text = nonconvex
                         ? "| curve | trials | evaluations | calls | \\|grad f0\\| | KKT residual | violation "
                           "|\n|---|---|---|---|---|---|---|\n"
                         : "| curve | trials | evaluations | calls | gap | violation |\n|---|---|---|---|---|---|\n";
  for (const auto& variant : panel.variants) {
    const auto& t = runs.at(variant.name);
    const std::size_t last = t[0].size() - 1;
    text +=
        fmt::format("| {} | {} | {:.0f} | {:.0f} |", variant.name, t.size(), t[0][last].evaluations, t[0][last].calls);
    if (nonconvex)
      text += fmt::format(" {} | {} |", plus_minus(over_trials(t, last, &SimulationPoint::gradient)),
                          plus_minus(over_trials(t, last, &SimulationPoint::kkt)));
    else text += fmt::format(" {} |", plus_minus(over_trials(t, last, &SimulationPoint::gap)));
    text += fmt::format(" {} |\n", plus_minus(over_trials(t, last, &SimulationPoint::violation)));
  }
  return text;
}

// Where each of the four ends, and the calls that `best` needs to stay at least as good.
std::string duels(const SimulationPanel& panel, const std::map<std::string, std::vector<Trajectory>>& runs,
                  const Measure& what, const std::string& best) {
  std::string text;
  const auto& ours = runs.at(best);
  for (const auto& variant : panel.variants) {
    if (variant.solver != "albo" && variant.solver != "slack-al" && variant.solver != "admmbo" &&
        variant.solver != "pesc")
      continue;
    const auto& t = runs.at(variant.name);
    const std::size_t last = t[0].size() - 1;
    const Moments end = over_trials(t, last, what);
    const double needs = evaluations_to(ours, what, end.mean, &SimulationPoint::calls);
    text += fmt::format("  - {} ends at {} after {:.0f} calls; {} needs {} calls for that.\n", variant.name,
                        plus_minus(end), t[0][last].calls, best, count(needs));
  }
  return text;
}

}  // namespace

// Errors here are max(gap, violation) in the convex case and the KKT residual in the nonconvex one.
std::string findings(const std::vector<SimulationPanel>& panels, const SimulationRuns& runs, bool nonconvex) {
  const Measure what = nonconvex ? Measure(&SimulationPoint::kkt) : Measure(&SimulationPoint::error);
  std::string text;
  for (const auto& panel : panels) {
    const auto& r = runs.at(panel.name);
    text += fmt::format("### {}\n\n{}\n", panel.title, final_table(panel, r, nonconvex));
    if (!r.contains("SZO-ConEx nu=0.1")) continue;
    const auto& small = r.at("SZO-ConEx nu=0.05");
    const auto& middle = r.at("SZO-ConEx nu=0.1");
    const auto& large = r.at("SZO-ConEx nu=2");
    const std::size_t last = middle[0].size() - 1;
    const Moments begin = over_trials(middle, 0, what), end = over_trials(middle, last, what);
    const Moments end_small = over_trials(small, last, what), end_large = over_trials(large, last, what);
    const double spread =
        1.96 * std::hypot(std::isfinite(end.se) ? end.se : 0, std::isfinite(end_small.se) ? end_small.se : 0);
    text += fmt::format("- *The curve falls*: {} (nu = 0.1: {:.3g} at first, {} at the end).\n",
                        end.mean < begin.mean ? "yes" : "no", begin.mean, plus_minus(end));
    text +=
        fmt::format("- *Robust to small nu*: {} (0.05: {}, 0.1: {}).\n",
                    std::abs(end_small.mean - end.mean) <= std::max(spread, 0.1 * std::abs(end.mean)) ? "yes" : "no",
                    plus_minus(end_small), plus_minus(end));
    const bool diverges = !std::isfinite(end_large.mean) || end_large.mean > over_trials(large, 0, what).mean;
    text += fmt::format("- *Divergence at nu = 2*: {} (ends at {}, {:.2g} times nu = 0.1).\n", diverges ? "yes" : "no",
                        plus_minus(end_large), end_large.mean / end.mean);
    text += "- *Better than the four per call*: where each of them ends,\n" + duels(panel, r, what, "SZO-ConEx nu=0.1");
    text += "- *Ours against the four*:\n" + duels(panel, r, what, "adaptive-conex");
    if (r.contains("adaptive-conex")) {
      const auto& adaptive = r.at("adaptive-conex");
      const double theirs = middle[0][last].evaluations;
      const double needs = evaluations_to(adaptive, what, end.mean, &SimulationPoint::evaluations);
      text += fmt::format(
          "- *adaptive-conex* has what Algorithm 1 (nu = 0.1) has after {:.0f} joint evaluations after {}{}.\n", theirs,
          count(needs), std::isfinite(needs) ? fmt::format(": {:.0f} times fewer", theirs / needs) : "");
    }
    text += "\n";
  }
  return text;
}

namespace {

std::string reproduce(const ReproduceOptions& o, bool nonconvex) {
  const std::filesystem::path figure_folder = o.out / "figures";
  std::filesystem::create_directories(figure_folder);
  const std::string stem = nonconvex ? "qcqp-nonconvex" : "qcqp-convex";
  const auto panels = nonconvex ? nonconvex_panels(o) : convex_panels(o);
  const auto runs = run_panels(panels, figure_folder / (stem + ".csv"), o.jobs);
  std::vector<std::pair<Measure, const char*>> measures;
  if (nonconvex) {
    measures = {{&SimulationPoint::gradient, "gradient of f0, norm"}, {&SimulationPoint::kkt, "KKT residual"}};
  } else {
    measures = {{&SimulationPoint::gap, "gap f0(x) - f0*"}, {&SimulationPoint::violation, "violation of f1 <= 1"}};
  }
  figures(panels, runs, figure_folder, stem, measures);
  std::string text = findings(panels, runs, nonconvex);
  if (!nonconvex) {
    const auto ablation = ablation_panels(o);
    const auto changed = run_panels(ablation, figure_folder / "qcqp-ablation.csv", o.jobs);
    figures(ablation, changed, figure_folder, "qcqp-ablation", measures);
    text += "## One change at a time\n\n" + findings(ablation, changed, false);
  }
  std::ofstream(figure_folder / (stem + ".md")) << text;
  return text;
}

}  // namespace

std::string reproduce_qcqp_convex(const ReproduceOptions& o) { return reproduce(o, false); }
std::string reproduce_qcqp_nonconvex(const ReproduceOptions& o) { return reproduce(o, true); }

}  // namespace zeroth
