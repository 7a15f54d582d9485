// SPDX-License-Identifier: MIT
#include "zeroth/lab/ledger.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "zeroth/core/error.hpp"

namespace zeroth {

Ledger::Ledger(std::filesystem::path file, std::vector<std::string> key_columns, std::vector<std::string> value_columns)
    : file_(std::move(file)), keys_(key_columns.size()), values_(value_columns.size()) {
  header_ = fmt::format("{},{}", fmt::join(key_columns, ","), fmt::join(value_columns, ","));
  if (std::ifstream in(file_); in) {
    std::string line;
    if (std::getline(in, line) && line != header_)
      throw Error(file_.string(), fmt::format("is not the ledger of this study (it should begin with '{}'); move it "
                                              "away, or give another directory",
                                              header_));
    // A line without its end was being written when the study was killed; its cell is run again.
    while (std::getline(in, line) && !in.eof()) read_line(line);
  }
  sort();
}

void Ledger::sort() const {
  // Beside the old file, which is replaced at one blow: a kill in between loses nothing.
  const std::filesystem::path fresh = file_.string() + ".new";
  {
    std::ofstream out(fresh);
    out << header_ << '\n';
    for (const auto& [key, values] : cells_) out << line_of(key, values);
    if (!out.flush()) throw Error(fresh.string(), fmt::format("cannot write the ledger: {}", std::strerror(errno)));
  }
  std::filesystem::rename(fresh, file_);
}

std::string Ledger::line_of(const Key& key, const std::vector<double>& values) const {
  return fmt::format("{},{}\n", fmt::join(key, ","), fmt::join(values, ","));
}

bool Ledger::read_line(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  if (cells.size() != keys_ + values_) return false;
  std::vector<double> values;
  for (std::size_t i = keys_; i < cells.size(); ++i) {
    char* end = nullptr;
    values.push_back(std::strtod(cells[i].c_str(), &end));
    if (end == cells[i].c_str() || *end != '\0') return false;
  }
  cells.resize(keys_);
  cells_[cells] = values;
  return true;
}

std::optional<std::vector<double>> Ledger::find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = cells_.find(key);
  if (found == cells_.end()) return {};
  return found->second;
}

void Ledger::add(const Key& key, const std::vector<double>& values) {
  const std::lock_guard lock(mutex_);
  cells_[key] = values;
  std::ofstream(file_, std::ios::app) << line_of(key, values) << std::flush;
}

}  // namespace zeroth
