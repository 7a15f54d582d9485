// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "zeroth/apps/german_credit.hpp"
#include "zeroth/apps/hmc.hpp"
#include "zeroth/apps/mcmc/diagnostics.hpp"
#include "zeroth/apps/mcmc/spectrum.hpp"
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/lab/followed_run.hpp"
#include "zeroth/lab/parallel.hpp"
#include "zeroth/lab/studies/hmc_study.hpp"
#include "zeroth/report/figure.hpp"

namespace zeroth {
namespace {

constexpr std::uint64_t figure_seed = 1;
const HmcSetting beginner{20, 0.02, 1, 0.3}, tuned{5, 0.063, 1, 0};

std::span<const double> worst_series(const HmcChains& chains) {
  const Matrix& draws = chains.draws[0];
  Index worst = 0;
  double least = INFINITY;
  for (Index j = 0; j < draws.cols(); ++j) {
    const double size = mcmc::effective_size({draws.col(j).data(), static_cast<std::size_t>(draws.rows())});
    if (size < least) {
      least = size;
      worst = j;
    }
  }
  return {draws.col(worst).data(), static_cast<std::size_t>(draws.rows())};
}

Series autocorrelation(const std::string& name, std::span<const double> x, std::size_t lags) {
  Series series{.name = name};
  const double center = mcmc::mean(x), total = mcmc::squared_deviations(x);
  for (std::size_t lag = 0; lag <= std::min(lags, x.size() - 1); ++lag) {
    double sum = 0;
    for (std::size_t i = lag; i < x.size(); ++i) sum += (x[i] - center) * (x[i - lag] - center);
    series.x.push_back(static_cast<double>(lag));
    series.y.push_back(sum / total);
  }
  return series;
}

bool draw_chains(const LogisticPotential& potential, std::int64_t gradients, const std::filesystem::path& stem) {
  std::vector<Panel> panels;
  Panel memory{"Worst coefficient: autocorrelation", "lag (draws)", "", false, false, {}};
  for (const bool is_tuned : {false, true}) {
    const HmcChains chains = run_hmc(potential, is_tuned ? tuned : beginner, {.gradients = gradients}, figure_seed);
    const auto x = worst_series(chains);
    const std::string name = is_tuned ? "tuned: 5 steps of 0.063" : "start: 20 steps of 0.02";
    Series trace{.name = "worst coefficient"};
    // Against gradients spent, the currency that both pay in.
    const double cost = 2.0 * static_cast<double>(is_tuned ? tuned.steps : beginner.steps);
    const double skipped = static_cast<double>(gradients) - cost * static_cast<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      trace.x.push_back((skipped + cost * static_cast<double>(i + 1)) / 1000);
      trace.y.push_back(x[i]);
    }
    panels.push_back({fmt::format("{}, {:.0f} effective samples", name, diagnose(chains, "pymc").effective_size),
                      "thousand gradients",
                      "coefficient",
                      false,
                      false,
                      {trace}});
    memory.series.push_back(autocorrelation(name, x, 40));
  }
  panels.push_back(memory);
  return draw(panels, stem, 3);
}

struct Search2d {
  std::vector<std::array<double, 2>> asked, incumbents;  // (step size over root mass, steps)
};

Search2d follow(const Problem& problem, const std::string& solver, std::int64_t evaluations) {
  Search2d path;
  const auto units = hmc_units();
  const auto place = [&](std::span<const double> x) {
    return std::array{units[1].value(x[1]) / std::sqrt(units[2].value(x[2])), std::round(units[0].value(x[0]))};
  };
  Spec spec = problem.spec;
  spec.budget = evaluations;
  RunState run(spec, solver_named(solver).make(spec, {}, figure_seed), unchecked(evaluations));
  while (!run.done()) {
    answer_batch(run, [&](const Query& q) {
      path.asked.push_back(place(q.x));
      return evaluate_once(problem, q);
    });
    const auto now = place(as_span(run.recommended()));
    if (path.incumbents.empty() || path.incumbents.back() != now) path.incumbents.push_back(now);
  }
  return path;
}

bool draw_plane(const HmcStudy& study, const Problem& problem, const std::filesystem::path& stem, int jobs) {
  const bool small = study.gradients < 12500;
  const int columns = small ? 8 : 36;
  const std::vector<int> steps =
      small ? std::vector<int>{2, 5, 16} : std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64};
  constexpr double low = 0.005, high = 0.2;
  const auto edge = [&](double k) { return low * std::pow(high / low, k / columns); };
  std::vector<double> size(steps.size() * static_cast<std::size_t>(columns));
  parallel_for(jobs, size.size(), [&](std::size_t i) {
    const double h = edge(static_cast<double>(i % static_cast<std::size_t>(columns)) + 0.5);
    const Vector x = hmc_point({steps[i / static_cast<std::size_t>(columns)], h, 1, 0});
    const Answer answer = evaluate_once(problem, {as_span(x), figure_seed, {}});
    size[i] = answer.failed() || answer.values[1] > 0 || answer.values[2] > 0 ? 0 : std::exp(-answer.values[0]);
  });
  const std::string solver = "trust-bo";
  const Search2d path = follow(problem, solver, study.evaluations.back());

  const std::filesystem::path file = stem.string() + ".gnuplot";
  {
    std::ofstream out(file);
    const auto border = [&](std::size_t r) {  // between rows r-1 and r
      if (r == 0) return 0.75;
      if (r == steps.size()) return 72.0;
      return std::sqrt(static_cast<double>(steps[r - 1]) * steps[r]);
    };
    out << "$grid << EOD\n";
    for (std::size_t i = 0; i < size.size(); ++i) {
      if (size[i] <= 0) continue;
      const auto r = i / static_cast<std::size_t>(columns);
      const auto k = static_cast<double>(i % static_cast<std::size_t>(columns));
      out << fmt::format("{:.6g} {} {:.6g} {:.6g} {:.6g} {:.6g} {:.5g}\n", edge(k + 0.5), steps[r], edge(k),
                         edge(k + 1), border(r), border(r + 1), size[i]);
    }
    out << "EOD\n$asked << EOD\n";
    for (const auto& p : path.asked) out << fmt::format("{:.6g} {}\n", p[0], p[1]);
    out << "EOD\n$incumbents << EOD\n";
    for (const auto& p : path.incumbents) out << fmt::format("{:.6g} {}\n", p[0], p[1]);
    out << "EOD\n"
           "set encoding utf8\nset border 3\nset tics nomirror\nset logscale xy\nset key below\n"
        << fmt::format("set xrange [{}:{}]\nset yrange [0.75:72]\n", low, high)
        << "set xtics (0.005,0.01,0.02,0.05,0.1,0.2)\nset ytics (1,2,3,5,10,20,50)\nset logscale cb\n"
           "set cbtics (5,10,20,50,100,200,500,1000,2000,5000,10000,20000,50000,100000)\n"
           "set cblabel \"effective samples of the worst coefficient\"\n"
           "set xlabel \"step size / sqrt(mass)\"\nset ylabel \"leapfrog steps\"\n"
           "set palette defined (0 \"#f7fbff\", 0.5 \"#6baed6\", 0.8 \"#2171b5\", 1 \"#08306b\")\n";
    for (const char* kind : {"svg", "pngcairo"}) {
      const std::string suffix = std::string(kind) == "svg" ? ".svg" : ".png";
      out << fmt::format(
          "set terminal {} size 800,560 font \"Helvetica,12\" background rgb \"white\"\nset output \"{}{}\"\n"
          "plot $grid using 1:2:3:4:5:6:7 with boxxyerror fs solid noborder lc palette notitle, \\\n"
          "     $asked using 1:2 with points pt 6 ps 0.6 lc rgb \"#D55E00\" title \"points that {} asked\", \\\n"
          "     $incumbents using 1:2 with linespoints pt 7 ps 0.8 lw 2 lc rgb \"#E69F00\" title \"what it "
          "recommended\"\n"
          "unset output\n",
          kind, stem.filename().string(), suffix, solver);
    }
  }
  return run_gnuplot(file);
}

}  // namespace

bool hmc_figures(const HmcStudy& study, const std::filesystem::path& out, int jobs) {
  HmcOptions options;
  options.gradients = study.gradients;
  const LogisticPotential potential(german_credit_design(options.rows, 1), options.prior_variance);
  const bool chains = draw_chains(potential, study.gradients, out / "hmc-chains");
  return draw_plane(study, hmc(options), out / "hmc-plane", jobs) && chains;
}

}  // namespace zeroth
