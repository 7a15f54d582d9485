// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/run/stored/ask_tell.hpp"
#include "zeroth/run/stored/import.hpp"
#include "zeroth/run/stored/store_journal.hpp"

namespace zeroth {
namespace {

struct Told {
  StoredQuestion question;
  Answer answer;  // in the user's sign
};

// Reads answers, each in the words of the run that its question belongs to.
class AnswerReader {
 public:
  explicit AnswerReader(Store& store) : store_(store) {}

  std::vector<Told> read(std::string_view text, const std::string& file) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // what Excel puts in front
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) throw Error(file, "holds no answers; give one JSON object per line, or CSV");
    return text[first] == '{' ? read_lines(text, file) : read_rows(parse_table(text, file));
  }
  const ResolvedProblem& problem_of(std::int64_t run) { return run_of(run).problem; }
  const RunRow& row_of(std::int64_t run) { return run_of(run).row; }

 private:
  struct Run {
    RunRow row;
    ResolvedProblem problem;
    Evaluator reader;
  };

  Run& run_of(std::int64_t run) {
    if (const auto found = runs_.find(run); found != runs_.end()) return *found->second;
    const auto row = store_.run(run);
    if (!row) throw sqlite::Failure(fmt::format("store '{}': run {} is missing", store_.path(), run));
    auto entry = std::make_unique<Run>(Run{*row, resolve(source_of(*row), false), {}});
    entry->reader = questions_and_answers(entry->problem);
    entry->reader.maximize = false;  // the store keeps the user's sign
    return *runs_.emplace(run, std::move(entry)).first->second;
  }

  StoredQuestion find(std::int64_t id, const std::string& where) {
    auto q = question(store_, id);
    if (!q)
      throw Error(where, fmt::format("there is no question {} in '{}'; ids are those that 'zeroth ask' printed", id,
                                     store_.path()));
    return *std::move(q);
  }

  std::vector<Told> read_lines(std::string_view text, const std::string& file) {
    std::vector<Told> told;
    for (int number = 1; !text.empty(); ++number) {
      const auto end = text.find('\n');
      const std::string_view line = trimmed(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (line.empty()) continue;
      const std::string where = fmt::format("{}:{}", file, number);
      const auto json = parse_json<nlohmann::json>(line);
      if (!json.is_object())
        throw Error(where,
                    "is not a JSON object such as {\"id\":17,\"objective\":1.25,\"constraints\":[-0.3]}, or "
                    "{\"id\":17,\"error\":\"diverged\"}");
      if (!json.contains("id") || !json["id"].is_number_integer())
        throw Error(where, "has no \"id\", the number of the question that it answers");
      const auto id = json["id"].get<std::int64_t>();
      StoredQuestion q = find(id, where);
      Reply reply = parse_reply(line, static_cast<std::uint64_t>(id), run_of(q.run).reader, q.wanted);
      // Here a person or a script can be asked to write it again; an evaluator cannot.
      if (reply.answer.failed() && (!json.contains("error") || json["error"].is_null()))
        throw Error(where, fmt::format("{}. An evaluation that failed is told as {{\"id\":{},\"error\":\"why\"}}",
                                       reply.answer.failure, id));
      told.push_back({std::move(q), std::move(reply.answer)});
    }
    return told;
  }

  std::vector<Told> read_rows(const Table& table) {
    std::vector<Told> told;
    for (const TableRow& row : table.rows) {
      const auto id = row.numbers.find("id");
      if (id == row.numbers.end() || id->second != std::floor(id->second) || std::abs(id->second) > 0x1p53)
        throw Error(table.where(row), "has no 'id', the number of the question that it answers");
      StoredQuestion q = find(static_cast<std::int64_t>(id->second), table.where(row));
      const ResolvedProblem& problem = run_of(q.run).problem;
      const auto columns = function_columns(problem);
      bool given = false;
      for (std::size_t i = 0; i < columns.size(); ++i)
        if (q.wanted.empty() || q.wanted[i] != 0)
          given = given || row.numbers.contains(columns[i]) || row.texts.contains(columns[i]);
      if (const auto error = row.texts.find("error"); error != row.texts.end())
        told.push_back({std::move(q), Answer::failed_because(one_line(error->second))});
      else if (const auto code = row.numbers.find("error"); code != row.numbers.end())
        told.push_back({std::move(q), Answer::failed_because(fmt::format("error {}", code->second))});
      else if (given) {
        Answer answer = with_errors(answer_in(table, row, problem, q.wanted));
        told.push_back({std::move(q), std::move(answer)});
      }
    }
    return told;
  }

  static Answer with_errors(Answer answer) {
    if (std::ranges::all_of(answer.se, [](double v) { return std::isnan(v); })) answer.se.clear();
    return answer;
  }

  static std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
  }

  Store& store_;
  std::map<std::int64_t, std::unique_ptr<Run>> runs_;
};

std::optional<StoredAnswer> stored(Store& store, const StoredQuestion& q) {
  sqlite::Statement row(store.connection(),
                        fmt::format("SELECT {} FROM answers WHERE run = ? AND number = ?", answer_columns));
  row.bind(0, q.run).bind(1, q.number);
  if (!row.step()) return {};
  return read_answer(row);
}

StoredAnswer as_stored(Told told) {
  StoredAnswer a;
  a.number = told.question.number;
  a.x = std::move(told.question.x);
  a.x_hash = told.question.x_hash;
  a.noise = told.question.noise;
  a.answer = std::move(told.answer);
  return a;
}

}  // namespace

TellOutcome tell(const std::string& path, const std::string& text, const std::string& file, double patience) {
  Store store(path, Store::Access::existing);
  AnswerReader reader(store);
  std::map<std::int64_t, std::vector<Told>> by_run;
  for (Told& told : reader.read(text, file)) by_run[told.question.run].push_back(std::move(told));
  TellOutcome outcome;
  for (auto& [run, answers] : by_run) {
    // Whoever solves the run would be surprised by answers that come in from the side.
    if (!store.claim(run, patience))
      throw Error(path,
                  fmt::format("run {} is being solved by another process; wait for it or stop it, and tell again: "
                              "answers that were kept already do no harm",
                              run));
    StoreJournal journal(store, reader.row_of(run), reader.problem_of(run).space);
    std::map<std::int64_t, Answer> now_told;
    for (Told& told : answers) {
      const auto before = stored(store, told.question);
      const auto twice = now_told.find(told.question.number);
      const Answer* known = before ? &before->answer : twice != now_told.end() ? &twice->second : nullptr;
      if (known) {
        const auto equal = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
        const bool same =
            std::ranges::equal(known->values, told.answer.values, equal) && known->failure == told.answer.failure;
        if (same) ++outcome.known;
        else outcome.contradicted.push_back(told.question.id);
        continue;
      }
      now_told.emplace(told.question.number, told.answer);
      journal.keep(as_stored(std::move(told)));
      ++outcome.kept;
    }
    journal.commit();
    store.sync();
    store.release(run);
    outcome.waiting[run] = waiting_questions(store, run);
  }
  return outcome;
}

}  // namespace zeroth
