// SPDX-License-Identifier: MIT
//
// An evaluator for the tests: right, deterministic answers, or one of the ways in which evaluators go wrong.
//   zeroth_test_evaluator MODE [--every K] [--sleep SECONDS] [--spread SHARE] [--log FILE] [--m M] [--limit L] [--once]
// MODE ok, or error, crash, segfault, hang, orphan, nan, garbage, short, long, wrong-id, no-id, flood, exit, two-lines,
// flaky, unseeded, chatty: goes wrong whenever the seed is a multiple of K (default 1: always).
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

namespace {

using Json = nlohmann::json;

struct Settings {
  std::string mode = "ok", log;
  std::uint64_t every = 1;
  double sleep = 0, spread = 0.2, limit = 0.8;
  int m = 2;
};

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// One write of one line, so that several evaluators can share a log and a kill cannot tear it.
void note(const std::string& file, const std::string& line) {
  if (file.empty()) return;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  [[maybe_unused]] const auto written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

Json answer_to(const Json& question, const Settings& s) {
  std::vector<double> x;
  for (const auto& value : question["x"]) x.push_back(value.get<double>());
  std::mt19937_64 random(s.mode == "unseeded" ? std::random_device{}() : question["seed"].get<std::uint64_t>());
  const auto noise = [&] { return 0.1 * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5); };
  double sum = 0, squares = 0;
  for (const double v : x) {
    sum += v;
    squares += (v - 0.3) * (v - 0.3);
  }
  Json answer{{"id", question["id"]}, {"objective", squares + noise()}, {"constraints", Json::array()}};
  for (int i = 0; i < s.m; ++i)
    answer["constraints"].push_back(sum / static_cast<double>(x.size()) - s.limit - i + noise());
  // Asked for some functions only: the others are left out or null. Constraints are p, q, ...
  if (question.contains("wanted")) {
    const auto wanted = [&](const std::string& name) {
      return std::find(question["wanted"].begin(), question["wanted"].end(), Json(name)) != question["wanted"].end();
    };
    if (!wanted("objective")) answer.erase("objective");
    for (int i = 0; i < s.m; ++i)
      if (!wanted(std::string(1, static_cast<char>('p' + i))))
        answer["constraints"][static_cast<std::size_t>(i)] = nullptr;
  }
  return answer;
}

void go_wrong(const Json& question, const Settings& s) {
  const std::string& mode = s.mode;
  std::cerr << "about to fail by way of " << mode << std::endl;
  Json answer = answer_to(question, s);
  if (mode == "error") std::cout << Json{{"id", question["id"]}, {"error", "diverged"}} << std::endl;
  else if (mode == "crash") std::abort();
  else if (mode == "segfault") ::raise(SIGSEGV);
  else if (mode == "exit") std::exit(3);
  else if (mode == "hang") sleep_for(1e6);
  else if (mode == "orphan") {  // a grandchild that holds our streams and outlives us, unless the group is killed
    if (const pid_t child = ::fork(); child == 0) sleep_for(1e6);
    else note(s.log, std::to_string(child) + "\n");
    sleep_for(1e6);
  } else if (mode == "nan")
    std::cout << "{\"id\":" << question["id"] << ",\"objective\":NaN,\"constraints\":[0,0]}" << std::endl;
  else if (mode == "garbage") std::cout << "Segment 7 loaded \x01\xff {" << std::endl;
  else if (mode == "short" || mode == "long") {
    if (mode == "short") answer["constraints"].erase(0);
    else answer["constraints"].push_back(1.0);
    std::cout << answer << std::endl;
  } else if (mode == "wrong-id") {
    answer["id"] = question["id"].get<std::uint64_t>() + 1;
    std::cout << answer << std::endl;
  } else if (mode == "no-id") {
    answer.erase("id");
    std::cout << answer << std::endl;
  } else if (mode == "flood") {
    for (;;) std::cout << std::string(1000, 'x');
  } else if (mode == "two-lines") {
    std::cout << answer.dump() + "\n" + answer.dump() + "\n" << std::flush;
  } else if (mode == "flaky") {  // the first attempt at every seed crashes
    const std::string mark = s.log + "." + question["seed"].dump();
    if (!std::ifstream(mark)) {
      std::ofstream(mark) << "seen";
      std::abort();
    }
    std::cout << answer << std::endl;
  } else if (mode == "chatty") {
    for (int i = 0; i < 3000; ++i) std::cerr << "line " << i << " of many\n";
    std::cerr << std::flush;
    std::abort();
  } else {
    std::cout << answer << std::endl;
  }
}

}  // namespace

int main(int argc, char** argv) {
  Settings s;
  if (argc > 1) s.mode = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--every")) s.every = std::strtoull(argv[i + 1], nullptr, 10);
    if (!std::strcmp(argv[i], "--sleep")) s.sleep = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--spread")) s.spread = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--log")) s.log = argv[i + 1];
    if (!std::strcmp(argv[i], "--limit")) s.limit = std::atof(argv[i + 1]);
    if (!std::strcmp(argv[i], "--m")) s.m = std::atoi(argv[i + 1]);
  }
  for (std::string line; std::getline(std::cin, line);) {
    const Json question = Json::parse(line);
    const auto seed = question["seed"].get<std::uint64_t>();
    if (s.mode == "ok") note(s.log, line + "\n");
    // Uneven, but the same for the same seed.
    const double unit = static_cast<double>((seed * 0x9e3779b97f4a7c15ULL) >> 11) * 0x1p-53;
    if (s.sleep > 0) sleep_for(s.sleep * (1 + s.spread * (2 * unit - 1)));
    if (s.mode != "ok" && seed % s.every == 0) go_wrong(question, s);
    else std::cout << answer_to(question, s) << std::endl;
  }
}
