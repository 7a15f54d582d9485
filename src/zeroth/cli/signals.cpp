// SPDX-License-Identifier: MIT
#include "zeroth/cli/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "zeroth/cli/commands.hpp"
#include "zeroth/engine/child.hpp"

namespace zeroth::cli {
namespace {

std::atomic<int> signals{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int) {
  if (signals.fetch_add(1) == 0) return;
  kill_all_children();
  ::_exit(interrupted);
}

void on_every_signal(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: a wait must end so that `stop` is asked
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    ::sigaction(number, nullptr, &inherited);
    const bool nohup = inherited.sa_handler == SIG_IGN && number != SIGTERM;  // or "&" in a script, for SIGINT
    if (!nohup) ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

void catch_signals() {
  ::signal(SIGPIPE, SIG_IGN);  // a reader of the progress that has gone is no reason to stop
  ::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of the write, which says so
  on_every_signal(on_signal);
}
void ignore_signals() { on_every_signal(SIG_IGN); }
bool stop_requested() { return signals.load(std::memory_order_relaxed) > 0; }

}  // namespace zeroth::cli
