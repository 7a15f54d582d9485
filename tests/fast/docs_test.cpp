// SPDX-License-Identifier: MIT
//
// The documents are held to the code.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "zeroth/run/catalog.hpp"

namespace zeroth {
namespace {

const std::filesystem::path root = ZEROTH_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Docs, ReadmeShowsTheExampleThatIsCompiled) {
  EXPECT_NE(text_of(root / "README.md").find(text_of(root / "examples/cpp/readme.cpp")), std::string::npos);
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

}  // namespace
}  // namespace zeroth
