// SPDX-License-Identifier: MIT
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "zeroth/core/text.hpp"

namespace zeroth::cli {

// The only ways to stdout and stderr. Results must arrive: what cannot be written is an error. Progress is optional: a
// full disk, a closed terminal or a reader that has gone never ends a run.
void write_result(std::string_view bytes);  // as it is: CSV, pages, scripts
void write_json(std::string_view text);     // what acts on a terminal is escaped, which means the same
void write_note(std::string_view bytes) noexcept;
void flush_result();  // throws if anything that was written has not arrived

// For people: names and messages in it may come from anywhere.
template <class... Arguments>
void print(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_result(printable(fmt::format(format, std::forward<Arguments>(arguments)...)));
}
template <class... Arguments>
void note(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_note(printable(fmt::format(format, std::forward<Arguments>(arguments)...)));
}

}  // namespace zeroth::cli
