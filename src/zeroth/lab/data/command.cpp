// SPDX-License-Identifier: MIT
#include "zeroth/lab/data/command.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace zeroth {
namespace {

constexpr int patience = 500;  // milliseconds between two calls of `waiting`

// Whether more may come.
bool drain(int fd, std::string& into) {
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got > 0) into.append(buffer.data(), static_cast<std::size_t>(got));
    if (got == 0) return false;
    if (got < 0 && errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

}  // namespace

Finished run_command(const std::vector<std::string>& argv, const std::string& directory,
                     const std::function<void(double)>& waiting) {
  Finished result;
  Child child;
  result.started = child.start(argv, directory, result.why_not) == Child::Start::done;
  if (!result.started) return result;
  child.close_in();
  const auto begin = std::chrono::steady_clock::now();
  bool out_open = true, error_open = true;
  // A program may leave children behind that hold its streams open, so its own end counts, not theirs.
  for (;;) {
    std::array<pollfd, 3> watched{{{out_open ? child.out() : -1, POLLIN, 0},
                                   {error_open ? child.error() : -1, POLLIN, 0},
                                   {child.ended(), POLLIN, 0}}};
    if (::poll(watched.data(), watched.size(), patience) < 0 && errno != EINTR) ::usleep(1000 * patience);
    if (out_open) out_open = drain(child.out(), result.out);
    if (error_open) error_open = drain(child.error(), result.error);
    const bool ended = child.ended() >= 0 ? (watched[2].revents & POLLIN) != 0 : !out_open && !error_open;
    if (ended) {
      if (out_open) drain(child.out(), result.out);
      if (error_open) drain(child.error(), result.error);
      if (child.reap(result.exit)) return result;
    }
    if (waiting) waiting(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
}

}  // namespace zeroth
