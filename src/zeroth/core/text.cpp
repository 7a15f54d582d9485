// SPDX-License-Identifier: MIT
#include "zeroth/core/text.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace zeroth {
namespace {

struct Decoded {
  std::uint32_t character = 0;
  std::size_t length = 0;  // 0: not UTF-8
};

// The first character of `text`, by table 3-7 of the Unicode standard.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                             : lead >= 0xe0 && lead <= 0xef ? 3
                             : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t character = lead & (0xffu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    character = character << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (length == 3 && character < 0x800) || (length == 4 && character < 0x10000);
  const bool surrogate = character >= 0xd800 && character <= 0xdfff;
  return overlong || surrogate || character > 0x10ffff ? Decoded{} : Decoded{character, length};
}

// C0, DEL, C1, ends of lines and paragraphs, and what changes the direction of reading.
bool acts_on_a_terminal(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

template <class OnCharacter>
std::string rewritten(std::string_view text, OnCharacter&& on_character) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length == 0) out += "\xef\xbf\xbd";
    else on_character(next.character, text.substr(0, next.length), out);
    text.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  return out;
}

std::string shown_characters(std::string_view text, bool keep_lines) {
  return rewritten(text, [&](std::uint32_t c, std::string_view bytes, std::string& out) {
    const bool line = c == '\n' || c == '\t';
    if (line ? keep_lines : !acts_on_a_terminal(c)) out += bytes;
    else if (c == '\n') out += "\\n";
    else if (c == '\t') out += "\\t";
    else out += c < 0x100 ? fmt::format("\\x{:02x}", c) : fmt::format("\\u{:04x}", c);
  });
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return rewritten(text, [](std::uint32_t, std::string_view bytes, std::string& out) { out += bytes; });
}

std::string printable(std::string_view text) { return shown_characters(text, true); }
std::string one_line(std::string_view text) { return shown_characters(text, false); }

std::string csv_cell(std::string_view text) {
  std::string safe = printable(text);
  if (safe.find_first_of("=+-@\t") == 0) safe.insert(safe.begin(), '\'');
  if (safe.find_first_of(",\"\n") == std::string::npos) return safe;
  std::string out = "\"";
  for (const char c : safe) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

bool nested_deeper_than(std::string_view text, int levels) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > levels) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace zeroth
