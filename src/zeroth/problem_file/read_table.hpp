// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zeroth {

// Rows of named numbers from a file: CSV with a head line, or JSON objects, one per line. Nothing is assumed about what
// the columns mean.
struct TableRow {
  int line = 0;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> texts;  // what is not a number; empty cells are left out
};

struct Table {
  std::string file;
  std::vector<std::string> columns;  // of a CSV file, in their order; of JSON lines, all that were seen
  std::vector<TableRow> rows;
  std::string where(const TableRow& row) const { return file + ":" + std::to_string(row.line); }
};

// In JSON an object under "x" is taken for variables by name, an array under "x" for x0, x1, ...; arrays under
// "constraints", "equalities" and "values" (and with "_se") become constraints[0], constraints[1], ...
Table parse_table(std::string_view text, const std::string& file);
Table read_table(const std::string& path);

}  // namespace zeroth
