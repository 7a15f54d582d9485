// SPDX-License-Identifier: MIT
#include "zeroth/cli/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace zeroth::cli {
namespace {

[[noreturn]] void not_written(int why) {
  throw std::runtime_error(fmt::format("stdout cannot be written: {}", std::strerror(why)));
}

}  // namespace

void write_result(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size()) not_written(errno);
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
