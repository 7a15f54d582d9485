// SPDX-License-Identifier: MIT
//
// Any bytes as a name or a message: every form of it is valid UTF-8, harmless where it goes, and stays as it is when it
// is brought into that form again.
#include "zeroth/core/text.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace {

void require(bool good) {
  if (!good) __builtin_trap();
}

bool acts(std::string_view text, bool lines) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && !(lines && (c == '\n' || c == '\t'))) || c == 0x7f) return true;
    if (c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zeroth;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string valid = valid_utf8(bytes), shown = printable(bytes), line = one_line(bytes), cell = csv_cell(bytes);
  (void)nlohmann::json(valid).dump();  // throws for what is not UTF-8
  require(valid_utf8(valid) == valid && valid_utf8(shown) == shown && valid_utf8(cell) == cell);
  require(printable(shown) == shown && one_line(line) == line);
  require(!acts(shown, true) && !acts(line, false) && !acts(cell, true));
  const char first = cell.empty() ? 'x' : cell[0] == '"' && cell.size() > 1 ? cell[1] : cell[0];
  require(std::string_view("=+-@\t").find(first) == std::string_view::npos);
  std::size_t quotes = 0;
  for (const char c : cell) quotes += c == '"';
  require(quotes % 2 == 0);
  // What is parsed can be copied and printed: it is not too deep for that.
  const auto json = parse_json<nlohmann::json>(bytes);
  if (!json.is_discarded()) {
    const auto copy = json;
    (void)copy.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return 0;
}
