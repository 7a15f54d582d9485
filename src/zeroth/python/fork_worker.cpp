// SPDX-License-Identifier: MIT
#include "zeroth/python/fork_worker.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "zeroth/engine/limits.hpp"

namespace zeroth::python {
namespace {

// An answer on its way: this, then `values` and `errors` doubles, the reason and the traceback. With `lack` the reason
// says what this process needed to answer and could not have.
struct Head {
  std::uint32_t values = 0, reason = 0, traceback = 0, misread = 0, errors = 0, lack = 0;
};

bool write_all(int fd, const void* data, std::size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = ::read(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

std::string packed(const Outcome& o) {
  const auto size = [](const auto& part) { return static_cast<std::uint32_t>(part.size()); };
  const Head head{size(o.answer.values), size(o.answer.failure), size(o.traceback), o.misread, size(o.answer.se), 0};
  std::string frame(reinterpret_cast<const char*>(&head), sizeof head);
  frame.append(reinterpret_cast<const char*>(o.answer.values.data()), o.answer.values.size() * sizeof(double));
  frame.append(reinterpret_cast<const char*>(o.answer.se.data()), o.answer.se.size() * sizeof(double));
  return frame + o.answer.failure + o.traceback;
}

void flush_python() {
  for (const char* stream : {"stdout", "stderr"}) {
    const py::object file = py::module_::import("sys").attr(stream);
    try {
      if (!file.is_none() && py::hasattr(file, "flush")) file.attr("flush")();
    } catch (py::error_already_set& e) {  // closed, or nobody takes what it holds: no reason to end a run
      if (!e.matches(PyExc_Exception)) throw;
    }
  }
}

// Copies of one process would all draw the same "random" numbers from numpy's global generator.
void fresh_global_noise() {
  const py::dict modules = py::module_::import("sys").attr("modules");
  if (modules.contains("numpy")) py::module_::import("numpy").attr("random").attr("seed")();
}

void answer_questions(const Callable& callable, Index dimension, int questions, int answers) {
  fresh_global_noise();
  std::vector<double> x(static_cast<std::size_t>(dimension));
  std::vector<std::uint8_t> wanted(callable.functions());
  std::uint64_t seed;
  for (;;) {
    {
      const py::gil_scoped_release others_may_work;
      if (!read_all(questions, &seed, sizeof seed) || !read_all(questions, x.data(), x.size() * sizeof(double)) ||
          !read_all(questions, wanted.data(), wanted.size()))
        return;
    }
    try {
      const std::string frame = packed(callable(x, seed, wanted));
      if (!write_all(answers, frame.data(), frame.size())) return;
    } catch (const OutOfResources& e) {
      const Head head{.reason = static_cast<std::uint32_t>(std::strlen(e.what())), .lack = 1};
      if (!write_all(answers, &head, sizeof head) || !write_all(answers, e.what(), head.reason)) return;
    }
  }
}

// The copy's whole life. Nothing may leave it but _exit: above it on the stack stands the user's program, which would
// go on a second time.
[[noreturn]] void serve(const Callable& callable, Index dimension, int questions, int answers) noexcept {
  int code = 0;
  try {
    answer_questions(callable, dimension, questions, answers);
  } catch (py::error_already_set& e) {  // sys.exit() in the function ends this worker, as it would end the program
    code = 1;
    e.discard_as_unraisable("a worker of zeroth");
  } catch (...) {
    code = 1;
  }
  try {
    flush_python();
  } catch (...) {
  }
  ::_exit(code);
}

Exit exit_of(int status) {
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

void close_quietly(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw OutOfResources(fmt::format("cannot make pipes: {}", std::strerror(errno)));
    read = ends[0];
    write = ends[1];
  }
  ~Pipe() {
    close_quietly(read);
    close_quietly(write);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
};

// Python's own fork: its hooks must run.
pid_t forked() {
  try {
    return py::module_::import("os").attr("fork")().cast<pid_t>();
  } catch (py::error_already_set& e) {
    if (!e.matches(PyExc_OSError)) throw;
    throw OutOfResources(std::string("cannot start a process: ") + e.what());
  }
}

}  // namespace

ForkWorker& ForkWorker::operator=(ForkWorker&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(questions_, other.questions_);
  std::swap(answers_, other.answers_);
  std::swap(end_, other.end_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

void ForkWorker::start(const Callable& callable, Index dimension, const std::vector<int>& others) {
  Pipe in, out;
  flush_python();  // or both processes would write what is waiting
  const pid_t parent = ::getpid();
  const pid_t pid = forked();
  if (pid == 0) {
    ::setpgid(0, 0);  // Ctrl-C at the terminal is for the one who asks, not for those who answer
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::close(in.write);
    ::close(out.read);
    for (const int fd : others)
      if (fd >= 0) ::close(fd);
    if (const int nothing = ::open("/dev/null", O_RDONLY); nothing >= 0) {
      ::dup2(nothing, 0);
      if (nothing > 0) ::close(nothing);
    }
    give_back_descriptor_limit();
    serve(callable, dimension, in.read, out.write);
  }
  ::setpgid(pid, pid);
  pid_ = pid;
  questions_ = std::exchange(in.write, -1);
  answers_ = std::exchange(out.read, -1);
  end_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  buffer_.clear();
}

bool ForkWorker::ended() const {
  siginfo_t how{};
  return pid_ > 0 && ::waitid(P_PID, static_cast<id_t>(pid_), &how, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         how.si_pid == pid_;
}

bool ForkWorker::ask(const Query& query, std::size_t functions) {
  std::vector<std::uint8_t> wanted(query.wanted.begin(), query.wanted.end());
  wanted.resize(functions, 1);
  return write_all(questions_, &query.noise, sizeof query.noise) &&
         write_all(questions_, query.x.data(), query.x.size_bytes()) &&
         write_all(questions_, wanted.data(), wanted.size());
}

std::optional<Outcome> ForkWorker::receive(bool& gone) {
  char chunk[65536];
  const ssize_t n = ::read(answers_, chunk, sizeof chunk);
  if (n < 0 && errno == EINTR) return {};
  if (n <= 0) {
    gone = true;
    return {};
  }
  buffer_.append(chunk, static_cast<std::size_t>(n));
  Head head;
  if (buffer_.size() < sizeof head) return {};
  std::memcpy(&head, buffer_.data(), sizeof head);
  const std::size_t values = head.values * sizeof(double), numbers = values + head.errors * sizeof(double);
  if (buffer_.size() < sizeof head + numbers + head.reason + head.traceback) return {};
  if (head.lack != 0) throw OutOfResources(std::exchange(buffer_, {}).substr(sizeof head, head.reason));
  Outcome outcome;
  outcome.misread = head.misread != 0;
  outcome.answer.values.resize(head.values);
  outcome.answer.se.resize(head.errors);
  if (values > 0) std::memcpy(outcome.answer.values.data(), buffer_.data() + sizeof head, values);
  if (numbers > values) std::memcpy(outcome.answer.se.data(), buffer_.data() + sizeof head + values, numbers - values);
  outcome.answer.failure = buffer_.substr(sizeof head + numbers, head.reason);
  outcome.traceback = buffer_.substr(sizeof head + numbers + head.reason, head.traceback);
  buffer_.clear();
  return outcome;
}

void ForkWorker::close_questions() { close_quietly(questions_); }

Exit ForkWorker::collect(int milliseconds) {
  close_questions();
  for (int waited = 0; pid_ > 0 && waited < milliseconds; ++waited) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      ::kill(-std::exchange(pid_, -1), SIGKILL);  // what it started and left behind
      close_pipes();
      return exit_of(status);
    }
    pollfd end{end_, POLLIN, 0};
    if (::poll(&end, 1, 1) < 0) ::usleep(1000);
  }
  return kill();
}

Exit ForkWorker::kill() {
  Exit exit;
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::kill(pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    exit = exit_of(status);
    pid_ = -1;
  }
  close_pipes();
  return exit;
}

void ForkWorker::close_pipes() {
  close_quietly(questions_);
  close_quietly(answers_);
  close_quietly(end_);
}

}  // namespace zeroth::python
