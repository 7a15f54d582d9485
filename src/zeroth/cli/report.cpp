// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/cli/signals.hpp"
#include "zeroth/core/files.hpp"
#include "zeroth/report/page.hpp"
#include "zeroth/report/page_data.hpp"
#include "zeroth/report/page_server.hpp"
#include "zeroth/report/paper_figures.hpp"

namespace zeroth::cli {
namespace {

struct ReportArguments {
  std::string path = "zeroth.db", out, figures;
  std::vector<std::int64_t> runs;
  bool serve = false;
  int port = 0;
};

void write_page(const ReportArguments& a) {
  const std::string target = a.out.empty() ? std::filesystem::path(a.path).replace_extension(".html").string() : a.out;
  if (target != "-") refuse_to_overwrite_a_store(target);  // before the work
  const ReportSource source(a.path, a.runs);
  const std::string text = page(std::filesystem::path(a.path).filename().string(), page_data(source, false));
  if (target == "-") {
    write_result(text);
    return;
  }
  replace_file(target, text);
  print("{}\n", target);
}

void write_figures(const ReportArguments& a) {
  const ReportSource source(a.path, a.runs);
  const PaperFigures figures = paper_figures(source.runs(), a.figures);
  for (const auto& file : figures.files) print("{}\n", file.string());
  if (!figures.drawn) note("gnuplot is missing or failed: only the scripts and the numbers were written\n");
}

void serve_page(const ReportArguments& a) {
  PageServer server(a.path, a.runs, a.port);
  catch_signals();
  print("{}\n", server.url());
  flush_result();
  note("the page of {} is served on this machine until Ctrl-C\n", a.path);
  server.serve([] { return stop_requested(); });
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command = app.add_subcommand("report", "A page that explains the runs in a store, opens offline");
  auto a = std::make_shared<ReportArguments>();
  command->add_option("DB", a->path, "store")->capture_default_str();
  command->add_option("-o,--output", a->out, "the page; '-' for stdout (default: DB with .html)");
  command->add_option("--run", a->runs, "number of a run to report; may be repeated (default: the newest 200)")
      ->check(CLI::PositiveNumber)
      ->allow_extra_args(false);
  auto* serve = command->add_flag("--serve", a->serve,
                                  "the page live while runs go on, on this machine only; prints its address");
  command->add_option("--port", a->port, "where --serve listens; 0: any free port")
      ->check(CLI::Range(0, 65535))
      ->needs(serve)
      ->capture_default_str();
  command
      ->add_option("--figures", a->figures,
                   "a directory for figures of the same plots (SVG, PDF, CSV), instead of the page")
      ->excludes(serve);
  command->callback([a] {
    if (!a->figures.empty()) write_figures(*a);
    else if (a->serve) serve_page(*a);
    else write_page(*a);
  });
}

}  // namespace zeroth::cli
