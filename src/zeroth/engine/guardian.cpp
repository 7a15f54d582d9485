// SPDX-License-Identifier: MIT
#include "zeroth/engine/guardian.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>

namespace zeroth {
namespace {

struct Message {
  pid_t group;
  int guarded;  // 1: from now on; 0: no longer
};
static_assert(sizeof(Message) <= 512, "a pipe takes it in one piece");

constexpr std::size_t most_groups = 4096;

// In the child of a fork: only async-signal-safe calls.
[[noreturn]] void stand_guard(int messages) {
  ::setsid();  // Ctrl-C in a terminal is for the others
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT}) ::signal(number, SIG_IGN);
  // Nothing of ours is kept open: who reads our output must see its end.
  ::dup2(messages, 0);
  ::syscall(SYS_close_range, 1U, ~0U, 0U);
  static std::array<pid_t, most_groups> guarded{};
  Message m{};
  for (;;) {
    const auto got = ::read(0, &m, sizeof m);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof m)) break;
    const pid_t from = m.guarded ? 0 : m.group, to = m.guarded ? m.group : 0;
    for (pid_t& slot : guarded)
      if (slot == from) {
        slot = to;
        break;
      }
  }
  for (const pid_t group : guarded)
    if (group > 0) ::kill(-group, SIGKILL);
  ::_exit(0);
}

class Guardian {
 public:
  void tell(Message m) {
    const std::lock_guard lock(mutex_);
    if (owner_ != ::getpid()) begin();  // a fork of us has children, and a guardian, of its own
    if (pipe_ >= 0) [[maybe_unused]]
      const auto written = ::write(pipe_, &m, sizeof m);
  }

 private:
  void begin() {
    owner_ = ::getpid();
    if (pipe_ >= 0) ::close(pipe_);
    pipe_ = -1;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::close(ends[1]);
      stand_guard(ends[0]);
    }
    ::close(ends[0]);
    ::fcntl(ends[1], F_SETFL, O_NONBLOCK);  // a guardian that was stopped must not stop us
    if (pid < 0) ::close(ends[1]);
    else pipe_ = ends[1];
  }

  std::mutex mutex_;
  pid_t owner_ = 0;
  int pipe_ = -1;
};

Guardian& guardian() {
  static auto* one = new Guardian;  // never destroyed: children may end after everything else
  return *one;
}

}  // namespace

void guard(pid_t group) { guardian().tell({group, 1}); }
void unguard(pid_t group) { guardian().tell({group, 0}); }

}  // namespace zeroth
