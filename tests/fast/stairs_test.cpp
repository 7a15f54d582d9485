// SPDX-License-Identifier: MIT
//
// Stairs only go down: which room may include which (ARCHITECTURE.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

using Rooms = std::set<std::string>;

// Each room may include itself and what is listed before it, except where a narrower list is given.
const std::vector<std::string> upwards{"core",   "model",    "solvers", "problems",     "apps",
                                       "engine", "adapters", "catalog", "problem_file", "store",
                                       "run",    "report",   "lab",     "cli",          "python"};
const std::map<std::string, Rooms> narrower{
    {"problems", {"core"}},        {"apps", {"core"}}, {"engine", {"core"}}, {"adapters", {"core"}},
    {"store", {"core", "engine"}},
};

bool may_include(const std::string& room, const std::string& other) {
  if (const auto found = narrower.find(room); found != narrower.end()) return found->second.contains(other);
  if (other == "cli") return false;
  return std::ranges::find(upwards, other) < std::ranges::find(upwards, room);
}

TEST(Stairs, OnlyGoDown) {
  const std::filesystem::path root = std::filesystem::path(ZEROTH_SOURCE_DIR) / "src" / "zeroth";
  const std::regex include("#include \"zeroth/([a-z_]+)/");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    const auto extension = entry.path().extension();
    if (extension != ".hpp" && extension != ".cpp") continue;
    const std::string room = std::filesystem::relative(entry.path(), root).begin()->string();
    if (room == entry.path().filename()) continue;  // the front door header, if any
    ASSERT_NE(std::ranges::find(upwards, room), upwards.end()) << "unknown room " << room;
    ++files;
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      std::smatch match;
      if (std::regex_search(line, match, include) && match[1] != room)
        EXPECT_TRUE(may_include(room, match[1]))
            << entry.path() << ":" << number << " climbs from " << room << " to " << match[1];
      EXPECT_EQ(line.find("#include <mpi.h>") != std::string::npos && entry.path().filename() != "mpi_wire.cpp", false)
          << entry.path() << " includes mpi.h; only engine/mpi_wire.cpp may";
    }
  }
  EXPECT_GT(files, 20);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Adds the header and all of ours that it includes.
void include_closure(const std::filesystem::path& root, const std::string& header, std::set<std::string>& all) {
  if (!all.insert(header).second) return;
  const std::string text = text_of(root / header);
  const std::regex include("#include \"zeroth/([^\"]+)\"");
  for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i)
    include_closure(root, (*i)[1], all);
}

// What users include is what zeroth.hpp leads to, is what is installed, and needs the standard library and Eigen only.
TEST(Stairs, PublicHeadersAreInstalledAndLight) {
  const std::filesystem::path source(ZEROTH_SOURCE_DIR), root = source / "src" / "zeroth";
  std::set<std::string> reached, installed;
  include_closure(root, "zeroth.hpp", reached);
  const std::string rules = text_of(source / "cmake" / "install.cmake");
  const std::size_t begin = rules.find("set(zeroth_public_headers"), end = rules.find(')', begin);
  ASSERT_NE(begin, std::string::npos);
  const std::string list = rules.substr(begin, end - begin);
  const std::regex header("[a-z_/]+\\.hpp");
  for (std::sregex_iterator i(list.begin(), list.end(), header), none; i != none; ++i) installed.insert(i->str());
  EXPECT_EQ(reached, installed);
  const std::regex heavy("#include <(fmt|nlohmann|toml|CLI|sqlite|nlopt|boost|mpi|Random123|pybind11)");
  for (const std::string& name : installed) EXPECT_FALSE(std::regex_search(text_of(root / name), heavy)) << name;
}

// Headers below the report stay light, too: what they need of others is in their sources.
TEST(Stairs, HeadersOfTheLibraryAreLight) {
  const std::filesystem::path root = std::filesystem::path(ZEROTH_SOURCE_DIR) / "src" / "zeroth";
  const std::regex heavy("#include <(fmt|nlohmann|toml|CLI|sqlite|nlopt|boost|mpi|Random123|pybind11)");
  for (const char* room :
       {"core", "solvers", "problems", "engine", "adapters", "catalog", "problem_file", "store", "run"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (entry.path().extension() != ".hpp") continue;
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        EXPECT_FALSE(std::regex_search(line, heavy)) << entry.path() << ": " << line;
    }
}

}  // namespace
