// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace zeroth::cli {

// The command line as a plain tree, read off the definitions that parse it: what the man page and the shells'
// completions are made of, so that neither can go stale.
struct Argument {
  std::string name;                // a positional's, else empty
  std::vector<std::string> flags;  // "-j", "--jobs"
  std::string help;
  bool takes_value = false, required = false, repeatable = false;
  std::string type;                  // of the value, for people
  std::vector<std::string> choices;  // the only or the known values, if there are any
  enum class Path { none, file, directory } path = Path::none;
  bool run = false;  // the number of a run in a store, which `zeroth runs` lists
};

struct Command {
  std::string name, help, footer;
  std::vector<Argument> arguments;
  std::vector<Command> commands;
};

Command command_tree(const CLI::App& app);

// roff for man(1).
std::string manual(const Command& tree, const std::string& version);

// A script for bash, zsh or fish.
std::string completion(const Command& tree, const std::string& shell);

}  // namespace zeroth::cli
