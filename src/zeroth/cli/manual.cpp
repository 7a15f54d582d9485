// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "zeroth/cli/command_tree.hpp"

namespace zeroth::cli {
namespace {

// Text as roff would otherwise misread it: backslashes, hyphens that must stay ASCII, dots and quotes that begin a
// line.
std::string roff(const std::string& text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    line_begins = c == '\n';
  }
  return out;
}

std::string synopsis(const Command& command) {
  std::string out;
  for (const Argument& a : command.arguments) {
    if (a.flags.empty()) {
      const std::string name = fmt::format("\\fI{}\\fR", roff(a.name));
      out += a.required ? " " + name : " [" + name + "]";
    } else if (a.flags.back() != "--help" && a.flags.back() != "--version") {
      std::string part = fmt::format("\\fB{}\\fR", roff(a.flags.back()));
      if (a.takes_value) part += fmt::format(" \\fI{}\\fR", roff(a.type));
      out += fmt::format(" [{}]{}", part, a.repeatable ? "..." : "");
    }
  }
  return out;
}

std::string term(const Argument& a) {
  if (a.flags.empty()) return fmt::format("\\fI{}\\fR", roff(a.name));
  std::string out;
  for (const auto& flag : a.flags) out += fmt::format("{}\\fB{}\\fR", out.empty() ? "" : ", ", roff(flag));
  return a.takes_value ? out + fmt::format(" \\fI{}\\fR", roff(a.type)) : out;
}

// The first line is prose; lists and examples after it must not be filled into a paragraph.
std::string description(const std::string& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos) return roff(text) + "\n";
  return fmt::format("{}\n.nf\n{}\n.fi\n", roff(text.substr(0, end)), roff(text.substr(end + 1)));
}

}  // namespace

std::string manual(const Command& tree, const std::string& version) {
  std::string out = fmt::format(
      ".TH ZEROTH 1 \"\" \"zeroth {}\" \"User Commands\"\n.SH NAME\nzeroth \\- optimises what can only be measured\n"
      ".SH SYNOPSIS\n.B zeroth\n.I COMMAND\n[options]\n.SH DESCRIPTION\n{}",
      roff(version), description(tree.help));
  out += ".SH COMMANDS\n";
  for (const Command& c : tree.commands) {
    out += fmt::format(".SS \"zeroth {}\"\n.B zeroth {}\n{}\n.PP\n{}", roff(c.name), roff(c.name),
                       synopsis(c).erase(0, 1), description(c.help));
    for (const Argument& a : c.arguments) {
      if (!a.flags.empty() && a.flags.back() == "--help") continue;
      out += fmt::format(".TP\n{}\n{}", term(a), description(a.help));
    }
    if (!c.footer.empty()) out += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(c.footer));
  }
  out +=
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n1\nthe run failed\n.TP\n2\nbad input\n.TP\n3\nno feasible point "
      "found\n.TP\n130\n"
      "interrupted and resumable\n.SH ENVIRONMENT\n.TP\nNO_COLOR\nif set, progress is written without colours\n";
  return out;
}

}  // namespace zeroth::cli
