// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "zeroth/report/hmc_study.hpp"

namespace zeroth {
namespace {

constexpr const char* header =
    "gradients,solver,evaluations,trial,effective_size,geweke,rhat,feasible,x1,x2,x3,x4,cpu_seconds\n";
constexpr std::size_t columns = 13;

std::string line_of(const HmcCell& c) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{:.3f}\n", c.gradients, c.solver, c.evaluations, c.trial,
                     c.effective_size, c.geweke, c.rhat, c.feasible ? 1 : 0, c.x[0], c.x[1], c.x[2], c.x[3],
                     c.cpu_seconds);
}

bool read_line(const std::string& line, HmcCell& c) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  if (cells.size() != columns || cells[0] == "gradients") return false;
  try {
    c.gradients = std::stoll(cells[0]);
    c.solver = cells[1];
    c.evaluations = std::stoll(cells[2]);
    c.trial = std::stoll(cells[3]);
    c.effective_size = std::stod(cells[4]);
    c.geweke = std::stod(cells[5]);
    c.rhat = std::stod(cells[6]);
    c.feasible = cells[7] == "1";
    for (int i = 0; i < 4; ++i) c.x[i] = std::stod(cells[8 + static_cast<std::size_t>(i)]);
    c.cpu_seconds = std::stod(cells[12]);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

}  // namespace

HmcLedger::HmcLedger(const std::filesystem::path& file) : file_(file) {
  {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      // A line without its end was being written when the study was killed; its cell is run again.
      if (in.eof()) break;
      if (HmcCell cell; read_line(line, cell)) cells_.push_back(cell);
    }
  }
  std::ofstream out(file_);
  out << header;
  for (const HmcCell& cell : cells_) out << line_of(cell);
}

bool HmcLedger::find(HmcCell& cell) const {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(cells_, [&](const HmcCell& c) { return c.same_as(cell); });
  if (found != cells_.end()) cell = *found;
  return found != cells_.end();
}

void HmcLedger::add(const HmcCell& cell) {
  const std::lock_guard lock(mutex_);
  cells_.push_back(cell);
  std::ofstream(file_, std::ios::app) << line_of(cell) << std::flush;
}

}  // namespace zeroth
