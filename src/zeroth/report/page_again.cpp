// SPDX-License-Identifier: MIT
// How to do a run again, and who did it.
#include <fmt/ranges.h>

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

std::string python_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string python_list(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const auto& text : texts) quoted.push_back(python_text(text));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

// One pair, or the values, for each variable.
std::string python_bounds(const ResolvedProblem& problem) {
  const Variables& v = problem.space.variables();
  const auto& names = problem.space.names();
  constexpr Index most = 12;
  if (v.size() == 0 || v.size() > most)
    return fmt::format("...,  # {} variables, as in the declaration", problem.spec.dimension());
  std::string out = names.empty() ? "[" : "{";
  for (Index i = 0; i < v.size(); ++i) {
    if (i > 0) out += ", ";
    if (!names.empty()) out += python_text(names[static_cast<std::size_t>(i)]) + ": ";
    const auto end = [](double e) { return std::isfinite(e) ? fmt::format("{:.10g}", e) : std::string("None"); };
    out += !v.values_of(i).empty() ? python_list(v.values_of(i))
                                   : fmt::format("({}, {})", end(v.lower[i]), end(v.upper[i]));
  }
  return out + (names.empty() ? "]," : "},");
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

std::string python_call(const RunRow& row, const ResolvedProblem* problem) {
  std::string call = fmt::format("zeroth.minimize(\n    {},  # the function\n", row.name);
  if (problem) {
    call += "    bounds=" + python_bounds(*problem) + "\n";
    if (!problem->constraint_names.empty()) call += "    constraints=" + python_list(problem->constraint_names) + ",\n";
    if (!problem->equality_names.empty()) call += "    equalities=" + python_list(problem->equality_names) + ",\n";
    if (problem->maximize) call += "    direction=\"maximize\",\n";
    if (problem->spec.common_noise) call += "    common_noise=True,\n";
  }
  // Keywords as they were given; what is long (points, evaluations) or no keyword of its own is left to the reader.
  for (const auto& [option, assignment] : source_of(row).overrides) {
    const auto equals = assignment.find('=');
    if (equals == std::string::npos || assignment.size() > 200 ||
        option.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string::npos)
      continue;
    const std::string name = assignment.starts_with("solver.name=") ? "solver" : option;
    call += fmt::format("    {}={},\n", name, assignment.substr(equals + 1));
  }
  return call + ")";
}

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
