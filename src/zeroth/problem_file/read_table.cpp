// SPDX-License-Identifier: MIT
#include "zeroth/problem_file/read_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

void put(TableRow& row, const std::string& column, std::string_view cell) {
  std::string_view digits = cell;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code == std::errc() && end == digits.data() + digits.size()) row.numbers[column] = value;
  else row.texts[column] = std::string(cell);
}

// RFC 4180: cells may be quoted, and a quoted cell may hold commas, quotes (twice) and line ends.
class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool next(std::vector<std::string>& cells, int& line) {
    cells.clear();
    while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) line_ += text_[at_++] == '\n';
    if (at_ >= text_.size()) return false;
    line = line_;
    for (;;) {
      cells.push_back(cell());
      if (at_ >= text_.size()) return true;
      const char c = text_[at_++];
      if (c == ',') continue;
      ++line_;
      return true;
    }
  }

 private:
  std::string cell() {
    std::size_t begin = at_;
    while (begin < text_.size() && (text_[begin] == ' ' || text_[begin] == '\t')) ++begin;
    if (begin >= text_.size() || text_[begin] != '"') {
      const auto end = std::min(text_.find_first_of(",\n", at_), text_.size());
      std::string out(trimmed(text_.substr(at_, end - at_)));
      at_ = end;
      return out;
    }
    const int opened = line_;
    std::string out;
    for (at_ = begin + 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') out += text_[at_];
      else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') out += text_[++at_];
      else {
        ++at_;
        at_ = std::min(text_.find_first_of(",\n", at_), text_.size());
        return out;
      }
    }
    throw Error(fmt::format("{}:{}", file_, opened), "a quoted cell is not closed");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

Table parse_csv(std::string_view text, const std::string& file) {
  Table table{file, {}, {}};
  CsvReader reader(text, file);
  int line = 0;
  if (!reader.next(table.columns, line))
    throw Error(file, "is empty; it needs a head line with the names of the columns");
  std::vector<std::string> sorted = table.columns, cells;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end() && !twice->empty())
    throw Error(fmt::format("{}:{}", file, line), fmt::format("two columns have the name '{}'", *twice));
  while (reader.next(cells, line)) {
    if (cells.size() != table.columns.size())
      throw Error(fmt::format("{}:{}", file, line),
                  fmt::format("has {} cells, but the head line names {} columns", cells.size(), table.columns.size()));
    TableRow& row = table.rows.emplace_back();
    row.line = line;
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (!cells[k].empty()) put(row, table.columns[k], cells[k]);
  }
  return table;
}

void put(TableRow& row, const std::string& key, const Json& value, const std::string& where) {
  if (value.is_null()) return;
  if (value.is_number()) row.numbers[key] = value.get<double>();
  else if (value.is_boolean()) row.numbers[key] = value.get<bool>() ? 1 : 0;
  else if (value.is_string()) row.texts[key] = value.get<std::string>();
  else if (value.is_object() && key == "x")
    for (const auto& [name, entry] : value.items()) put(row, name, entry, where);
  else if (value.is_array() && key == "x")
    for (std::size_t i = 0; i < value.size(); ++i) put(row, fmt::format("x{}", i), value[i], where);
  else if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) put(row, fmt::format("{}[{}]", key, i), value[i], where);
  else throw Error(where, fmt::format("\"{}\" is neither a number, a text nor a list of numbers", key));
}

void put_row(Table& table, const Json& json, int line) {
  const std::string where = fmt::format("{}:{}", table.file, line);
  if (!json.is_object()) throw Error(where, "is not a JSON object; write one object per line");
  TableRow& row = table.rows.emplace_back();
  row.line = line;
  for (const auto& [key, value] : json.items()) put(row, key, value, where);
  for (const auto& [key, value] : row.numbers)
    if (std::ranges::find(table.columns, key) == table.columns.end()) table.columns.push_back(key);
}

// What 'zeroth export --json' writes: one object whose answers stand in a list, a line each from the second line on.
bool put_export(Table& table, std::string_view text) {
  const Json whole = parse_json<Json>(text);
  if (!whole.is_object() || !whole.contains("answers") || !whole["answers"].is_array()) return false;
  int line = 2;
  for (const Json& answer : whole["answers"]) put_row(table, answer, line++);
  return true;
}

Table parse_json_lines(std::string_view text, const std::string& file) {
  Table table{file, {}, {}};
  if (text.find("\"answers\"") != std::string_view::npos && put_export(table, text)) return table;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) continue;
    put_row(table, parse_json<Json>(line), number);
  }
  return table;
}

}  // namespace

Table parse_table(std::string_view text, const std::string& file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // what Excel puts in front
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' ? parse_json_lines(text, file) : parse_csv(text, file);
}

Table read_table(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  if (!stream || text.bad()) throw Error(path, "cannot read this file; give the path of a CSV or JSON-lines file");
  return parse_table(text.str(), path);
}

}  // namespace zeroth
