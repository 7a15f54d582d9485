// SPDX-License-Identifier: MIT
#include "zeroth/run/stored/verify.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/core/files.hpp"
#include "zeroth/core/text.hpp"
#include "zeroth/run/result_json.hpp"
#include "zeroth/run/stored/session.hpp"
#include "zeroth/run/stored/store_journal.hpp"

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

// Replays, writes nothing, and notices where the stored answers stop to follow from one another.
class ReadOnlyJournal final : public Journal {
 public:
  ReadOnlyJournal(Store& store, const RunRow& run, const Space& space)
      : journal_(store, run, space),
        run_(run),
        space_(space),
        point_(store.connection(), "SELECT x FROM answers WHERE run = ? AND number = ?") {}

  const Answer* recall(std::int64_t number, const Query& query) override {
    reached_ = number;
    const Answer* answer = journal_.recall(number, query);
    if (answer) check_point(number, query);
    recalled_ += answer != nullptr;
    return answer;
  }
  std::optional<bool> belongs(std::int64_t number, const Query& query) override {
    return journal_.belongs(number, query);
  }
  void record(std::int64_t, const Query&, const Answer&, const Circumstances&) override {}
  std::int64_t recalled() const { return recalled_; }
  std::int64_t reached() const { return reached_; }  // the last answer that was asked for

 private:
  // The hash is of the solver's own coordinates; the point beside it is in the user's, by way of functions like exp
  // whose last digits depend on the machine.
  void check_point(std::int64_t number, const Query& query) {
    point_.bind(0, run_.id).bind(1, number);
    const bool there = point_.step() && !point_.is_null(0);
    const std::string bytes(there ? point_.bytes(0) : std::string_view{});
    point_.reset();
    if (!there) return;
    std::vector<double> asked(query.x.size()), stored(bytes.size() / sizeof(double));
    space_.to_user(query.x, asked);
    std::memcpy(stored.data(), bytes.data(), stored.size() * sizeof(double));
    const auto close = [](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
    };
    if (!std::ranges::equal(asked, stored, close))
      throw ReplayDiverged(
          fmt::format("answer {} of run {} is stored with another point than the one that was asked", number, run_.id));
  }

  StoreJournal journal_;
  RunRow run_;
  Space space_;
  sqlite::Statement point_;
  std::int64_t recalled_ = 0, reached_ = 0;
};

// All of a result but what depends on the clock and the build, and but what an older version that wrote `stored` did
// not keep yet.
std::string comparable(const std::string& result, const std::string& stored) {
  Json json = parse_json<Json>(result);
  if (!json.is_object()) return result;
  json.erase("seconds");
  json.erase("version");
  const Json kept = parse_json<Json>(stored);
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
  if (row.stage() == Stage::imported) {
    store.each_answer(row.id, [&](const StoredAnswer& a) {
      if (std::string why = why_outside(problem, as_vector(a.x)); !why.empty() && verdict.sound) {
        verdict.sound = false;
        verdict.finding = fmt::format("evaluation {} may not have been made: {}", a.number, why);
      }
    });
    if (verdict.sound) verdict.finding = fmt::format("imported, {} evaluations", store.answers(row.id));
    return;
  }
  if (problem.limits_unknown) {
    verdict.finding = fmt::format(
        "{}, {} answers; not replayed, because known= is a Python function that only its "
        "program has",
        row.status, store.answers(row.id));
    return;
  }
  RunRow alone = row;
  alone.continues = 0;  // what it began with was copied into it
  ReadOnlyJournal journal(store, alone, problem.space);
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
  } catch (const ReplayDiverged&) {
    verdict.follow = journal.reached();
    throw;
  } catch (const sqlite::Failure&) {  // this answer cannot be read, or is none
    verdict.follow = journal.reached();
    throw;
  }
  const auto unreached = answers - journal.recalled();
  if (gave_up || row.stage() == Stage::failed) {
    verdict.sound = gave_up == (row.stage() == Stage::failed);
    verdict.finding = fmt::format("failed, {} answers", answers);
  } else if (row.unfinished()) {
    verdict.finding = fmt::format("unfinished, {} answers replay as recorded", answers);
  } else if (result.status == Status::interrupted) {
    verdict.sound = false;
    verdict.finding = fmt::format("answers are missing: the replay of {} ends early", answers);
    verdict.follow = journal.reached();
  } else if (comparable(result_json(result, problem), row.result) != comparable(row.result, row.result)) {
    verdict.sound = false;
    verdict.finding = "the recommendation recomputed from the answers differs from the stored one";
    verdict.follow = journal.reached() + 1;
  } else {
    verdict.finding = fmt::format("{}, {} answers, recommendation recomputed", row.status, answers);
  }
  if (verdict.sound && unreached > 0 && result.status != Status::interrupted) {
    verdict.sound = false;
    verdict.finding = fmt::format("{} answers are not asked for by the replay", unreached);
    verdict.follow = journal.reached() + 1;
  }
}

// What follows from one another stays; the rest goes, and the run is unfinished again.
void keep_what_follows(Store& store, Salvage& salvage) {
  for (const RunVerdict& verdict : verify(store).runs) {
    if (verdict.sound || !verdict.follow) continue;
    const std::int64_t before = store.answers(verdict.run);
    const auto change = [&](const char* sql, std::int64_t bound) {
      sqlite::Statement statement(store.connection(), sql);
      statement.bind(0, verdict.run).bind(1, bound).execute();
    };
    change("DELETE FROM answers WHERE run = ? AND number >= ?", *verdict.follow);
    change("DELETE FROM trace WHERE run = ? AND evaluations > ?", *verdict.follow);
    // An id never comes to mean another question: those that may be asked otherwise now lose their number.
    change("UPDATE questions SET number = -id, asked = NULL WHERE run = ? AND number >= ?", *verdict.follow);
    store.end_run(verdict.run, "interrupted", "");
    salvage.dropped.push_back({verdict.run, *verdict.follow, before - store.answers(verdict.run)});
  }
}

std::int64_t copy_rows(sqlite::Connection& from, sqlite::Connection& to, const std::string& table,
                       const std::string& key, std::int64_t version) {
  std::int64_t copied = 0;
  // A damaged page stops a scan; coming from the other end reaches the rows behind it.
  for (const char* direction : {"ASC", "DESC"}) {
    try {
      if (!is_our_table(from, table, version)) return copied;  // a view, say, that computes rows for ever
      std::string order;
      for (const auto& part : {key, table == "runs" ? std::string() : table == "trace" ? "evaluations" : "number"})
        if (!part.empty()) order += (order.empty() ? "" : ", ") + part + " " + direction;
      sqlite::Statement read(from, fmt::format("SELECT * FROM {} ORDER BY {}", table, order));
      const int width = sqlite3_column_count(read.handle());
      std::string insert = fmt::format("INSERT OR IGNORE INTO {} VALUES(", table);
      // An older version has fewer columns, and new ones come last.
      sqlite::Statement like(to, fmt::format("SELECT * FROM {}", table));
      const int wanted = sqlite3_column_count(like.handle());
      for (int c = 0; c < wanted; ++c) insert += c == 0 ? "?" : ",?";
      sqlite::Statement write(to, insert + ")");
      while (read.step()) {
        for (int c = 0; c < wanted; ++c) {
          if (c < width) sqlite3_bind_value(write.handle(), c + 1, sqlite3_column_value(read.handle(), c));
          else sqlite3_bind_int(write.handle(), c + 1, 0);
        }
        try {
          write.execute();
          copied += sqlite3_changes(to.handle());
        } catch (const sqlite::Failure&) {  // a row that no store may hold
          write.reset();
        }
      }
      break;
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
    RunVerdict& v = verdict.runs.emplace_back(RunVerdict{row.id, row.name, "", true, {}});
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
  if (may_exist(target)) throw Error(target, "exists already; move it away first");
  sqlite::Connection from = open_to_read(damaged);
  const auto version = from.integer("PRAGMA user_version");
  Store to(target, Store::Access::create);
  to.connection().run("BEGIN");
  Salvage s;
  s.runs = copy_rows(from, to.connection(), "runs", "id", version);
  s.answers = copy_rows(from, to.connection(), "answers", "run", version);
  s.trace = copy_rows(from, to.connection(), "trace", "run", version);
  copy_rows(from, to.connection(), "questions", "id", version);
  to.connection().run("COMMIT");
  keep_what_follows(to, s);
  to.sync();
  return s;
}

}  // namespace zeroth
