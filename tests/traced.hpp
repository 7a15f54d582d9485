// SPDX-License-Identifier: MIT
#pragma once

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "scratch.hpp"

namespace zeroth::testing_support {

// Runs a program and names every program that it or any process below it became: the kernel stops each of them at the
// moment of exec and tells us. Nothing that is executed can hide from this, however short it lives.
inline std::set<std::string> programs_run_by(const Scratch& scratch, std::vector<std::string> argv) {
  const pid_t first = ::fork();
  if (first == 0) {
    if (::chdir(scratch.path().c_str()) != 0) ::_exit(126);
    for (const int stream : {1, 2})
      ::dup2(::open(scratch.path("traced.out").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644), stream);
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    std::vector<char*> words;
    for (auto& word : argv) words.push_back(word.data());
    words.push_back(nullptr);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  std::set<std::string> programs;
  int status = 0;
  if (::waitpid(first, &status, 0) != first || !WIFSTOPPED(status)) return {"tracing is not possible here"};
  ::ptrace(PTRACE_SETOPTIONS, first, nullptr,
           PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  ::ptrace(PTRACE_CONT, first, nullptr, nullptr);
  for (;;) {
    const pid_t pid = ::waitpid(-1, &status, __WALL);
    if (pid < 0) break;
    if (!WIFSTOPPED(status)) continue;
    long deliver = WSTOPSIG(status);
    if (status >> 16 == PTRACE_EVENT_EXEC) {
      std::error_code ignored;
      programs.insert(std::filesystem::read_symlink("/proc/" + std::to_string(pid) + "/exe", ignored).filename());
    }
    if (status >> 16 != 0 || deliver == SIGSTOP || deliver == SIGTRAP) deliver = 0;
    ::ptrace(PTRACE_CONT, pid, nullptr, deliver);
  }
  return programs;
}

}  // namespace zeroth::testing_support
