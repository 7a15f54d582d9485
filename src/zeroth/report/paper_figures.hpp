// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "zeroth/report/compare.hpp"

namespace zeroth {

// The page's plots for paper: for every problem its convergence, constraints and multipliers, a line per solver with
// mean and standard-error band over its seeds (of one run alone: its estimates with their standard errors). Each figure
// is NAME.svg, NAME.pdf, NAME.gnuplot, which draws them, and NAME.csv with the numbers. Returns what was written;
// without gnuplot that is scripts and numbers only, and `drawn` is false.
struct PaperFigures {
  std::vector<std::filesystem::path> files;
  bool drawn = true;
};
PaperFigures paper_figures(const ReportedRuns& runs, const std::filesystem::path& directory);

}  // namespace zeroth
