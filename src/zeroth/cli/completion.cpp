// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "zeroth/cli/command_tree.hpp"

namespace zeroth::cli {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string quoted(const std::string& text) {  // in single quotes, for all three shells' purposes here
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::vector<std::string> flags_of(const Command& c) {
  std::vector<std::string> flags;
  for (const Argument& a : c.arguments)
    for (const auto& flag : a.flags) flags.push_back(flag);
  return flags;
}

std::vector<std::string> names_of(const Command& tree) {
  std::vector<std::string> names;
  for (const Command& c : tree.commands) names.push_back(c.name);
  return names;
}

// What bash's compgen is to offer for a value.
std::string compgen(const Argument& a) {
  if (!a.choices.empty()) return fmt::format("-W {}", quoted(fmt::format("{}", fmt::join(a.choices, " "))));
  if (a.run) return "-W \"$(_zeroth_runs)\"";
  return a.path == Argument::Path::directory ? "-d" : "-f";
}

std::string bash(const Command& tree) {
  std::string out =
      "# bash completion for zeroth, written by 'zeroth completion bash'\n"
      "# The numbers of the runs in the store that the line names, or in zeroth.db.\n"
      "_zeroth_runs() {\n"
      "  local word store=zeroth.db\n"
      "  for word in \"${COMP_WORDS[@]:2}\"; do [[ $word != -* && -f $word ]] && store=$word; done\n"
      "  [[ -f $store ]] && \"${COMP_WORDS[0]}\" runs \"$store\" 2>/dev/null | awk 'NR > 1 { print $1 }'\n"
      "}\n"
      "_zeroth() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=\n"
      "  (( COMP_CWORD > 1 )) && command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  case $command in\n";
  for (const Command& c : tree.commands) {
    out += fmt::format("    {})\n      case $prev in\n", c.name);
    std::string positional = "-f";
    for (const Argument& a : c.arguments) {
      if (a.flags.empty()) positional = compgen(a);
      else if (a.takes_value)
        out += fmt::format("        {}) COMPREPLY=($(compgen {} -- \"$cur\")); return ;;\n", fmt::join(a.flags, "|"),
                           compgen(a));
    }
    out += fmt::format(
        "      esac\n      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W {} -- \"$cur\"))\n"
        "      else COMPREPLY=($(compgen {} -- \"$cur\")); fi ;;\n",
        quoted(fmt::format("{}", fmt::join(flags_of(c), " "))), positional);
  }
  out += fmt::format(
      "    *) COMPREPLY=($(compgen -W {} -- \"$cur\")) ;;\n  esac\n}}\ncomplete -o filenames -F _zeroth zeroth\n",
      quoted(fmt::format("{} {}", fmt::join(names_of(tree), " "), fmt::join(flags_of(tree), " "))));
  return out;
}

// Brackets and colons have a meaning of their own in _arguments.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : first_line(text)) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const Argument& a) {
  if (!a.choices.empty()) return fmt::format("({})", fmt::join(a.choices, " "));
  return a.path == Argument::Path::directory ? "_files -/" : a.path == Argument::Path::file ? "_files" : " ";
}

std::string zsh(const Command& tree) {
  std::string out =
      "#compdef zeroth\n# zsh completion for zeroth, written by 'zeroth completion zsh'\n_zeroth() {\n"
      "  local -a commands\n  commands=(\n";
  for (const Command& c : tree.commands) out += fmt::format("    {}\n", quoted(c.name + ":" + zsh_text(c.help)));
  out +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  words=(\"zeroth $command\" \"${(@)words[3,-1]}\")\n  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const Command& c : tree.commands) {
    out += fmt::format("    {})\n      _arguments", c.name);
    int place = 0;
    for (const Argument& a : c.arguments) {
      if (a.flags.empty()) {
        out += fmt::format(" \\\n        {}", quoted(fmt::format("{}:{}:{}", ++place, a.name, zsh_value(a))));
        continue;
      }
      for (const auto& flag : a.flags)
        out += fmt::format(" \\\n        {}",
                           quoted(fmt::format("{}{}[{}]{}", a.repeatable ? "*" : "", flag, zsh_text(a.help),
                                              a.takes_value ? fmt::format(":{}:{}", a.type, zsh_value(a)) : "")));
    }
    out += " ;;\n";
  }
  // Sourced, it registers itself; from fpath, the file is the function.
  return out + "  esac\n}\nif [[ $funcstack[1] == _zeroth ]]; then _zeroth \"$@\"; else compdef _zeroth zeroth; fi\n";
}

std::string fish(const Command& tree) {
  std::string out =
      "# fish completion for zeroth, written by 'zeroth completion fish'\n"
      "complete -c zeroth -n __fish_use_subcommand -f\n";
  for (const Command& c : tree.commands) {
    out += fmt::format("complete -c zeroth -n __fish_use_subcommand -a {} -d {}\n", c.name, quoted(first_line(c.help)));
    const std::string here = fmt::format("complete -c zeroth -n '__fish_seen_subcommand_from {}'", c.name);
    for (const Argument& a : c.arguments) {
      if (a.flags.empty()) {
        if (!a.choices.empty())
          out += fmt::format("{} -f -a {}\n", here, quoted(fmt::format("{}", fmt::join(a.choices, " "))));
        continue;
      }
      out += here;
      for (const auto& flag : a.flags)
        out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      if (a.takes_value) {
        if (!a.choices.empty()) out += fmt::format(" -x -a {}", quoted(fmt::format("{}", fmt::join(a.choices, " "))));
        else if (a.run) out += " -x -a '(zeroth runs 2>/dev/null | string match -r \"^ *[0-9]+\" | string trim)'";
        else
          out += a.path == Argument::Path::directory ? " -x -a '(__fish_complete_directories)'"
                 : a.path == Argument::Path::file    ? " -r"
                                                     : " -x";
      }
      out += fmt::format(" -d {}\n", quoted(first_line(a.help)));
    }
  }
  return out;
}

}  // namespace

std::string completion(const Command& tree, const std::string& shell) {
  if (shell == "bash") return bash(tree);
  return shell == "zsh" ? zsh(tree) : fish(tree);
}

}  // namespace zeroth::cli
