// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/describe_problem.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/problem_file/problem_file.hpp"

namespace zeroth::cli {
namespace {

template <class Entries>
void print_all(const char* title, const Entries& entries) {
  print("{}\n", title);
  for (const auto& e : entries) print("  {:<20} {}\n", e.name, e.summary);
}

void list_command(const std::string& what) {
  if (what.empty() || what == "solvers") print_all("solvers", solvers());
  if (what.empty() || what == "problems") print_all("problems", problems());
  if (what.empty() || what == "engines") print_all("engines", engines());
}

void print_options(const OptionList& options) {
  for (const Option& o : options) {
    print("  {:<18} {} (default {}{})\n", o.name(), o.type(), o.value().empty() ? "\"\"" : o.value(),
          o.allowed().empty() ? "" : ", " + o.allowed());
    print("  {:<18} {}\n", "", o.help());
  }
}

template <class Entry>
void describe(const Entry& e, const char* section) {
  print("{}: {}\n", e.name, e.summary);
  if (!e.reference.empty()) print("reference: {}\n", e.reference);
  e.describe([&](const OptionList& options) {
    print("{}\n", options.empty() ? "no options of its own" : fmt::format("options (keys of [{}]):", section));
    print_options(options);
  });
}

void describe_command(const std::string& name) {
  std::error_code unknown;
  if (name.ends_with(".toml") || std::filesystem::is_regular_file(name, unknown)) return describe_problem(name);
  const auto named = [&](const auto& e) { return e.name == name; };
  if (const auto s = std::ranges::find_if(solvers(), named); s != solvers().end()) {
    describe(*s, "solver");
    print("keys of [solver] for every solver:\n");
    RunSettings run;
    print_options(options_of(run));
    return;
  }
  if (const auto p = std::ranges::find_if(problems(), named); p != problems().end()) return describe(*p, "problem");
  if (const auto e = std::ranges::find_if(engines(), named); e != engines().end()) {
    print("{}: {}\n", e->name, e->summary);
    return;
  }
  std::vector<std::string> names;
  for (const auto& s : solvers()) names.push_back(s.name);
  for (const auto& p : problems()) names.push_back(p.name);
  for (const auto& e : engines()) names.push_back(e.name);
  const std::string near = nearest_name(name, names);
  throw Error(fmt::format("there is nothing called '{}'; {}", name,
                          near.empty() ? "see 'zeroth list'" : fmt::format("did you mean '{}'?", near)));
}

}  // namespace

void add_list(CLI::App& app) {
  auto* command = app.add_subcommand("list", "What there is: solvers, benchmark problems, engines");
  auto what = std::make_shared<std::string>();
  command->add_option("WHAT", *what, "solvers, problems or engines; all if left out")
      ->check(CLI::IsMember({"solvers", "problems", "engines"}));
  command->callback([what] { list_command(*what); });
}

void add_describe(CLI::App& app) {
  auto* command = app.add_subcommand(
      "describe", "A solver or problem with all its options; or a problem file, as it is understood");
  auto name = std::make_shared<std::string>();
  command->add_option("NAME", *name, "as 'zeroth list' shows it, or the path of a problem file")->required();
  command->callback([name] { describe_command(*name); });
}

}  // namespace zeroth::cli
