// SPDX-License-Identifier: MIT
#include "zeroth/engine/file_exchange.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "zeroth/core/error.hpp"
#include "zeroth/core/options.hpp"
#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;
constexpr std::ptrdiff_t no_name = -1, the_seed = -2, what_is_wanted = -3;
constexpr std::uintmax_t longest_output = 64 << 20;  // bytes of one file

bool part_of_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

// A name that a regular expression takes literally.
std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// Automata instead of backtracking, where the library has them: no expression takes exponential time.
constexpr std::regex::flag_type flavour() {
#ifdef __GLIBCXX__
  return std::regex::ECMAScript | std::regex_constants::__polynomial;
#else
  return std::regex::ECMAScript;
#endif
}

bool read_number(std::string text, double& value) {
  std::ranges::replace(text, 'D', 'E');  // as Fortran writes exponents
  std::ranges::replace(text, 'd', 'e');
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size();
}

std::string shown(std::string_view text) {
  constexpr std::size_t most = 80;
  return one_line(text.size() <= most ? std::string(text) : std::string(text.substr(0, most)) + "...");
}

}  // namespace

InputTemplate::InputTemplate(std::string_view text, const std::vector<std::string>& names, const std::string& where) {
  std::vector<bool> used(names.size(), false);
  Piece piece;
  const auto line_of = [&](std::size_t at) { return 1 + std::ranges::count(text.substr(0, at), '\n'); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto end = text[i] == '{' ? text.find_first_of("{}\n", i + 1) : std::string_view::npos;
    if (end == std::string_view::npos || text[end] != '}') {
      piece.text += text[i];
      continue;
    }
    const std::string_view inside = text.substr(i + 1, end - i - 1);
    const std::string_view name = inside.substr(0, inside.find('|'));
    const auto found = std::ranges::find(names, name);
    const bool literal = i > 0 && text[i - 1] == '{' && end + 1 < text.size() && text[end + 1] == '}';
    if (literal && !name.empty() && std::ranges::all_of(name, part_of_a_name)) {  // {{name}} is {name}
      piece.text += fmt::format("{}}}", inside);
      i = end + 1;
      continue;
    }
    if (found != names.end()) {
      piece.name = found - names.begin();
      used[static_cast<std::size_t>(piece.name)] = true;
    } else if (name == "seed") {
      piece.name = the_seed;
    } else if (name == "wanted") {
      piece.name = what_is_wanted;
    } else if (name.empty() || !std::ranges::all_of(name, part_of_a_name)) {
      piece.text += text[i];
      continue;
    } else {
      const std::string near = nearest_name(std::string(name), names);
      throw Error(
          fmt::format("{}:{}", where, line_of(i)),
          fmt::format("there is no variable '{}' to fill in for '{{{}}}'; {}write {{{{{}}}}} for the text itself", name,
                      inside, near.empty() ? "" : fmt::format("did you mean '{}'? Or ", near), inside));
    }
    if (name.size() < inside.size()) piece.otherwise = inside.substr(name.size() + 1);
    pieces_.push_back(std::exchange(piece, {}));
    i = end;
  }
  pieces_.push_back(std::move(piece));
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!used[k])
      throw Error(where, fmt::format("nothing is filled in for the variable '{}'; write {{{}}} where its value belongs",
                                     names[k], names[k]));
}

std::string InputTemplate::filled(std::span<const std::string> values, std::uint64_t seed,
                                  const std::string& wanted) const {
  std::string out;
  for (const Piece& piece : pieces_) {
    out += piece.text;
    if (piece.name == no_name) continue;
    const std::string value = piece.name == the_seed         ? std::to_string(seed)
                              : piece.name == what_is_wanted ? wanted
                                                             : values[static_cast<std::size_t>(piece.name)];
    out += value.empty() ? piece.otherwise : value;
  }
  return out;
}

OutputPattern::OutputPattern(std::string key, const std::string& text, const std::string& where)
    : key_(std::move(key)), text_(text) {
  constexpr std::size_t longest = 1000;
  const bool by_name = text.find('(') == std::string::npos;
  const char* form =
      "write a name that stands before the value, or a regular expression whose first group is the "
      "value, such as 'cost *= *(\\S+)'";
  if (text.empty() || text.size() > longest || text.find('\0') != std::string::npos)
    throw Error(where, fmt::format("'{}' is not a pattern of 1 to {} characters; {}", key_, longest, form));
  try {
    expression_ = std::make_shared<const std::regex>(
        by_name ? fmt::format("(?:^|[^A-Za-z0-9_.]){}[\"']?\\s*[=:\\s]\\s*([-+.0-9A-Za-z]+)", escaped(text)) : text,
        flavour());
  } catch (const std::regex_error& e) {
    throw Error(where,
                fmt::format("'{}' is '{}', which is not a regular expression ({}); {}", key_, text, e.what(), form));
  }
  if (expression_->mark_count() < 1)
    throw Error(where, fmt::format("'{}' is '{}', which has no group; {}", key_, text, form));
}

std::string OutputPattern::read(std::string_view output, double& value) const {
  std::string found;
  bool seen = false;
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    std::cmatch match;
    try {
      if (!std::regex_search(line.data(), line.data() + line.size(), match, *expression_) || !match[1].matched)
        continue;
    } catch (const std::regex_error& e) {
      return fmt::format("'{}' could not be searched for: {}", key_, e.what());
    }
    found = match[1].str();
    seen = true;
  }
  if (!seen) return fmt::format("no line of the output matches '{}' for {}", text_, key_);
  if (!read_number(found, value)) return fmt::format("{} is '{}', not a number", key_, shown(found));
  if (!std::isfinite(value)) return fmt::format("{} is '{}', not a finite number", key_, shown(found));
  return {};
}

bool FileExchange::reads_stdout() const { return std::ranges::find(outputs, "stdout") != outputs.end(); }

std::string FileExchange::request(const Query& query, int seed_bits, const std::string& wanted) const {
  std::vector<std::string> texts;
  write_values(query.x, texts);
  return input_template.filled(texts, query.noise >> (53 - seed_bits), wanted);
}

std::string ExchangeDirectory::make(const FileExchange& exchange, const std::string& request) {
  remove();
  std::error_code failure;
  const fs::path parent = exchange.parent.empty() ? fs::temp_directory_path(failure) : fs::path(exchange.parent);
  if (!failure) fs::create_directories(parent, failure);
  std::string name = (parent / "zeroth-XXXXXX").string();
  if (failure || !::mkdtemp(name.data()))
    return fmt::format("cannot make a directory in {}: {}", parent.string(),
                       failure ? failure.message() : std::string(std::strerror(errno)));
  path_ = name;
  for (const std::string& file : exchange.copies) {
    fs::copy(file, fs::path(path_) / fs::path(file).filename(), fs::copy_options::recursive, failure);
    if (failure) return fmt::format("cannot copy {} into {}: {}", file, path_, failure.message());
  }
  std::ofstream stream(fs::path(path_) / exchange.input, std::ios::binary);
  stream << request;
  stream.close();
  return stream ? std::string() : fmt::format("cannot write {}/{}", path_, exchange.input);
}

void ExchangeDirectory::remove() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  path_.clear();
}

Answer read_outputs(const FileExchange& exchange, const std::string& directory, std::string_view printed, bool maximize,
                    std::span<const std::uint8_t> wanted) {
  std::string text;
  for (const std::string& name : exchange.outputs) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    if (name == "stdout") {
      text += printed;
      continue;
    }
    const fs::path path = fs::path(directory) / name;
    std::error_code failure;
    if (!fs::is_regular_file(path, failure))
      return Answer::failed_because(fmt::format("the evaluator wrote no file {}", name));
    if (fs::file_size(path, failure) > longest_output || failure)
      return Answer::failed_because(fmt::format("{} is larger than {} bytes", name, longest_output));
    std::ifstream stream(path, std::ios::binary);
    text.append(std::istreambuf_iterator<char>(stream), {});
    if (stream.bad()) return Answer::failed_because(fmt::format("{} cannot be read", name));
  }
  Answer answer;
  answer.values.resize(exchange.patterns.size());
  for (std::size_t i = 0; i < answer.values.size(); ++i) {
    if (!wanted.empty() && wanted[i] == 0) answer.values[i] = std::nan("");
    else if (std::string wrong = exchange.patterns[i].read(text, answer.values[i]); !wrong.empty())
      return Answer::failed_because(valid_utf8(wrong));
  }
  if (maximize) answer.values[0] = -answer.values[0];
  return answer;
}

}  // namespace zeroth
