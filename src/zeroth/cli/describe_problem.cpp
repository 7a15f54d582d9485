// SPDX-License-Identifier: MIT
#include "zeroth/cli/describe_problem.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "zeroth/cli/output.hpp"
#include "zeroth/problem_file/read_cost.hpp"
#include "zeroth/run/stored/session.hpp"

namespace zeroth::cli {
namespace {

constexpr std::size_t most_lines = 40;  // of one kind

// Lines under one title, the later ones indented.
class Lines {
 public:
  explicit Lines(const char* title) : title_(title) {}
  void add(const std::string& text) {
    if (++count_ <= most_lines) print("{:<14}{}\n", count_ == 1 ? title_ : "", one_line(text));
  }
  ~Lines() {
    if (count_ > most_lines) print("{:<14}and {} more\n", "", count_ - most_lines);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

 private:
  const char* title_;
  std::size_t count_ = 0;
};

const char* word_for(VariableType type) {
  switch (type) {
    case VariableType::real:
      return "real";
    case VariableType::integer:
      return "integer";
    case VariableType::binary:
      return "binary";
    case VariableType::categorical:
      return "categorical";
    case VariableType::ordinal:
      return "ordinal";
  }
  return "";
}

std::string range_of(const Variables& v, Index i) {
  const bool low = std::isfinite(v.lower[i]), high = std::isfinite(v.upper[i]);
  if (low && high) return fmt::format("from {} to {}", v.lower[i], v.upper[i]);
  const double spread = v.spread.size() > i ? v.spread[i] : std::nan("");
  return fmt::format("{}, searched from {} outward{}",
                     low    ? fmt::format("from {} on", v.lower[i])
                     : high ? fmt::format("up to {}", v.upper[i])
                            : "without bounds",
                     v.start[i], std::isnan(spread) ? "" : fmt::format(", spread {}", spread));
}

std::string text_of(const ResolvedProblem& problem, Index i, const std::map<std::string, std::string>& when) {
  const Variables& v = problem.space.variables();
  const auto k = static_cast<std::size_t>(i);
  const std::string name = v.names.empty() ? fmt::format("x[{}]", i) : v.names[k];
  std::string text = fmt::format("{}: {}", name, word_for(v.type[k]));
  if (!v.values_of(i).empty()) text += fmt::format(", one of {}", fmt::join(v.values_of(i), ", "));
  else if (v.type[k] != VariableType::binary) text += ", " + range_of(v, i);
  if (v.log_scale[k]) text += ", on a log scale";
  if (!std::isnan(v.start[i]) && std::isfinite(v.lower[i]) && std::isfinite(v.upper[i]))
    text += fmt::format(", start {}", problem.space.text_of(i, v.start[i]));
  if (const auto found = when.find(name); found != when.end()) text += fmt::format(", when {}", found->second);
  return text;
}

void print_functions(const ResolvedProblem& problem) {
  print("{:<14}{}{}\n", "objective", problem.maximize ? "maximize" : "minimize",
        problem.objective.empty() ? "" : " " + one_line(problem.objective));
  Lines constraints("constraints"), equalities("equalities");
  for (const auto& name : problem.constraint_names) constraints.add(name);
  for (const auto& name : problem.equality_names) equalities.add(name);
}

void print_cost(const ResolvedProblem& problem) {
  if (problem.evaluator && !problem.evaluator->partial.empty())
    print("{:<14}the evaluator is told which functions are wanted\n", "partial");
  if (problem.cost.size() == 0) return;
  const auto names = measured_names(problem);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", names[i], problem.cost[static_cast<Index>(i)]);
  print("{:<14}{}; all together {}\n", "cost", one_line(text), problem.cost.sum());
}

void print_evaluator(const ResolvedProblem& problem) {
  if (problem.builtin) print("{:<14}builtin {}\n", "evaluator", problem.builtin->name);
  for (const Party& p : problem.parties)
    print("{:<14}{}: {}\n", "party", one_line(p.name),
          one_line(fmt::format("{}", fmt::join(p.evaluator.command, " "))));
  if (!problem.evaluator) return;
  const Evaluator& e = *problem.evaluator;
  print("{:<14}{}, protocol \"{}\"{}{}\n", "evaluator",
        e.command.empty() ? "none: 'zeroth ask' and 'zeroth tell'"
                          : one_line(fmt::format("{}", fmt::join(e.command, " "))),
        e.files    ? "files"
        : e.stream ? "stream"
                   : "once",
        e.timeout > 0 ? fmt::format(", timeout {} s", e.timeout) : "",
        e.retries > 0 ? fmt::format(", {} retries", e.retries) : "");
}

// What a program reads and writes, where no lines go to and fro.
void print_files(const Document& document) {
  const Section* files = document.find("files");
  if (!files) return;
  const auto listed = [&](const char* key) {
    const DocumentEntry* entry = files->find(key);
    if (!entry) return std::string();
    if (std::holds_alternative<std::string>(entry->value)) return *text_at(*files, key);
    return fmt::format("{}", fmt::join(*texts_at(*files, key), ", "));
  };
  print("{:<14}{} filled in as {}\n", "template", one_line(listed("template")), one_line(listed("input")));
  if (files->find("copy")) print("{:<14}{}\n", "copies", one_line(listed("copy")));
  print("{:<14}{}\n", "reads", one_line(listed("output")));
  Lines patterns("");
  if (const auto pattern = text_at(*files, "objective")) patterns.add("objective by " + *pattern);
  if (const Section* constraints = document.find("files.constraints"))
    for (const auto& [name, entry] : constraints->entries)
      if (const auto pattern = text_at(*constraints, name)) patterns.add(name + " by " + *pattern);
}

}  // namespace

void print_limits(const ResolvedProblem& problem) {
  Lines linear("linear"), known("known"), open("no bounds");
  for (const LinearRow& row : problem.space.rows()) linear.add(row.text);
  for (const KnownLimit& limit : problem.space.known()) known.add(limit.text);
  const Variables& v = problem.space.variables();
  for (Index i = 0; i < v.size(); ++i)
    if (std::isinf(v.lower[i]) || std::isinf(v.upper[i]))
      open.add(fmt::format("{} is searched from its start outward",
                           v.names.empty() ? fmt::format("x[{}]", i) : v.names[static_cast<std::size_t>(i)]));
  if (problem.space.has_limits()) print("{:<14}{}\n", "set", problem.spec.domain.name());
  if (problem.evaluator && problem.evaluator->seed_bits < 53)
    print("{:<14}below 2^{}\n", "seeds", problem.evaluator->seed_bits);
}

void describe_problem(const std::string& file) {
  const ProblemSource source = read_source(file);
  const Document document = parse_document(source.text, source.file);
  const ResolvedProblem problem = resolve(document, false);
  print("{:<14}{}: {} variables, {} constraints, {} equalities\n", "problem", one_line(problem.name),
        problem.spec.dimension(), problem.spec.constraints, problem.spec.equalities);
  print_evaluator(problem);
  print_files(document);
  if (!problem.space.speaks_alike()) {
    std::map<std::string, std::string> when;
    for (const Section* s : document.all("variable"))
      if (const auto text = text_at(*s, "when")) when.emplace(text_at(*s, "name").value_or(""), *text);
    Lines variables("variables");
    for (Index i = 0; i < problem.space.variables().size(); ++i) variables.add(text_of(problem, i, when));
  }
  print_limits(problem);
  print_functions(problem);
  print_cost(problem);
  if (!problem.spec.known_points.empty())
    print("{:<14}{} to evaluate first\n", "points", problem.spec.known_points.size());
  if (!problem.spec.evaluated.empty())
    print("{:<14}{} evaluations known from the start\n", "evaluated", problem.spec.evaluated.size());
  StopRules rules = problem.stop_rules;
  Lines stop("stop");
  for (const Option& o : options_of(rules))
    if (o.value() != "0") stop.add(fmt::format("{} = {}", o.name(), o.value()));
  print("{:<14}{}, budget {}{}, width {}, lag {}, seed {}\n", "solver", problem.run.name, problem.run.budget,
        problem.cost.size() > 0 ? fmt::format(" units of cost ({} evaluations of all functions)", problem.spec.budget)
                                : " evaluations",
        problem.run.width, problem.run.lag, problem.run.seed);
}

}  // namespace zeroth::cli
