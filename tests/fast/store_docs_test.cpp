// SPDX-License-Identifier: MIT
//
// docs/store.md and docs/problem-file.md are held to the code.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "scratch.hpp"
#include "zeroth/problem_file/problem_file.hpp"
#include "zeroth/store/store.hpp"

namespace zeroth {
namespace {

std::string page(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(ZEROTH_SOURCE_DIR) + "/docs/" + name).rdbuf();
  return text.str();
}

TEST(Docs, StorePageNamesEveryColumnAndTheVersion) {
  const testing_support::Scratch scratch;
  Store store(scratch.path("s.db"), Store::Access::create);
  const std::string text = page("store.md");
  EXPECT_NE(text.find("Schema, version " + std::to_string(Store::schema_version)), std::string::npos);
  for (const char* table : {"runs", "answers", "trace"}) {
    EXPECT_NE(text.find("`" + std::string(table) + "`"), std::string::npos) << table;
    sqlite::Statement columns(store.connection(), "SELECT name FROM pragma_table_info('" + std::string(table) + "')");
    while (columns.step())
      EXPECT_NE(text.find("`" + columns.text(0) + "`"), std::string::npos) << table << "." << columns.text(0);
  }
}

TEST(Docs, ProblemFilePageNamesEveryKeyOfSolver) {
  RunSettings run;
  const std::string text = page("problem-file.md");
  for (const Option& o : options_of(run)) EXPECT_NE(text.find("`" + o.name() + "`"), std::string::npos) << o.name();
}

}  // namespace
}  // namespace zeroth
