// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "zeroth/core/problem.hpp"
#include "zeroth/engine/engine.hpp"
#include "zeroth/store/sqlite.hpp"

namespace zeroth {

// One SQLite file with many runs in it; docs/store.md describes the tables.

// Where a run stands. `ended`: it has a result, whose word is the row's `status`.
enum class Stage : std::uint8_t { running, interrupted, failed, imported, ended };
std::string to_string(Stage stage);  // the word in the store

struct RunRow {
  std::int64_t id = 0;
  std::string name;
  std::string identity;   // canonical JSON of all that decides the run
  std::string document;   // the problem file's text as it was
  std::string file;       // its path as it was given
  std::string overrides;  // JSON list of [section, key=value] pairs given on the command line
  std::string solver;
  std::int64_t seed = 0, budget = 0, dimension = 0, functions = 0;
  bool maximize = false;
  std::string names;  // JSON: {"variables": [...], "constraints": [...], "equalities": [...]}
  std::string version;
  std::string started, finished;
  std::string status;          // running | interrupted | failed | imported | budget | converged | infeasible
  std::string result;          // JSON, empty while there is none
  std::int64_t continues = 0;  // the run whose answers this one began with, after a raise of the budget; 0: none

  Stage stage() const;
  bool unfinished() const { return stage() <= Stage::interrupted; }
};

struct StoredAnswer {
  std::int64_t number = 0;
  std::vector<double> x;  // user's units; empty when the dimension is above x_limit
  std::uint64_t x_hash = 0, noise = 0;
  Answer answer;           // in the user's sign of the objective
  std::int64_t count = 1;  // evaluations that the values are means of, in an import
  Circumstances how;
  bool carried = false;  // copied from the run that this one continues
};

struct StoredTrace {
  std::int64_t evaluations = 0;
  std::vector<double> x, multipliers;
  std::string figures;  // JSON object
};

class Store {
 public:
  static constexpr std::int64_t schema_version = 5;
  static constexpr Index x_limit = 1000;  // replay recomputes x, so that large ones need not be kept

  enum class Access { create, existing, read };  // `read` never writes, not even to bring an older store up to date
  Store(const std::string& path, Access access);
  Store(Store&&) noexcept = default;
  Store& operator=(Store&&) noexcept = default;
  ~Store();

  std::vector<RunRow> runs();  // oldest first
  std::optional<RunRow> run(std::int64_t id);
  std::int64_t begin_run(const RunRow& row);  // durable when it returns
  void end_run(std::int64_t id, const std::string& status, const std::string& result);
  // From number `first` on; from `first` evaluations on.
  void each_answer(std::int64_t run, const std::function<void(const StoredAnswer&)>& visit, std::int64_t first = 0);
  void each_trace(std::int64_t run, const std::function<void(const StoredTrace&)>& visit, std::int64_t first = 0);
  std::int64_t answers(std::int64_t run);

  // One process at a time works on a run; the claim ends with the process, however that ends. A process killed between
  // the fork and the exec of an evaluator leaves its claim for as long as that child needs to notice: hence `patience`.
  bool claim(std::int64_t run, double patience_seconds = 0);
  void release(std::int64_t run);  // gives a claim back before the process ends
  bool claimed_by_another(std::int64_t run) const;

  // Throws if the file at path() is no longer the one that was opened: what is written now would be lost.
  void check_in_place() const;
  void sync();  // until this returns, committed answers survive the end of the process but not of the power
  sqlite::Connection& connection() { return connection_; }
  const std::string& path() const { return path_; }

 private:
  void migrate();
  void check_version();
  void check_schema(std::int64_t version);

  struct LockFile {
    int fd = -1;
    LockFile() = default;
    LockFile(LockFile&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    LockFile& operator=(LockFile&& other) noexcept {
      std::swap(fd, other.fd);
      return *this;
    }
    ~LockFile();
  };
  std::string path_, absolute_;
  LockFile lock_;  // before the connection: it must be closed after it (see claim in the source)
  sqlite::Connection connection_;
};

// Whether a table is the one that zeroth of this schema version made, word for word: no view, no computed column.
bool is_our_table(sqlite::Connection& connection, const std::string& table, std::int64_t version);

// How a file that may not be ours, or not be whole, is opened to read it.
sqlite::Connection open_to_read(const std::string& path);

// Reads the columns of `answer_columns` in their order; throws if they do not make an answer.
extern const char* const answer_columns;
StoredAnswer read_answer(const sqlite::Statement& row);

std::uint64_t hash_of(std::span<const double> x);
std::vector<double> numbers_in(std::string_view bytes);  // of a BLOB; throws if it does not hold doubles alone
std::string now();                                       // UTC, as it is stored

}  // namespace zeroth
