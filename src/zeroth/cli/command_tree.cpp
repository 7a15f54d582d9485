// SPDX-License-Identifier: MIT
#include "zeroth/cli/command_tree.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "zeroth/catalog/catalog.hpp"
#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/lab/studies/reproduce.hpp"
#include "zeroth/run/result_json.hpp"

namespace zeroth::cli {
namespace {

template <class Entries>
std::vector<std::string> names_in(const Entries& entries) {
  std::vector<std::string> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  return names;
}

// CLI11 says of a choice "{a,b,c}" in the type.
std::vector<std::string> braced(const std::string& type) {
  std::vector<std::string> list;
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return list;
  std::string word;
  for (std::size_t i = begin + 1; i <= end; ++i) {
    if (type[i] == ',' || type[i] == '}') list.push_back(std::exchange(word, ""));
    else word += type[i];
  }
  return list;
}

// Values that the parser leaves open but the catalog knows.
void add_known_values(const std::string& command, Argument& a) {
  const std::string key = a.name.empty() ? a.flags.back() : a.name;
  if (key == "--solver" || key == "--solvers") a.choices = names_in(solvers());
  else if (command == "describe" && key == "NAME") {
    a.choices = names_in(solvers());
    for (const auto& name : names_in(problems())) a.choices.push_back(name);
  } else if (command == "reproduce" && key == "name") a.choices = names_in(reproductions());
  else if (key == "FILE" || key == "DB" || key == "--store" || key == "--output") a.path = Argument::Path::file;
  else if (key == "--run") a.run = true;
  else if (key == "--out" || key == "--figures" || key == "--directory") a.path = Argument::Path::directory;
}

Argument argument_of(const CLI::Option& option, const std::string& command) {
  Argument a;
  for (const auto& name : option.get_snames()) a.flags.push_back("-" + name);
  for (const auto& name : option.get_lnames()) a.flags.push_back("--" + name);
  if (option.get_positional()) a.name = option.get_name(true);
  a.help = option.get_description();
  a.takes_value = option.get_expected_max() > 0 && option.get_type_size_max() > 0;
  a.required = option.get_required();
  a.repeatable = option.get_expected_max() > 1;
  if (a.takes_value) {
    a.choices = braced(option.get_type_name());
    a.type = option.get_type_name().substr(0, option.get_type_name().find_first_of(": "));
    add_known_values(command, a);
  }
  return a;
}

}  // namespace

Command command_tree(const CLI::App& app) {
  Command command{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) command.arguments.push_back(argument_of(*option, command.name));
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    command.commands.push_back(command_tree(*sub));
  return command;
}

void add_completion(CLI::App& app) {
  auto* command = app.add_subcommand("completion", "A script that teaches a shell to complete zeroth's commands");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "bash:  source <(zeroth completion bash)\n"
      "zsh:   zeroth completion zsh > \"${fpath[1]}/_zeroth\"\n"
      "fish:  zeroth completion fish > ~/.config/fish/completions/zeroth.fish");
  command->callback([&app, shell] { write_result(completion(command_tree(app), *shell)); });
}

void add_manual(CLI::App& app) {
  auto* command = app.add_subcommand("manual", "The manual page, in roff for man(1)");
  command->footer("zeroth manual | man -l -");
  command->callback([&app] { write_result(manual(command_tree(app), version())); });
}

}  // namespace zeroth::cli
