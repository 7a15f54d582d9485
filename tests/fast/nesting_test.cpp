// SPDX-License-Identifier: MIT
//
// Nothing that others wrote may be nested so deeply that reading it overflows the stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/engine/evaluator.hpp"
#include "zeroth/problem_file/document.hpp"

namespace zeroth {
namespace {

using testing::HasSubstr;

std::string times(int count, const std::string& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Nesting, OfProblemFilesIsLimited) {
  constexpr int deep = 50'000;
  for (const std::string& text :
       {"a = " + times(deep, "["), "a = " + times(deep, "{a="), "[" + times(deep, "a.") + "a]",
        times(deep, "a.") + "a = 1", "[[" + times(deep, "a .\"b\". ") + "a]]", "a = {" + times(deep, "'a'.") + "a = 1}",
        "a = '''\n''' # '\n" + times(deep, "b.") + "b = 1", "a = \"\\\"\" \nb = " + times(deep, "[")}) {
    try {
      (void)parse_document(text, "p.toml");
      FAIL() << text.substr(0, 40);
    } catch (const Error& e) {
      EXPECT_THAT(e.what(), HasSubstr("p.toml:"));
    }
  }
  Document document;
  EXPECT_NO_THROW(override_entry(document, "a=" + times(20, "["), "--set"));
  EXPECT_THROW(override_entry(document, "a=" + times(deep, "["), "--set"), Error);
}

TEST(Nesting, DotsInTextsAreNone) {
  const Document d =
      parse_document("[problem]\nname = \"" + times(100, "a.") + "\"\ncommand = ['''" + times(100, "..") + "''']\n# " +
                         times(100, "[.") + "\nx = [1.5, 2.5, 3.5]\n" + times(60, "y1 = 1.5\n").substr(0, 9),
                     "p.toml");
  EXPECT_NE(d.find("problem"), nullptr);
}

TEST(Nesting, OfRepliesIsLimited) {
  Evaluator evaluator;
  for (const std::string& reply :
       {times(60'000, "["), "{\"id\":1,\"error\":" + times(30'000, "[") + times(30'000, "]") + "}",
        times(20'000, "{\"a\":") + "1" + times(20'000, "}")})
    EXPECT_TRUE(parse_reply(reply, 1, evaluator).answer.failed());
}

TEST(Nesting, IsCountedOutsideOfTexts) {
  EXPECT_FALSE(nested_deeper_than("[[\"[[[[\\\"[[\"]]", 2));
  EXPECT_TRUE(nested_deeper_than("[[[", 2));
  EXPECT_TRUE(parse_json<nlohmann::json>("[[[]]]").is_array());
  EXPECT_TRUE(parse_json<nlohmann::json>(times(101, "[") + times(101, "]")).is_discarded());
}

}  // namespace
}  // namespace zeroth
