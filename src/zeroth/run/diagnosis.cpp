// SPDX-License-Identifier: MIT
// What the doctor says about what it saw.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "zeroth/run/doctor.hpp"

namespace zeroth {
namespace {

using Advice = std::vector<std::string>;

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

// A text without a first line that names its interpreter: the system hands it to the shell, which understands none of
// it.
bool lacks_shebang(const ResolvedProblem& problem) {
  if (!problem.evaluator || problem.evaluator->command.empty()) return false;
  const std::filesystem::path program =
      std::filesystem::path(problem.evaluator->directory) / problem.evaluator->command.front();
  std::ifstream stream(program, std::ios::binary);
  char begin[2] = {0, 0};
  stream.read(begin, 2);
  return stream.gcount() == 2 && !(begin[0] == '#' && begin[1] == '!') && begin[0] != 0x7f;
}

// By what it wrote to stderr, whatever the reply was: an exception's last line says most.
std::string remedy_by_stderr(const std::string& errors, const ResolvedProblem& problem) {
  const std::string last = last_line(errors);
  const std::string directory =
      problem.evaluator && !problem.evaluator->directory.empty() ? problem.evaluator->directory : std::string(".");
  const bool files = problem.evaluator && problem.evaluator->files;
  if (has(errors, "ModuleNotFoundError") || has(errors, "ImportError") || has(errors, "there is no package called"))
    return fmt::format(
        "the interpreter that runs it lacks a module ({}): name the right one in 'command', such as "
        "[\".venv/bin/python\", \"evaluate.py\"]",
        last);
  if (has(errors, "No such file or directory") || has(errors, "FileNotFoundError") || has(errors, "cannot open file"))
    return files ? "it did not find a file: each evaluation runs in a fresh directory; list what it needs under 'copy' "
                   "in [files]"
                 : fmt::format(
                       "it did not find a file: it runs in the directory of the problem file ({}), and relative "
                       "paths in it begin there",
                       directory);
  if (has(errors, "Permission denied"))
    return "it may not read or write something: check the permissions of what it opens (chmod), and those of 'command'";
  if (has(errors, "Traceback (most recent call last)"))
    return fmt::format(
        "it raised {}: mend it there, or catch it and answer {{\"id\": ..., \"error\": \"why\"}}, which is a "
        "failed evaluation and not the end",
        last);
  if (has(errors, "Error in ") || has(errors, "Execution halted"))
    return "R stopped with the error above: mend it there, or wrap the evaluation in tryCatch and answer {\"id\": ..., "
           "\"error\": \"why\"}";
  return {};
}

constexpr const char* shebang_words =
    "it is a text without a first line such as #!/usr/bin/env python3: add one, or name the interpreter, command = "
    "[\"python3\", \"evaluate.py\"]";

std::string remedy_by_start(const std::string& reason) {
  if (has(reason, "neither a program nor a script")) return shebang_words;
  if (has(reason, "No such file or directory"))
    return "the file is there but the interpreter in its first line (#!...) is not; line ends of Windows (CRLF) there "
           "have the same effect";
  return {};
}

// For instance [\"geweke\", \"rhat\"]
std::string expected(const ResolvedProblem& problem) {
  return fmt::format("\"constraints\": one number for each of {}", fmt::join(problem.value_names(), ", "));
}

}  // namespace

std::string remedy(const std::string& reason, const std::string& error_output, const ResolvedProblem& problem) {
  if (has(reason, "cannot start")) return remedy_by_start(reason);
  if (has(reason, "without a reply") && lacks_shebang(problem)) return shebang_words;
  if (std::string told = remedy_by_stderr(error_output, problem); !told.empty()) return told;
  if (has(reason, "is not JSON") || has(reason, "is not a JSON object") || has(reason, "more than one line"))
    return "stdout is for answers only, one line of JSON each: print everything else to stderr (Python: "
           "file=sys.stderr; "
           "R: message(); shell: >&2)";
  if (has(reason, "no \"id\"") || has(reason, "answers another question"))
    return "copy \"id\" from the question into the answer, and answer every question once, in their order";
  if (has(reason, "NaN") || has(reason, "not a finite number"))
    return "where there is no number, answer {\"id\": ..., \"error\": \"why\"} instead of NaN or infinity; if that is "
           "often so, narrow the bounds or state a known limit (linear, known)";
  if (has(reason, "no \"objective\"") || has(reason, "\"objective\" is not"))
    return "answer with \"objective\": a number, besides \"id\" and \"constraints\"";
  if (has(reason, "\"constraints\"")) return expected(problem) + ", in this order; or change 'constraints' in the file";
  if (has(reason, "\"equalities\""))
    return fmt::format("\"equalities\": one number for each of {}", fmt::join(problem.equality_names, ", "));
  if (has(reason, "timeout"))
    return "no answer came in time: does it flush its output after every line? If it only needs longer, raise "
           "'timeout'";
  if (has(reason, "no line of the output matches"))
    return "compare the expression in [files] with the output above; a plain name finds 'name = 3.5' and 'name: 3.5'";
  if (has(reason, "wrote no file")) return "compare 'output' in [files] with the name of the file that it writes";
  if (has(reason, "signal 9")) return "it was killed: most often memory ran out";
  if (has(reason, "signal")) return "it crashed: run it by hand with the question above on its stdin, under a debugger";
  if (has(reason, "exit code 0 without a reply"))
    return "it ended before it answered: with protocol = \"stream\" it must go on reading lines until stdin ends; a "
           "program that answers one question and ends is protocol = \"once\"";
  if (has(reason, "without a reply"))
    return "it ended without an answer: run it by hand with the question above on its stdin and read what it says";
  return {};
}

namespace {

void advise_on_failures(const ResolvedProblem& problem, const Examination& e, Advice& advice) {
  std::set<std::string> said;
  for (const auto& [reason, count] : e.failures)
    if (std::string told = remedy(reason, e.error_output, problem); !told.empty() && said.insert(told).second)
      advice.push_back(std::move(told));
  if (e.failed == 0) return;
  if (e.again == Examination::Again::succeeded)
    advice.push_back(fmt::format("the question that failed succeeded when it was asked again: failures are by chance{}",
                                 problem.evaluator && problem.evaluator->retries > 0
                                     ? ", and 'retries' will hide them"
                                     : "; retries = 1 under [problem] tries again"));
  else if (e.again == Examination::Again::failed && e.failed < e.evaluations)
    advice.push_back(
        "the same question fails again: it is the point that fails, not chance. Retries would not help; bounds or "
        "known "
        "limits that leave such points out would, and solvers learn to keep away from them");
}

void advise_on_seed(const ResolvedProblem& problem, const Examination& e, Advice& advice) {
  if (e.seed == Examination::Seed::honoured && !problem.spec.common_noise)
    advice.push_back(
        "the evaluator honours its seed: set common_noise = true under [problem], solvers then cancel noise");
  if (e.seed == Examination::Seed::ignored && problem.spec.common_noise)
    advice.push_back(
        "common_noise = true, but the same x and seed gave different numbers: seed every generator with the "
        "seed that is sent, or set common_noise = false");
}

// Names of the functions for which something holds.
template <class Holds>
std::vector<std::string> those(const Examination& e, const Holds& holds) {
  std::vector<std::string> names;
  for (const FunctionReport& f : e.functions)
    if (holds(f)) names.push_back(f.name);
  return names;
}

void advise_on_functions(const ResolvedProblem& problem, const Examination& e, Advice& advice) {
  if (const auto deaf = those(e, [](const FunctionReport& f) { return f.ignores_x; });
      !deaf.empty() && deaf.size() == e.functions.size())
    advice.push_back(
        "no value depends on x: other points gave the same numbers (or the same noise). Does the evaluator read \"x\" "
        "from "
        "the question?");
  else if (!deaf.empty())
    advice.push_back(fmt::format("{} did not change with x at any point tried", fmt::join(deaf, ", ")));
  for (std::size_t i = 0; i < e.functions.size(); ++i) {
    const FunctionReport& f = e.functions[i];
    const bool constraint = i >= 1 && i <= problem.value_names().size();
    if (constraint && f.distinct.size() == 1 && !(f.ignores_x && e.functions.size() == 1))
      advice.push_back(
          fmt::format("{} never varies: it was {:.4g} everywhere. A constraint that always holds can be left "
                      "out; one that never does leaves no answer",
                      f.name, f.distinct[0]));
    else if (constraint && f.distinct.size() > 1)
      advice.push_back(fmt::format(
          "{0} takes few values ({1:.4g}): if it says whether a limit was kept, return the quantity itself and declare "
          "\"probability({0} <= LIMIT) >= 0.95\" instead, from which far more is learned",
          f.name, fmt::join(f.distinct, ", ")));
    if (f.heavy_tails)
      advice.push_back(
          fmt::format("the noise of {} has heavy tails: means need more evaluations than its sd suggests", f.name));
  }
  if (const auto rough = those(e, [](const FunctionReport& f) { return f.jumps && f.distinct.empty(); });
      !rough.empty())
    advice.push_back(fmt::format(
        "{} jumps under one seed where x moves a little: slopes there mislead. Give each source of randomness its own "
        "stream (arrivals, services, ...), so that a small step leaves the others as they were; auto copes with the "
        "rest",
        fmt::join(rough, ", ")));
  if (e.scattered_points > 0 && e.feasible_points == 0 && problem.spec.constraints > 0)
    advice.push_back(fmt::format(
        "none of {} random points was seen to satisfy every constraint: a 'start' or --points that is known to be "
        "feasible saves much of the search",
        e.scattered_points));
}

void advise_on_variables(const ResolvedProblem& problem, Advice& advice) {
  const Variables& v = problem.space.variables();
  std::vector<std::string> wide;
  for (Index i = 0; i < v.size() && wide.size() < 8; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (v.log_scale[k] || v.type[k] != VariableType::real || !(v.lower[i] > 0) || !std::isfinite(v.upper[i])) continue;
    if (v.upper[i] / v.lower[i] >= 100)
      wide.push_back(problem.space.names().empty() ? fmt::format("x[{}]", i) : problem.space.names()[k]);
  }
  if (!wide.empty())
    advice.push_back(
        fmt::format("{} spans two or more powers of ten: scale = \"log\" searches small values as carefully as "
                    "large ones",
                    fmt::join(wide, ", ")));
}

void advise_on_time(const ResolvedProblem& problem, const Examination& e, Advice& advice) {
  if (!problem.evaluator || e.functions.empty()) return;
  if (problem.evaluator->timeout == 0)
    advice.push_back(
        fmt::format("no timeout is set, so a hang lasts for ever: timeout = {:.3g} would be ten times the "
                    "longest evaluation seen",
                    std::max(1.0, 10 * e.longest_seconds)));
  if (!problem.evaluator->stream && !problem.evaluator->files && e.median_seconds < 0.5)
    advice.push_back("evaluations are short: protocol = \"stream\" saves starting a process for each");
}

void advise_on_costs(const ResolvedProblem& problem, const Examination& e, Advice& advice) {
  for (const AloneReport& a : e.alone)
    if (a.answered && !a.agrees && e.seed == Examination::Seed::honoured)
      advice.push_back(
          fmt::format("{} is another number when it is asked alone than among the others, under the same seed: give "
                      "every function a generator of its own, seeded by the seed that is sent",
                      a.name));
  if (e.alone.empty() || problem.cost.size() > 0) return;
  const auto by_time = [](const AloneReport& a, const AloneReport& b) { return a.seconds < b.seconds; };
  const auto [least, most] = std::ranges::minmax_element(e.alone, by_time);
  if (most->seconds > 3 * least->seconds)
    advice.push_back(
        fmt::format("asked alone, {} took {:.3g} s and {} {:.3g} s: say so under [cost], and dear "
                    "functions are not asked where a cheap constraint surely fails",
                    most->name, most->seconds, least->name, least->seconds));
}

}  // namespace

std::vector<std::string> advice_on(const ResolvedProblem& problem, const Examination& e) {
  Advice advice;
  advise_on_failures(problem, e, advice);
  advise_on_seed(problem, e, advice);
  advise_on_functions(problem, e, advice);
  advise_on_variables(problem, advice);
  advise_on_time(problem, e, advice);
  advise_on_costs(problem, e, advice);
  return advice;
}

}  // namespace zeroth
