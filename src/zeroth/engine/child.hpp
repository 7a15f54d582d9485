// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace zeroth {

// How a process ended.
struct Exit {
  int code = 0;
  int signal = 0;  // that ended it; 0: it ended by itself
  std::string text() const;
};

// A child process in its own process group, with its three streams as non-blocking pipes. It dies with us: the kernel
// kills it when this process is gone, however that happens.
class Child {
 public:
  Child() = default;
  Child(Child&& other) noexcept { *this = std::move(other); }
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  // Starts argv in `directory` (empty: here). No shell. On failure says why: the program cannot be run, or we lack what
  // running any program takes (descriptors, processes, memory).
  enum class Start { done, impossible, lacking };
  Start start(const std::vector<std::string>& argv, const std::string& directory, std::string& why);

  bool running() const { return pid_ > 0; }
  int in() const { return in_; }
  int out() const { return out_; }
  int error() const { return error_; }
  int ended() const { return ended_; }  // readable once the process has ended; -1 if the kernel cannot tell

  void close_in();
  bool reap(Exit& exit);          // true once it has ended by itself; then the rest of its group is killed too
  Exit kill();                    // kills the group and waits
  void finish(int milliseconds);  // end of input, time to end by itself, then kill

 private:
  void close_streams();
  int pid_ = -1, in_ = -1, out_ = -1, error_ = -1, ended_ = -1;
};

// Kills the groups of all children that run now; safe inside a signal handler.
void kill_all_children() noexcept;

}  // namespace zeroth
