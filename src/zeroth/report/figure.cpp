// SPDX-License-Identifier: MIT
#include "zeroth/report/figure.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <sstream>

#include "zeroth/core/files.hpp"
#include "zeroth/core/text.hpp"

extern char** environ;

namespace zeroth {
namespace {

// Okabe and Ito's colours, distinguishable in print and with colour-blind eyes, and one of Tol's for a ninth.
constexpr std::array colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00",
                            "#56B4E9", "#000000", "#999999", "#882255"};

// Between single quotes gnuplot takes everything as it is but an apostrophe, which is doubled, and the end of the line.
// Between double quotes it would run what stands in backticks.
std::string gnuplot_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : one_line(text)) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

void write_data(std::ostream& script, const Panel& panel, std::size_t p) {
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    script << fmt::format("$data_{}_{} << EOD\n", p, s);
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      const bool band = !series.lower.empty();
      script << fmt::format("{:.10g} {:.10g} {:.10g} {:.10g}\n", series.x[i], series.y[i],
                            band ? series.lower[i] : series.y[i], band ? series.upper[i] : series.y[i]);
    }
    script << "EOD\n";
  }
}

void write_plot(std::ostream& script, const Panel& panel, std::size_t p) {
  script << fmt::format("set title {}\nset xlabel {}\nset ylabel {}\n", gnuplot_quoted(panel.title),
                        gnuplot_quoted(panel.x_label), gnuplot_quoted(panel.y_label));
  script << (panel.log_x ? "set logscale x\nset format x \"10^{%L}\"\n" : "unset logscale x\nset format x \"%g\"\n");
  script << (panel.log_y ? "set logscale y\nset format y \"%.1g\"\n" : "unset logscale y\nset format y \"%g\"\n");
  // A flat line has no range of its own, and gnuplot would say so on stderr.
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Series& series : panel.series)
    for (const auto* list : {&series.y, &series.lower, &series.upper})
      for (const double v : *list) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  if (low == high) script << fmt::format("set yrange [{}:{}]\n", low - 1, high + 1);
  std::string parts;
  const auto add = [&](const std::string& part) { parts += (parts.empty() ? "plot " : ", \\\n     ") + part; };
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    const std::string data = fmt::format("$data_{}_{}", p, s);
    const char* color = colors[series.color.value_or(s) % colors.size()];
    if (!series.lower.empty() && !series.points)
      add(fmt::format("{} using 1:3:4 with filledcurves fs transparent solid 0.18 noborder lc rgb \"{}\" notitle", data,
                      color));
  }
  for (std::size_t s = 0; s < panel.series.size(); ++s) {
    const Series& series = panel.series[s];
    const std::string data = fmt::format("$data_{}_{}", p, s);
    const char* color = colors[series.color.value_or(s) % colors.size()];
    if (series.points)
      add(fmt::format("{} using 1:2:3:4 with yerrorbars pt 7 ps 0.5 lc rgb \"{}\" title {}", data, color,
                      gnuplot_quoted(series.name)));
    else
      add(fmt::format("{} using 1:2 with lines lw 2 dt {} lc rgb \"{}\" title {}", data, series.dashed ? 2 : 1, color,
                      gnuplot_quoted(series.name)));
  }
  script << parts << "\n";
  if (low == high) script << "set yrange [*:*]\n";
}

}  // namespace

bool run_gnuplot(const std::filesystem::path& script) {
  std::string program = "gnuplot", argument = "./" + script.filename().string();
  std::array<char*, 3> argv{program.data(), argument.data(), nullptr};
  const std::string directory = script.parent_path().empty() ? "." : script.parent_path().string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  pid_t child = 0;
  const bool started = posix_spawn_file_actions_addchdir_np(&actions, directory.c_str()) == 0 &&
                       posix_spawnp(&child, "gnuplot", &actions, nullptr, argv.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started) return false;
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string plain_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("_^{}@&~\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

bool draw(const std::vector<Panel>& panels, const std::filesystem::path& stem, int columns, Pictures pictures) {
  columns = std::min<int>(columns, static_cast<int>(panels.size()));
  const int rows = (static_cast<int>(panels.size()) + columns - 1) / columns;
  const bool pdf = pictures == Pictures::svg_and_pdf;
  const std::string name = stem.filename().string();  // gnuplot runs where the files go, so that no path is quoted
  for (const char* kind : {".svg", pdf ? ".pdf" : ".png"}) refuse_to_overwrite_a_store(stem.string() + kind);
  const std::filesystem::path file = stem.string() + ".gnuplot";
  {
    std::ostringstream script;
    for (std::size_t p = 0; p < panels.size(); ++p) write_data(script, panels[p], p);
    script << "set key below samplen 2 spacing 1.1\nset grid lc rgb \"#dddddd\"\nset border 3\nset tics nomirror\n"
              "set encoding utf8\n";
    for (const std::string kind : {"svg", pdf ? "pdfcairo" : "pngcairo"}) {
      // A hundred pixels are an inch of paper.
      const std::string size = kind == "pdfcairo" ? fmt::format("{:.2f}in,{:.2f}in", 5.6 * columns, 4.0 * rows)
                                                  : fmt::format("{},{}", 560 * columns, 400 * rows);
      script << fmt::format("set terminal {} size {} font \"Helvetica,{}\" background rgb \"white\"\nset output {}\n",
                            kind, size, 12,
                            gnuplot_quoted(name + (kind == "svg" ? ".svg"
                                                   : pdf         ? ".pdf"
                                                                 : ".png")));
      script << fmt::format("set multiplot layout {},{}\n", rows, columns);
      for (std::size_t p = 0; p < panels.size(); ++p) write_plot(script, panels[p], p);
      script << "unset multiplot\nunset output\n";
    }
    replace_file(file, script.str());
  }
  return run_gnuplot(file);
}

}  // namespace zeroth
