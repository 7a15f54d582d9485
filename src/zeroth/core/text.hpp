// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace zeroth {

// Names and messages come from problem files, evaluators and stores of strangers: they are data. Whoever passes them to
// something that acts on what it reads (a terminal, gnuplot, a spreadsheet) takes one of these forms.

// Every byte that is not UTF-8 (surrogates and overlong forms included) becomes U+FFFD.
std::string valid_utf8(std::string_view text);

// For a terminal: valid UTF-8, and characters that would move the cursor, change its colours or reverse the direction
// of reading are shown as \x1b instead of being obeyed. Ends of lines and tabs stay.
std::string printable(std::string_view text);
std::string one_line(std::string_view text);  // and these are shown as \n and \t

// A cell of comma-separated values: quoted where needed, and never a formula. Spreadsheets run what begins with = + - @
// or a tab, so that such text gets an apostrophe before it, which they hide.
std::string csv_cell(std::string_view text);

// Whether brackets and braces outside of "quotes" stand deeper than this. Parsers, printers and destructors of nested
// data recurse: what comes from elsewhere is measured before any of them sees it.
bool nested_deeper_than(std::string_view text, int levels);
inline constexpr int deepest_nesting = 100;

// The one way to read JSON that somebody else wrote (an evaluator, a store) with a nlohmann::basic_json: discarded if
// it is not JSON, or nested too deeply.
template <class Json>
Json parse_json(std::string_view text) {
  if (nested_deeper_than(text, deepest_nesting)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace zeroth
