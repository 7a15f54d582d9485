// SPDX-License-Identifier: MIT
//
// The documents are held to the code.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "zeroth/catalog/catalog.hpp"

namespace zeroth {
namespace {

const std::filesystem::path root = ZEROTH_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, TheReferenceShowsTheExampleThatIsCompiled) {
  EXPECT_NE(text_of(root / "docs/reference/cpp.md").find(text_of(root / "examples/cpp/readme.cpp")), std::string::npos);
}

TEST(Docs, EverySolverHasAPageThatNamesEachOfItsOptions) {
  for (const auto& entry : solvers()) {
    const std::string page = text_of(root / "docs/solvers" / (entry.name + ".md"));
    ASSERT_FALSE(page.empty()) << "docs/solvers/" << entry.name << ".md is missing";
    entry.describe([&](const OptionList& options) {
      for (const auto& option : options)
        EXPECT_NE(page.find("`" + option.name() + "`"), std::string::npos) << entry.name << ": " << option.name();
    });
  }
}

// Readers compare solvers: every page has the same parts in the same order.
TEST(Docs, EverySolverPageHasTheSameShape) {
  for (const auto& entry : solvers()) {
    const std::string page = text_of(root / "docs/solvers" / (entry.name + ".md"));
    EXPECT_EQ(page.rfind("# " + entry.name + "\n", 0), 0u) << entry.name << ": the title must be the solver's name";
    std::size_t last = 0;
    for (const char* part : {"Idea", "Equations", "Options", "When to use", "Reference"}) {
      const std::size_t at = page.find("\n**" + std::string(part) + ".** ");
      const std::size_t bare = page.find("\n**" + std::string(part) + ".**\n");
      const std::size_t found = std::min(at, bare);
      ASSERT_NE(found, std::string::npos) << entry.name << ": '**" << part << ".**' is missing";
      EXPECT_GT(found, last) << entry.name << ": '" << part << "' stands too early";
      last = found;
    }
  }
}

TEST(Docs, EverySolverPageIsInTheIndex) {
  const std::string index = text_of(root / "docs/README.md");
  for (const auto& entry : solvers())
    EXPECT_NE(index.find("(solvers/" + entry.name + ".md)"), std::string::npos) << entry.name;
}

}  // namespace
}  // namespace zeroth
