// SPDX-License-Identifier: MIT
//
// Stairs only go down: which room may include which (ARCHITECTURE.md).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>

namespace {

using Rooms = std::set<std::string>;

const std::map<std::string, Rooms> allowed{
    {"core", {}},
    {"model", {"core"}},
    {"solvers", {"core", "model"}},
    {"problems", {"core"}},
    {"apps", {"core"}},
    {"engine", {"core"}},
    {"run", {"core", "model", "solvers", "problems", "apps", "engine"}},
    {"report", {"core", "model", "solvers", "problems", "apps", "engine", "run"}},
    {"cli", {"core", "model", "solvers", "problems", "apps", "engine", "run", "report"}},
    {"python", {"core", "model", "solvers", "problems", "apps", "engine", "run", "report"}},
};

TEST(Stairs, OnlyGoDown) {
  const std::filesystem::path root = std::filesystem::path(ZEROTH_SOURCE_DIR) / "src" / "zeroth";
  const std::regex include("#include \"zeroth/([a-z]+)/");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string room = std::filesystem::relative(entry.path(), root).begin()->string();
    if (room == entry.path().filename()) continue;  // the front door header, if any
    ASSERT_TRUE(allowed.contains(room)) << "unknown room " << room;
    ++files;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      std::smatch match;
      if (std::regex_search(line, match, include) && match[1] != room)
        EXPECT_TRUE(allowed.at(room).contains(match[1]))
            << entry.path() << ":" << number << " climbs from " << room << " to " << match[1];
      EXPECT_EQ(line.find("#include <mpi.h>") != std::string::npos && entry.path().filename() != "mpi.cpp", false)
          << entry.path() << " includes mpi.h; only engine/mpi.cpp may";
    }
  }
  EXPECT_GT(files, 20);
}

// What users include needs the standard library and Eigen, nothing else.
TEST(Stairs, PublicHeadersAreLight) {
  const std::filesystem::path root = std::filesystem::path(ZEROTH_SOURCE_DIR) / "src" / "zeroth";
  const std::regex heavy("#include <(fmt|nlohmann|toml|CLI|sqlite|nlopt|boost|mpi|Random123|pybind11)");
  for (const char* room : {"core", "solvers", "problems", "engine", "run"})
    for (const auto& entry : std::filesystem::directory_iterator(root / room)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        EXPECT_FALSE(std::regex_search(line, heavy)) << entry.path() << ": " << line;
    }
}

}  // namespace
