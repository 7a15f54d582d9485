// SPDX-License-Identifier: MIT
// What asking costs: evaluations per second through one pipe to an evaluator that answers at once, with the store on,
// beside a bare ping-pong of the same lines with the same program in the same run. And how two jobs share two cores.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "zeroth/engine/child.hpp"
#include "zeroth/run/stored/session.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace zeroth;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void burn(double seconds) {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  const double end = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) + seconds;
  do ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while (static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) < end);
}

// The evaluator: an answer per line, after so many seconds of work.
int answer_lines(double work) {
  std::string in;
  char block[4096], line[128];
  for (;;) {
    const auto got = ::read(0, block, sizeof block);
    if (got <= 0) return 0;
    in.append(block, static_cast<std::size_t>(got));
    for (std::size_t end; (end = in.find('\n')) != std::string::npos; in.erase(0, end + 1)) {
      const auto id = std::strtoull(in.c_str() + in.find(':') + 1, nullptr, 10);
      if (work > 0) burn(work);
      const int size =
          std::snprintf(line, sizeof line, "{\"id\":%llu,\"objective\":1.25,\"constraints\":[-0.3,0.02]}\n", id);
      if (::write(1, line, static_cast<std::size_t>(size)) != size) return 1;
    }
  }
}

double bare_ping_pong(const std::string& self, int count) {
  Child child;
  std::string why;
  if (child.start({self, "--evaluator", "0"}, "", why) != Child::Start::done) throw std::runtime_error(why);
  const std::string question =
      "{\"id\":17,\"x\":{\"a\":0.5123456789,\"b\":0.512345678912},\"seed\":8723498723498723}\n";
  char block[4096];
  const auto begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    if (::write(child.in(), question.data(), question.size()) < 0) throw std::runtime_error("cannot write");
    for (bool ended = false; !ended;) {
      pollfd waiting{child.out(), POLLIN, 0};
      ::poll(&waiting, 1, -1);
      const auto got = ::read(child.out(), block, sizeof block);
      if (got <= 0) throw std::runtime_error("the evaluator ended");
      ended = block[got - 1] == '\n';
    }
  }
  return count / seconds_since(begin);
}

double with_store(const std::string& self, const std::filesystem::path& folder, int budget, int width, int jobs,
                  const char* work) {
  ProblemSource source{
      (folder / "problem.toml").string(),
      fmt::format("[problem]\ncommand = [\"{}\", \"--evaluator\", \"{}\"]\nconstraints = [\"p\", \"q\"]\n"
                  "[[variable]]\nname = \"a\"\nlower = 0\nupper = 1\n"
                  "[[variable]]\nname = \"b\"\nlower = 0\nupper = 1\n"
                  "[solver]\nname = \"random\"\nbudget = {}\nwidth = {}\n",
                  self, work, budget, width),
      {}};
  const ResolvedProblem problem = resolve(source);
  const auto engine = local_engine(problem, jobs);
  SolveRequest request;
  request.store = (folder / fmt::format("store{}-{}-{}.db", width, jobs, work)).string();
  const auto begin = Clock::now();
  solve(source, problem, *engine, request);
  return budget / seconds_since(begin);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--evaluator") == 0) return answer_lines(std::atof(argv[2]));
  const int count = argc > 1 ? std::atoi(argv[1]) : 100'000;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  char name[] = "zeroth-bench-XXXXXX";
  const std::filesystem::path folder = std::filesystem::absolute(::mkdtemp(name));

  const double bare = bare_ping_pong(self, count);
  fmt::print("bare ping-pong            {:>9.0f} per second\n", bare);
  for (const int width : {64, 1}) {
    const double rate = with_store(self, folder, count, width, 1, "0");
    fmt::print(
        "zeroth, store on, width {:<2}{:>9.0f} per second, {:.2f} times the bare cost{}\n", width, rate, bare / rate,
        width == 64 ? (rate >= 20'000 && bare / rate <= 3 ? "  (goal: 20000 and 3)" : "  MISSED (goal: 20000 and 3)")
                    : "");
  }
  const double one = with_store(self, folder, 300, 30, 1, "0.01"), two = with_store(self, folder, 600, 30, 2, "0.01");
  fmt::print("10 ms of work, one job    {:>9.1f} per second\n", one);
  fmt::print("10 ms of work, two jobs   {:>9.1f} per second, {:.2f} times as many{}\n", two, two / one,
             two / one >= 1.8 ? "  (goal: 1.8)" : "  MISSED (goal: 1.8)");
  std::filesystem::remove_all(folder);
  return 0;
}
