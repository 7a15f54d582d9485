// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace zeroth {

struct Series {
  std::string name{};
  std::vector<double> x{}, y{};
  std::vector<double> lower{}, upper{};  // a band around y; empty: none
  bool points = false;                   // marks (with error bars where there is a band) instead of a line
  bool dashed = false;
  std::optional<std::size_t> color{};  // which of the colours; by default that of its place in the panel
};

struct Panel {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<Series> series;
};

// Pixels for the web, or vectors for paper.
enum class Pictures { svg_and_png, svg_and_pdf };

// Draws the panels side by side, `columns` to a row, as STEM.svg and STEM.png (or .pdf) by way of gnuplot, and leaves
// the script and its data beside them as STEM.gnuplot. Without gnuplot only the script is written. Returns whether
// pictures were drawn.
bool draw(const std::vector<Panel>& panels, const std::filesystem::path& stem, int columns = 2,
          Pictures pictures = Pictures::svg_and_png);

// Text as it is, where gnuplot would take "_" or "^" for mathematics.
std::string plain_text(const std::string& text);

// Runs a script, in its directory, that draws what panels cannot say; false without gnuplot or if it failed.
bool run_gnuplot(const std::filesystem::path& script);

}  // namespace zeroth
