// SPDX-License-Identifier: MIT
// How to do a run again, and who did it.
#include <algorithm>
#include <map>

#include "zeroth/report/page_data.hpp"
#include "zeroth/report/page_json.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth {
namespace {

std::string shell_quoted(const std::string& word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string command_of(const RunRow& row) {
  const ProblemSource source = source_of(row);
  std::string command = "zeroth solve " + shell_quoted(row.file);
  for (const auto& [option, assignment] : source.overrides) {
    if (option == "--set") command += " --set " + shell_quoted(assignment);
    else if (option.starts_with("--")) command += " " + option;  // "--seed 3", as it was given; imports need no word
  }
  return command;
}

namespace page_parts {

OrderedJson workers_json(const RunHistory& h, std::size_t count) {
  struct Worker {
    std::int64_t evaluations = 0, failed = 0;
    double seconds = 0;
    std::vector<std::int64_t> per_interval;
  };
  constexpr std::size_t most = 64;
  std::map<int, Worker> workers;
  count = std::max<std::size_t>(1, std::min(count, h.size()));
  for (std::size_t k = 0; k < h.size(); ++k) {
    if (h.state(k) == RunHistory::State::missing) continue;
    if (workers.size() >= most && !workers.contains(h.worker(k))) continue;
    Worker& w = workers[h.worker(k)];
    w.per_interval.resize(count);
    ++w.evaluations;
    w.failed += h.state(k) == RunHistory::State::failed;
    w.seconds += h.seconds_of(k);
    ++w.per_interval[std::min(count - 1, k * count / h.size())];
  }
  OrderedJson json = OrderedJson::array();
  for (const auto& [number, w] : workers)
    json.push_back({{"worker", number},
                    {"evaluations", w.evaluations},
                    {"failed", w.failed},
                    {"seconds", drawn(w.seconds)},
                    {"per_interval", w.per_interval}});
  return json;
}

}  // namespace page_parts
}  // namespace zeroth
