// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "zeroth/cli/commands.hpp"
#include "zeroth/cli/output.hpp"
#include "zeroth/cli/problem_arguments.hpp"
#include "zeroth/cli/summary.hpp"
#include "zeroth/core/error.hpp"
#include "zeroth/run/stored/ask_tell.hpp"
#include "zeroth/run/stored/import.hpp"

namespace zeroth::cli {
namespace {

struct AskArguments : ProblemArguments {
  std::int64_t count = 1;
  double wait = 600;
  bool csv = false, again = false, result = false, json = false;
};

// A table to fill in: the question as an evaluator would see it, and an empty cell for every answer.
class Sheet {
 public:
  explicit Sheet(const ResolvedProblem& problem) : answers_(function_columns(problem)) { answers_.push_back("error"); }

  std::string line(const std::string& request) {
    using Json = nlohmann::ordered_json;
    const Json question = Json::parse(request);
    std::string head = "id", cells = question["id"].dump();
    std::size_t index = 0;
    for (const auto& [key, value] : question["x"].items()) {
      head += "," + (question["x"].is_object() ? csv_cell(key) : fmt::format("x{}", index++));
      cells += "," + (value.is_string() ? csv_cell(value.get<std::string>()) : value.dump());
    }
    head += ",seed";
    cells += "," + question["seed"].dump();
    for (const auto& name : answers_) {
      head += "," + csv_cell(name);
      cells += ",";
      // Not asked for, so there is nothing to fill in.
      if (question.contains("wanted") && name != "error" &&
          std::ranges::find(question["wanted"], Json(name)) == question["wanted"].end())
        cells += "-";
    }
    return (std::exchange(begun_, true) ? "" : head + "\n") + cells + "\n";
  }

 private:
  std::vector<std::string> answers_;
  bool begun_ = false;
};

void say(const AskArguments& a, const AskOutcome& outcome, std::size_t printed) {
  if (a.quiet) return;
  if (outcome.done) {
    note("run {} in {} is done: nothing more is asked; 'zeroth ask {} --store {} --result' prints the result\n",
         outcome.run, a.store, a.file, a.store);
    return;
  }
  note("run {} in {}: {} question{}, {} wait for answers\n", outcome.run, a.store, printed, printed == 1 ? "" : "s",
       outcome.waiting);
  if (static_cast<std::int64_t>(printed) >= a.count || a.again) return;
  if (outcome.waiting >= outcome.most)
    note("at most {} may wait at a time: width + lag under [solver], which are part of the run\n", outcome.most);
  else note("what comes next depends on the answers to those (at most {} may wait at a time)\n", outcome.most);
}

void ask_command(const AskArguments& a) {
  const auto [source, problem] = problem_from(a, false);
  const Evaluator words = questions_and_answers(problem);
  AskRequest request;
  request.store = a.store;
  request.count = a.result ? 0 : a.again ? std::numeric_limits<std::int64_t>::max() : a.count;
  request.again = a.again;
  request.patience = a.wait;
  std::size_t printed = 0;
  const AskOutcome outcome =
      ask(source, problem, request, [&](std::span<const StoredQuestion> rows, std::span<const Query> queries) {
        Sheet sheet(problem);
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const std::string line = request_line(words, queries[k], static_cast<std::uint64_t>(rows[k].id));
          if (a.csv) write_result(sheet.line(line));
          else write_json(line);
        }
        flush_result();  // only what has arrived counts as handed out
        printed = rows.size();
      });
  if (!a.result) return say(a, outcome, printed);
  SolveOutcome solved;
  solved.result = outcome.result;
  solved.json = outcome.json;
  solved.run = outcome.run;
  if (a.json) write_json(outcome.json + "\n");
  else print("{}", summary(solved, problem, a.store));
  if (const int code = exit_code_of(outcome.result); code != 0) throw Exit{code};
}

std::string text_of(const std::string& path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream stream(path, std::ios::binary);
  if (stream) text << stream.rdbuf();
  if (!stream || text.bad())
    throw Error(path, "cannot read this file; give answers as JSON lines or CSV, or - for stdin");
  return text.str();
}

struct TellArguments {
  std::string store = "zeroth.db", answers;
  std::vector<std::int64_t> withdraw;
  double wait = 600;
  bool quiet = false;
};

void tell_command(const TellArguments& a) {
  if (a.answers.empty() && a.withdraw.empty()) throw Error("give a file with answers (- for stdin), or --withdraw ID");
  for (const std::int64_t id : a.withdraw) {
    withdraw(a.store, id);
    if (!a.quiet) note("question {} was withdrawn: the next 'zeroth ask' hands it out again\n", id);
  }
  if (a.answers.empty()) return;
  const TellOutcome outcome = tell(a.store, text_of(a.answers), a.answers == "-" ? "stdin" : a.answers, a.wait);
  // This one is said even when quiet: somebody's work was not used.
  if (!outcome.contradicted.empty())
    note("question{} {} had another answer already, which stays\n", outcome.contradicted.size() == 1 ? "" : "s",
         fmt::join(outcome.contradicted, ", "));
  if (a.quiet) return;
  note("{} answer{} kept{}\n", outcome.kept, outcome.kept == 1 ? "" : "s",
       outcome.known > 0 ? fmt::format(", {} known already", outcome.known) : "");
  for (const auto& [run, waiting] : outcome.waiting)
    note("run {} in {}: {} question{} wait{} for answers\n", run, a.store, waiting, waiting == 1 ? "" : "s",
         waiting == 1 ? "s" : "");
}

}  // namespace

void add_ask(CLI::App& app) {
  auto* command = app.add_subcommand("ask", "Questions of a run for others to answer; nothing is evaluated");
  auto a = std::make_shared<AskArguments>();
  add_problem_options(*command, *a);
  command->add_option("-n,--count", a->count, "questions wanted; at most width + lag wait at a time")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}))
      ->capture_default_str();
  command->add_flag("--csv", a->csv, "a table to fill in instead of JSON lines");
  auto* again = command->add_flag("--again", a->again, "the questions that wait for answers, instead of new ones");
  command->add_flag("--result", a->result, "what the run ends with, or would end with now; no questions")
      ->excludes(again);
  command->add_flag("--json", a->json, "with --result: as JSON");
  command->add_option("--wait", a->wait, "seconds to wait for other processes that ask")->check(CLI::NonNegativeNumber);
  command->footer(
      "Give the same file and options each time: they name the run. 'zeroth tell' takes the answers.\n"
      "Exit codes: 0; with --result those of 'zeroth solve'.");
  command->callback([a] { ask_command(*a); });
}

void add_tell(CLI::App& app) {
  auto* command = app.add_subcommand("tell", "Answers to what 'zeroth ask' asked: any number, any order, any time");
  auto a = std::make_shared<TellArguments>();
  command->add_option("ANSWERS", a->answers,
                      "JSON lines such as {\"id\":17,\"objective\":1.2,\"constraints\":[-0.3]} or {\"id\":17,\"error\":"
                      "\"why\"}; or the table of 'zeroth ask --csv', filled in; - for stdin");
  command->add_option("--store", a->store, "where the questions are kept")->capture_default_str();
  command->add_option("--withdraw", a->withdraw, "take a question back, so that it is handed out again")
      ->allow_extra_args(false);
  command->add_option("--wait", a->wait, "seconds to wait for other processes that tell")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("-q,--quiet", a->quiet, "no words on stderr");
  command->footer("All answers of a file are kept, or none if one cannot be read. Telling a file twice does no harm.");
  command->callback([a] { tell_command(*a); });
}

}  // namespace zeroth::cli
