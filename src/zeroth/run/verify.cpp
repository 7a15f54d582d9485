// SPDX-License-Identifier: MIT
#include "zeroth/run/verify.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/session.hpp"
#include "zeroth/run/store_journal.hpp"

namespace zeroth {
namespace {

using Json = nlohmann::json;

// Evaluates nothing: a replay ends where the stored answers do.
class NoEngine final : public Engine {
 public:
  std::string name() const override { return "none"; }
  int width() const override { return 1; }
  void evaluate(std::span<const Query>, const OnAnswer&, const std::function<bool()>&) override {}
};

class ReadOnlyJournal final : public Journal {
 public:
  explicit ReadOnlyJournal(StoreJournal& journal) : journal_(journal) {}
  const Answer* recall(std::int64_t number, const Query& query) override {
    const Answer* answer = journal_.recall(number, query);
    recalled_ += answer != nullptr;
    return answer;
  }
  void record(std::int64_t, const Query&, const Answer&, const Circumstances&) override {}
  std::int64_t recalled() const { return recalled_; }

 private:
  StoreJournal& journal_;
  std::int64_t recalled_ = 0;
};

// All of a result but what depends on the clock and the build, and but what an older version that wrote `stored` did
// not keep yet.
std::string comparable(const std::string& result, const std::string& stored) {
  Json json = Json::parse(result, nullptr, false);
  if (!json.is_object()) return result;
  json.erase("seconds");
  json.erase("version");
  const Json kept = Json::parse(stored, nullptr, false);
  if (kept.is_object() && !kept.contains("replicates")) {
    json.erase("replicates");
    json.erase("note");
    if (json.contains("constraints"))
      for (Json& constraint : json["constraints"])
        if (constraint.is_object()) constraint.erase("multiplier_se");
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void replay(Store& store, const RunRow& row, RunVerdict& verdict) {
  const ResolvedProblem problem = resolve(source_of(row), false);
  RunRow alone = row;
  alone.continues = 0;  // what it began with was copied into it
  StoreJournal stored(store, alone, problem.space);
  ReadOnlyJournal journal(stored);
  RunRequest request = run_request(problem);
  request.journal = &journal;
  NoEngine engine;
  const auto answers = store.answers(row.id);
  Result result;
  bool gave_up = false;
  try {
    result = run(problem.spec, start_solver(problem), engine, request);
  } catch (const EverythingFailed&) {
    gave_up = true;
  }
  const auto unreached = answers - journal.recalled();
  if (gave_up || row.status == "failed") {
    verdict.sound = gave_up == (row.status == "failed");
    verdict.finding = fmt::format("failed, {} answers", answers);
  } else if (row.status == "running" || row.status == "interrupted") {
    verdict.finding = fmt::format("unfinished, {} answers replay as recorded", answers);
  } else if (result.status == "interrupted") {
    verdict.sound = false;
    verdict.finding = fmt::format("answers are missing: the replay of {} ends early", answers);
  } else if (comparable(result_json(result, problem), row.result) != comparable(row.result, row.result)) {
    verdict.sound = false;
    verdict.finding = "the recommendation recomputed from the answers differs from the stored one";
  } else {
    verdict.finding = fmt::format("{}, {} answers, recommendation recomputed", row.status, answers);
  }
  if (verdict.sound && unreached > 0 && result.status != "interrupted") {
    verdict.sound = false;
    verdict.finding = fmt::format("{} answers are not asked for by the replay", unreached);
  }
}

std::int64_t copy_rows(sqlite::Connection& from, sqlite::Connection& to, const std::string& table,
                       const std::string& key) {
  std::int64_t copied = 0;
  // A damaged page stops a scan; coming from the other end reaches the rows behind it.
  for (const char* direction : {"ASC", "DESC"}) {
    try {
      std::string order;
      for (const auto& part : {key, table == "runs" ? std::string() : table == "trace" ? "evaluations" : "number"})
        if (!part.empty()) order += (order.empty() ? "" : ", ") + part + " " + direction;
      sqlite3_stmt* read = nullptr;
      sqlite3_stmt* write = nullptr;
      const std::string select = fmt::format("SELECT * FROM {} ORDER BY {}", table, order);
      if (sqlite3_prepare_v2(from.handle(), select.c_str(), -1, &read, nullptr) != SQLITE_OK) from.fail(select);
      const int width = sqlite3_column_count(read);
      std::string insert = fmt::format("INSERT OR IGNORE INTO {} VALUES(", table);
      for (int c = 0; c < width; ++c) insert += c == 0 ? "?" : ",?";
      insert += ")";
      if (sqlite3_prepare_v2(to.handle(), insert.c_str(), -1, &write, nullptr) != SQLITE_OK) {
        sqlite3_finalize(read);
        to.fail(insert);
      }
      int code;
      while ((code = sqlite3_step(read)) == SQLITE_ROW) {
        for (int c = 0; c < width; ++c) sqlite3_bind_value(write, c + 1, sqlite3_column_value(read, c));
        sqlite3_step(write);
        copied += sqlite3_changes(to.handle());
        sqlite3_reset(write);
      }
      sqlite3_finalize(read);
      sqlite3_finalize(write);
      if (code == SQLITE_DONE) break;
    } catch (const sqlite::Failure&) {
      // This table cannot be read from this end; the other end is tried, then the next table.
    }
  }
  return copied;
}

}  // namespace

bool StoreVerdict::sound() const {
  return damage.empty() && std::ranges::all_of(runs, [](const RunVerdict& r) { return r.sound; });
}

StoreVerdict verify(Store& store) {
  StoreVerdict verdict;
  std::vector<RunRow> rows;
  try {
    sqlite::Statement check(store.connection(), "PRAGMA integrity_check");
    while (check.step())
      if (const std::string line = check.text(0); line != "ok") verdict.damage.push_back(line);
    rows = store.runs();
  } catch (const sqlite::Failure& e) {  // damage can be such that not even the check gets to its end
    verdict.damage.push_back(e.what());
  }
  for (const RunRow& row : rows) {
    RunVerdict& v = verdict.runs.emplace_back(RunVerdict{row.id, row.name, "", true});
    try {
      replay(store, row, v);
    } catch (const std::exception& e) {
      v.sound = false;
      v.finding = e.what();
    }
  }
  return verdict;
}

Salvage salvage(const std::string& damaged, const std::string& target) {
  if (std::filesystem::exists(target)) throw Error(target, "exists already; move it away first");
  sqlite::Connection from(damaged, false);
  Store to(target, Store::Access::create);
  to.connection().run("BEGIN");
  Salvage s;
  s.runs = copy_rows(from, to.connection(), "runs", "id");
  s.answers = copy_rows(from, to.connection(), "answers", "run");
  s.trace = copy_rows(from, to.connection(), "trace", "run");
  to.connection().run("COMMIT");
  to.sync();
  return s;
}

}  // namespace zeroth
