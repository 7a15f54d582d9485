// SPDX-License-Identifier: MIT
#include "zeroth/cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>

namespace zeroth::cli {
namespace {

[[noreturn]] void not_written(int why) {
  throw std::runtime_error(fmt::format("stdout cannot be written: {}", std::strerror(why)));
}

}  // namespace

void write_result(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) not_written(errno);
}

void write_json(std::string_view text) {
  // Control characters of one byte are escaped already, whoever has made the JSON. Those between U+007F and U+009F are
  // not; printable() writes others as JSON does.
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0u;
    if (byte == 0x7f) {
      out += "\\u007f";
    } else if (byte == 0xc2 && next >= 0x80 && next <= 0x9f) {
      out += fmt::format("\\u{:04x}", next);
      ++i;
    } else {
      out += text[i];
    }
  }
  write_result(printable(out));
}

void write_note(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t written = ::write(2, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void flush_result() {
  errno = 0;
  if (std::fflush(stdout) != 0) not_written(errno);
  if (std::ferror(stdout) != 0) not_written(errno != 0 ? errno : EIO);
}

}  // namespace zeroth::cli
