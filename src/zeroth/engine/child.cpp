// SPDX-License-Identifier: MIT
#include "zeroth/engine/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "zeroth/engine/guardian.hpp"
#include "zeroth/engine/limits.hpp"

namespace zeroth {
namespace {

// Groups alive now, for the signal handler: plain atomics because nothing else may be touched there.
std::array<std::atomic<pid_t>, 1024> groups{};

void remember(pid_t group) {
  guard(group);
  for (auto& slot : groups) {
    pid_t empty = 0;
    if (slot.compare_exchange_strong(empty, group)) return;
  }
}

void forget(pid_t group) {
  unguard(group);
  for (auto& slot : groups) {
    pid_t here = group;
    if (slot.compare_exchange_strong(here, 0)) return;
  }
}

void close_quietly(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = above_standard(ends[0]);
    write = above_standard(ends[1]);
    return read >= 0 && write >= 0;
  }
  // Whoever started us may have closed its standard input: a pipe must not land on 0, 1 or 2, which the child fills
  // anew.
  static int above_standard(int descriptor) {
    if (descriptor > 2) return descriptor;
    const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    ::close(descriptor);
    return moved;
  }
  ~Pipe() {
    close_quietly(read);
    close_quietly(write);
  }
};

// Between fork and exec only async-signal-safe calls are allowed, so everything was prepared before.
[[noreturn]] void become(char* const* argv, const char* directory, const Pipe& in, const Pipe& out, const Pipe& error,
                         const Pipe& report, pid_t parent) {
  const auto fail = [&] {
    const int code = errno;
    [[maybe_unused]] const auto written = ::write(report.write, &code, sizeof code);
    ::_exit(127);
  };
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  if (::dup2(in.read, 0) < 0 || ::dup2(out.write, 1) < 0 || ::dup2(error.write, 2) < 0) fail();
  if (*directory && ::chdir(directory) != 0) fail();
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGXFSZ}) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  give_back_descriptor_limit();
  ::execvp(argv[0], argv);
  fail();
  ::_exit(127);
}

bool is_a_lack(int code) {
  return code == EMFILE || code == ENFILE || code == EAGAIN || code == ENOMEM || code == ENOBUFS;
}

// In the words of a user: the kernel says of a directory that permission is denied.
std::string why_not_run(const std::string& program, int code) {
  struct stat status {};
  if (code == EACCES && ::stat(program.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return "it is a directory, not a program";
    if (S_ISREG(status.st_mode) && (status.st_mode & 0111u) == 0) return "it is not executable (chmod +x)";
  }
  if (code == ENOEXEC) return "it is neither a program nor a script with a first line like #!/usr/bin/env python3";
  return std::strerror(code);
}

Exit to_exit(int status) {
  if (WIFSIGNALED(status)) return {0, WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

}  // namespace

std::string Exit::text() const {
  if (signal == 0) return fmt::format("ended with exit code {}", code);
  const char* name = ::strsignal(signal);
  return fmt::format("was ended by signal {} ({})", signal, name ? name : "unknown");
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(error_, other.error_);
  std::swap(ended_, other.ended_);
  return *this;
}

Child::~Child() { kill(); }

Child::Start Child::start(const std::vector<std::string>& argv, const std::string& directory, std::string& why) {
  ::signal(SIGPIPE, SIG_IGN);  // a child that stops reading is a failed answer, not our end
  Pipe in, out, error, report;
  if (!in.open() || !out.open() || !error.open() || !report.open()) {
    why = fmt::format("cannot make pipes: {}", std::strerror(errno));
    return Start::lacking;
  }
  std::vector<char*> pointers;
  for (const auto& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(pointers.data(), directory.c_str(), in, out, error, report, parent);
  if (pid < 0) {
    why = fmt::format("cannot start a process: {}", std::strerror(errno));
    return Start::lacking;
  }
  ::setpgid(pid, pid);  // both sides do it, so that neither has to wait for the other
  close_quietly(report.write);
  int code = 0;
  ssize_t got;
  while ((got = ::read(report.read, &code, sizeof code)) < 0 && errno == EINTR) {
  }
  if (got > 0) {
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    why = fmt::format("cannot start '{}': {}", argv[0], why_not_run(argv[0], code));
    return is_a_lack(code) ? Start::lacking : Start::impossible;
  }
  pid_ = pid;
  remember(pid);
  in_ = std::exchange(in.write, -1);
  out_ = std::exchange(out.read, -1);
  error_ = std::exchange(error.read, -1);
  for (const int fd : {in_, out_, error_}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  ended_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (ended_ >= 0) ::fcntl(ended_, F_SETFD, FD_CLOEXEC);
  return Start::done;
}

void Child::close_in() { close_quietly(in_); }

void Child::close_streams() {
  close_quietly(in_);
  close_quietly(out_);
  close_quietly(error_);
  close_quietly(ended_);
}

bool Child::reap(Exit& exit) {
  if (pid_ <= 0) return true;
  int status = 0;
  const pid_t got = ::waitpid(pid_, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  exit = got == pid_ ? to_exit(status) : Exit{};
  ::kill(-pid_, SIGKILL);  // what it may have left behind
  forget(pid_);
  pid_ = -1;
  close_streams();
  return true;
}

Exit Child::kill() {
  Exit exit;
  if (pid_ <= 0) return exit;
  ::kill(-pid_, SIGKILL);
  int status = 0;
  pid_t got;
  while ((got = ::waitpid(pid_, &status, 0)) < 0 && errno == EINTR) {
  }
  if (got == pid_) exit = to_exit(status);
  forget(pid_);
  pid_ = -1;
  close_streams();
  return exit;
}

void Child::finish(int milliseconds) {
  close_in();
  if (pid_ > 0 && ended_ >= 0) {
    pollfd waiting{ended_, POLLIN, 0};
    ::poll(&waiting, 1, milliseconds);
  }
  Exit exit;
  if (!reap(exit)) kill();
}

void kill_all_children() noexcept {
  for (const auto& slot : groups)
    if (const pid_t group = slot.load(); group > 0) ::kill(-group, SIGKILL);
}

}  // namespace zeroth
