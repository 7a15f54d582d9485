// SPDX-License-Identifier: MIT
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace zeroth::testing_support {

inline const std::string tool = ZEROTH_BINARY_DIR "/zeroth";
inline const std::string test_evaluator = ZEROTH_BINARY_DIR "/tests/zeroth_test_evaluator";

// A directory of its own for a test, gone afterwards.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "zeroth-test-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string path(const std::string& name = "") const { return name.empty() ? path_ : path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::stringstream text;
    text << std::ifstream(path(name)).rdbuf();
    return text.str();
  }

 private:
  std::string path_;
};

struct Ran {
  int code = 0;  // 128 + signal if one ended it
  std::string out, error;
  nlohmann::json json() const { return nlohmann::json::parse(out, nullptr, false); }
};

// A process whose output goes to files, so that it can be signalled and waited for.
class Process {
 public:
  Process(const Scratch& scratch, std::vector<std::string> argv) : scratch_(scratch) {
    static int count = 0;
    name_ = "process" + std::to_string(count++);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (::chdir(scratch.path().c_str()) != 0) ::_exit(126);
      redirect(scratch.path(name_ + ".out"), 1);
      redirect(scratch.path(name_ + ".err"), 2);
      std::vector<char*> words;
      for (auto& word : argv) words.push_back(word.data());
      words.push_back(nullptr);
      ::execvp(words[0], words.data());
      ::_exit(127);
    }
  }
  int pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }
  Ran wait() const {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    return {WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), scratch_.read(name_ + ".out"),
            scratch_.read(name_ + ".err")};
  }

 private:
  static void redirect(const std::string& file, int to) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    ::dup2(fd, to);
  }
  const Scratch& scratch_;
  std::string name_;
  int pid_ = -1;
};

// The evaluators that a tool has started: not its guardian, which runs the same program as the tool.
inline std::vector<int> children_of(int pid) {
  const auto program = [](int process) {
    std::error_code gone;
    return std::filesystem::read_symlink("/proc/" + std::to_string(process) + "/exe", gone);
  };
  std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
  std::vector<int> children;
  for (int child; file >> child;)
    if (program(child) != program(pid)) children.push_back(child);
  return children;
}

// Killed processes may wait for a while until whoever adopted them collects them.
inline bool alive(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(file, text);
  return !text.empty() && text.find(") Z") == std::string::npos;
}

inline Ran run(const Scratch& scratch, std::vector<std::string> argv) {
  return Process(scratch, std::move(argv)).wait();
}

inline Ran zeroth(const Scratch& scratch, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), tool);
  return run(scratch, std::move(arguments));
}

// A result without what depends on the clock.
inline std::string bits_of(const Ran& ran) {
  auto json = ran.json();
  if (!json.is_object()) return "not JSON: " + ran.out + ran.error;
  json.erase("seconds");
  return json.dump();
}

// A problem file for the test evaluator with two variables and two constraints.
inline std::string problem_text(const std::string& evaluator_arguments, const std::string& more_problem = "",
                                int budget = 60, const std::string& more_solver = "") {
  return "[problem]\ncommand = [\"" + test_evaluator + "\", " + evaluator_arguments +
         "]\nconstraints = [\"p\", \"q\"]\ncommon_noise = true\n" + more_problem +
         "\n[[variable]]\nname = \"a\"\nlower = 0.001\nupper = 1\nscale = \"log\"\n"
         "[[variable]]\nname = \"k\"\ntype = \"integer\"\nlower = 0\nupper = 3\n"
         "[solver]\nname = \"random\"\nbudget = " +
         std::to_string(budget) + "\n" + more_solver;
}

}  // namespace zeroth::testing_support
