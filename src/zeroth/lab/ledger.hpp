// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace zeroth {

// The finished cells of a study, one line of CSV each, appended as they finish: a study that was stopped goes on where
// it was. A cell is named by its key columns; its results are numbers. The file does not know which version of a solver
// made a line: remove the lines of a solver that has changed.
class Ledger {
 public:
  using Key = std::vector<std::string>;

  Ledger(std::filesystem::path file, std::vector<std::string> key_columns, std::vector<std::string> value_columns);
  std::optional<std::vector<double>> find(const Key& key) const;
  void add(const Key& key, const std::vector<double>& values);  // safe from several threads
  void sort() const;  // rewrites the file in the order of the keys: the same study, the same bytes
  const std::map<Key, std::vector<double>>& cells() const { return cells_; }

 private:
  std::string line_of(const Key& key, const std::vector<double>& values) const;
  bool read_line(const std::string& line);

  std::filesystem::path file_;
  std::string header_;
  std::size_t keys_, values_;
  std::map<Key, std::vector<double>> cells_;
  mutable std::mutex mutex_;
};

}  // namespace zeroth
