// SPDX-License-Identifier: MIT
#include "zeroth/report/paper_figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <set>

#include "zeroth/core/error.hpp"
#include "zeroth/core/files.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/report/figure.hpp"
#include "zeroth/run/declared.hpp"

namespace zeroth {
namespace {

constexpr std::size_t most_panels = 12, most_solvers = 8;
// A quantity along the path with the standard error that a single run gives it.
using Quantity = std::function<Estimate(const PathPoint&)>;

std::string file_name(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (word) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  constexpr std::size_t longest = 80;  // far below what any file system allows
  if (out.size() > longest) out.resize(longest);
  while (!out.empty() && out.back() == '-') out.pop_back();
  return out.empty() ? "problem" : out;
}

Series series_of(const SolverGroup& group, const Members& members, const Quantity& quantity) {
  Band band;
  if (members.size() > 1) {
    band = band_over(members, group.budget, [&](const PathPoint& p) { return quantity(p).mean; });
  } else {
    for (const PathPoint& p : members[0]->path.points()) {
      const Estimate e = quantity(p);
      if (!std::isfinite(e.mean)) continue;
      band.evaluations.push_back(static_cast<double>(p.evaluations));
      band.mean.push_back(e.mean);
      band.se.push_back(e.se);
    }
  }
  Series series{plain_text(group.label), band.evaluations, band.mean, {}, {}, false, false};
  for (std::size_t i = 0; i < band.mean.size(); ++i) {
    const double se = std::isfinite(band.se[i]) ? band.se[i] : 0;
    series.lower.push_back(band.mean[i] - se);
    series.upper.push_back(band.mean[i] + se);
  }
  return series;
}

class Writer {
 public:
  Writer(const ReportedRuns& runs, const ProblemGroup& problem, std::filesystem::path stem, PaperFigures& out)
      : problem_(problem), stem_(std::move(stem)), out_(out) {
    for (const SolverGroup& group : problem.solvers) {
      Members& list = members_.emplace_back();
      for (const std::int64_t id : group.runs) list.push_back(runs.at(id).get());
    }
  }

  Panel panel(const std::string& title, const std::string& y_label, const Quantity& quantity,
              std::optional<double> limit = {}) const {
    Panel panel{plain_text(title), "evaluations", y_label, false, false, {}};
    double last = 0;
    for (std::size_t g = 0; g < members_.size() && g < most_solvers; ++g) {
      Series series = series_of(problem_.solvers[g], members_[g], quantity);
      if (series.x.empty()) continue;
      last = std::max(last, series.x.back());
      panel.series.push_back(std::move(series));
    }
    if (limit && !panel.series.empty())
      panel.series.push_back({"limit", {0, last}, {*limit, *limit}, {}, {}, false, true});
    return panel;
  }

  void write(const std::string& kind, std::vector<Panel> panels) {
    std::erase_if(panels, [](const Panel& p) { return p.series.empty(); });
    if (panels.empty()) return;
    if (panels.size() > most_panels) panels.resize(most_panels);
    const std::filesystem::path stem = stem_.string() + "-" + kind;
    out_.drawn = draw(panels, stem, 2, Pictures::svg_and_pdf) && out_.drawn;
    write_numbers(panels, stem.string() + ".csv");
    for (const char* extension : {".svg", ".pdf", ".gnuplot", ".csv"})
      if (std::filesystem::exists(stem.string() + extension)) out_.files.push_back(stem.string() + extension);
  }

  const RunHistory& example() const { return members_.front().front()->history; }

 private:
  static void write_numbers(const std::vector<Panel>& panels, const std::string& path) {
    std::string text = "panel,solver,evaluations,mean,mean_minus_se,mean_plus_se\n";
    for (const Panel& p : panels)
      for (const Series& s : p.series)
        for (std::size_t i = 0; i < s.x.size() && !s.lower.empty(); ++i)
          text += fmt::format("{},{},{},{},{},{}\n", csv_cell(p.title), csv_cell(s.name), s.x[i], s.y[i], s.lower[i],
                              s.upper[i]);
    replace_file(path, text);
  }

  const ProblemGroup& problem_;
  std::filesystem::path stem_;
  PaperFigures& out_;
  std::vector<Members> members_;
};

}  // namespace

PaperFigures paper_figures(const ReportedRuns& runs, const std::filesystem::path& directory) {
  std::error_code failure;
  std::filesystem::create_directories(directory, failure);
  if (failure || !std::filesystem::is_directory(directory))
    throw Error(directory.string(), "cannot make this directory; choose another one for --figures");
  PaperFigures out;
  std::set<std::string> taken;
  for (const ProblemGroup& problem : compare(runs)) {
    std::string name = file_name(problem.name);
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{}-{}", file_name(problem.name), k);
    Writer writer(runs, problem, directory / name, out);
    const RunHistory& h = writer.example();
    std::vector<Panel> convergence{
        writer.panel(fmt::format("Objective ({})", problem.maximize ? "maximised" : "minimised"), "objective",
                     [](const PathPoint& p) { return p.values[0]; })};
    if (h.functions().size() > 1)
      convergence.push_back(writer.panel(
          "Violation of the worst constraint", "violation", [](const PathPoint& p) { return p.violation; }, 0.0));
    writer.write("convergence", std::move(convergence));
    std::vector<Panel> constraints, multipliers;
    for (std::size_t i = 1; i < h.functions().size(); ++i) {
      const Statement* s = h.statement(i);
      const Declared declared = declaration(h.functions()[i], s);
      // The path of a quantile is that of the probability it is about; a CVaR has none.
      const bool quantile = s && s->kind == Statement::Kind::quantile;
      constraints.push_back(writer.panel(
          h.functions()[i], s && s->chance() ? "probability" : "value",
          [i, s](const PathPoint& p) {
            return Estimate{in_declared_units(p.values[i].mean, s), p.values[i].se};
          },
          quantile ? 1 - s->share : declared.limit));
      multipliers.push_back(writer.panel(h.functions()[i], "multiplier", [i](const PathPoint& p) {
        return i <= p.multipliers.size() ? Estimate{p.multipliers[i - 1]} : Estimate{};
      }));
    }
    writer.write("constraints", std::move(constraints));
    writer.write("multipliers", std::move(multipliers));
  }
  return out;
}

}  // namespace zeroth
