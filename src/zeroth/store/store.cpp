// SPDX-License-Identifier: MIT
#include "zeroth/store/store.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <thread>

#include "zeroth/core/error.hpp"
#include "zeroth/core/text.hpp"

namespace zeroth {
namespace {

constexpr std::int64_t most_dimensions = 1'000'000'000;
constexpr std::int64_t application_id = 0x7a65726f;  // "zero": what `file` and we recognise a store by

// Step k brings a store of version k to version k + 1. Steps are never edited once released, only added.
constexpr std::array<const char*, Store::schema_version> migrations{
    R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, identity TEXT NOT NULL, document TEXT NOT NULL, file TEXT NOT NULL,
  overrides TEXT NOT NULL, solver TEXT NOT NULL, seed INTEGER NOT NULL, budget INTEGER NOT NULL,
  dimension INTEGER NOT NULL, functions INTEGER NOT NULL, maximize INTEGER NOT NULL, names TEXT NOT NULL,
  version TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, status TEXT NOT NULL, result TEXT);
CREATE TABLE answers(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, x BLOB, x_hash INTEGER NOT NULL,
  noise INTEGER NOT NULL, "values" BLOB, failure TEXT, seconds REAL NOT NULL, worker INTEGER NOT NULL,
  attempts INTEGER NOT NULL, exit_code INTEGER, signal INTEGER, error_output TEXT,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
)",
    R"(
ALTER TABLE runs ADD COLUMN continues INTEGER REFERENCES runs(id);
ALTER TABLE answers ADD COLUMN carried INTEGER NOT NULL DEFAULT 0;
CREATE TABLE trace(
  run INTEGER NOT NULL REFERENCES runs(id), evaluations INTEGER NOT NULL, x BLOB, multipliers BLOB,
  figures TEXT NOT NULL, PRIMARY KEY(run, evaluations)) WITHOUT ROWID;
)",
    R"(
ALTER TABLE answers ADD COLUMN se BLOB;
ALTER TABLE answers ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
)",
    R"(
CREATE TABLE questions(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, x BLOB,
  x_hash INTEGER NOT NULL, noise INTEGER NOT NULL, asked TEXT, UNIQUE(run, number));
)",
    R"(
ALTER TABLE questions ADD COLUMN wanted TEXT;
)"};

// The one list of the columns of a run: what is selected, where it is read to and whether a new row sets it.
struct RunColumn {
  const char* name;
  void (*read)(RunRow&, const sqlite::Statement&, int);
  void (*write)(const RunRow&, sqlite::Statement&, int);  // null: not set when a run begins
};

template <auto field>
constexpr RunColumn column(const char* name) {
  using Value = std::remove_cvref_t<decltype(std::declval<RunRow&>().*field)>;
  return {name,
          [](RunRow& r, const sqlite::Statement& row, int k) {
            if constexpr (std::is_same_v<Value, std::string>) r.*field = row.text(k);
            else if constexpr (std::is_same_v<Value, bool>) r.*field = row.integer(k) != 0;
            else r.*field = row.integer(k);
          },
          [](const RunRow& r, sqlite::Statement& insert, int k) {
            if constexpr (std::is_same_v<Value, bool>) insert.bind(k, static_cast<int>(r.*field));
            else insert.bind(k, r.*field);
          }};
}

template <auto field>
constexpr RunColumn later(const char* name) {
  RunColumn c = column<field>(name);
  c.write = nullptr;
  return c;
}

constexpr std::array run_columns{
    later<&RunRow::id>("id"),
    column<&RunRow::name>("name"),
    column<&RunRow::identity>("identity"),
    column<&RunRow::document>("document"),
    column<&RunRow::file>("file"),
    column<&RunRow::overrides>("overrides"),
    column<&RunRow::solver>("solver"),
    column<&RunRow::seed>("seed"),
    column<&RunRow::budget>("budget"),
    column<&RunRow::dimension>("dimension"),
    column<&RunRow::functions>("functions"),
    column<&RunRow::maximize>("maximize"),
    column<&RunRow::names>("names"),
    column<&RunRow::version>("version"),
    column<&RunRow::started>("started"),
    later<&RunRow::finished>("finished"),
    column<&RunRow::status>("status"),
    later<&RunRow::result>("result"),
    later<&RunRow::continues>("continues"),  // null unless there is one
};

std::string names_of_columns(bool written) {
  std::string names;
  for (const RunColumn& c : run_columns)
    if (!written || c.write) names += (names.empty() ? "" : ", ") + std::string(c.name);
  return names;
}

RunRow read_run(const sqlite::Statement& row) {
  RunRow r;
  int k = 0;
  for (const RunColumn& c : run_columns) c.read(r, row, k++);
  // Tables are made by these numbers, and every one of many functions has a name in `names`.
  const auto letters = static_cast<std::int64_t>(r.names.size());
  if (r.dimension < 0 || r.dimension > most_dimensions || r.functions < 0 || r.functions > 100 + letters ||
      r.budget < 0)
    throw sqlite::Failure(fmt::format("run {} claims {} variables, {} functions and a budget of {}, which no run has",
                                      r.id, r.dimension, r.functions, r.budget));
  return r;
}

// The entry of a new file in its directory needs a flush of its own.
void flush_directory(const std::string& path) {
  const auto directory = std::filesystem::absolute(path).parent_path();
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

bool writable_directory(const std::string& path) {
  return ::access(std::filesystem::absolute(path).parent_path().c_str(), W_OK) == 0;
}

std::string without_layout(const std::string& sql) {
  std::string out;
  for (const char c : sql)
    if (c != ' ' && c != '\n' && c != '\t') out += c;
  return out;
}

// What sqlite_schema says of our tables in a store of this version, from 0 on; found once.
using Tables = std::map<std::string, std::string>;
const Tables& our_tables(std::int64_t version) {
  static const auto of_every_version = [] {
    std::array<Tables, Store::schema_version + 1> all;
    sqlite::Connection reference(":memory:", sqlite::Connection::Open::write);
    for (std::size_t k = 0; k < migrations.size(); ++k) {
      reference.run(migrations[k]);
      sqlite::Statement rows(reference, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'");
      while (rows.step()) all[k + 1].emplace(rows.text(0), without_layout(rows.text(1)));
    }
    return all;
  }();
  return of_every_version[static_cast<std::size_t>(version)];
}

// A byte far beyond both the data and SQLite's own lock bytes.
struct flock lock_at(std::int64_t run) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = (std::int64_t{1} << 60) + run;
  lock.l_len = 1;
  return lock;
}

}  // namespace

std::string to_string(Stage stage) {
  switch (stage) {
    case Stage::running:
      return "running";
    case Stage::interrupted:
      return "interrupted";
    case Stage::failed:
      return "failed";
    case Stage::imported:
      return "imported";
    case Stage::ended:
      return "ended";
  }
  return {};
}

Stage RunRow::stage() const {
  if (status.empty()) return Stage::running;  // it is about to begin
  for (const Stage stage : {Stage::running, Stage::interrupted, Stage::failed, Stage::imported})
    if (status == to_string(stage)) return stage;
  return Stage::ended;
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::vector<double> numbers_in(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0)
    throw sqlite::Failure(
        fmt::format("a list of numbers is {} bytes long, which is not a multiple of 8", bytes.size()));
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

const char* const answer_columns =
    "number, x, x_hash, noise, \"values\", failure, seconds, worker, attempts, exit_code, signal, error_output, "
    "carried, se, count";

StoredAnswer read_answer(const sqlite::Statement& row) {
  StoredAnswer a;
  a.number = row.integer(0);
  a.x = numbers_in(row.bytes(1));
  a.x_hash = std::bit_cast<std::uint64_t>(row.integer(2));
  a.noise = std::bit_cast<std::uint64_t>(row.integer(3));
  a.answer.values = numbers_in(row.bytes(4));
  a.answer.failure = row.text(5);
  a.how.seconds = row.number(6);
  a.how.worker = static_cast<int>(row.integer(7));
  a.how.attempts = static_cast<int>(row.integer(8));
  a.how.exit_code = static_cast<int>(row.integer(9));
  a.how.signal = static_cast<int>(row.integer(10));
  a.how.error_output = row.text(11);
  a.carried = row.integer(12) != 0;
  a.answer.se = numbers_in(row.bytes(13));
  a.count = row.integer(14);
  if (a.number < 0) throw sqlite::Failure(fmt::format("an answer has the number {}", a.number));
  if (a.answer.values.empty() != a.answer.failed())
    throw sqlite::Failure(fmt::format("answer {} has neither values nor a failure, or both", a.number));
  if (!a.answer.se.empty() && a.answer.se.size() != a.answer.values.size())
    throw sqlite::Failure(fmt::format("answer {} has {} standard errors of {} values", a.number, a.answer.se.size(),
                                      a.answer.values.size()));
  return a;
}

std::uint64_t hash_of(std::span<const double> x) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ x.size();
  for (const double v : x) {
    hash ^= std::bit_cast<std::uint64_t>(v);
    hash *= 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
  }
  return hash;
}

Store::LockFile::~LockFile() {
  if (fd >= 0) ::close(fd);
}

Store::Store(const std::string& path, Access access) : path_(path) {
  if (path.find('\0') != std::string::npos) throw Error(one_line(path), "the path of a store cannot hold a zero byte");
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) throw Error(path, fmt::format("cannot open the store: {}", std::strerror(errno)));
  if (!exists && access != Access::create)
    throw Error(path,
                "there is no store here; give the path of a store that 'zeroth solve' wrote (zeroth.db by default)");
  if (exists && S_ISDIR(status.st_mode)) throw Error(path, "is a directory, not a store");
  if (exists && !S_ISREG(status.st_mode)) throw Error(path, "is not an ordinary file, so it cannot be a store");
  const bool read_only = access == Access::read || (access == Access::existing &&
                                                    (::access(path.c_str(), W_OK) != 0 || !writable_directory(path)));
  lock_.fd = ::open(path.c_str(), read_only ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_.fd >= 0 && lock_.fd <= 2) {  // a standard stream is closed: what is printed would go into the store
    const int moved = ::fcntl(lock_.fd, F_DUPFD_CLOEXEC, 3);
    ::close(std::exchange(lock_.fd, moved));
  }
  if (lock_.fd < 0) throw Error(path, fmt::format("cannot open the store: {}", std::strerror(errno)));
  absolute_ = std::filesystem::absolute(path).string();
  if (read_only) {
    connection_ = open_to_read(path);
  } else {
    connection_ = sqlite::Connection(path, sqlite::Connection::Open::write);
    connection_.run("PRAGMA journal_mode=WAL");
    connection_.run("PRAGMA synchronous=NORMAL");  // sync() decides when the log must reach the disk
    connection_.run("PRAGMA wal_autocheckpoint=4000");
  }
  if (access == Access::read) check_version();
  else migrate();
  if (!exists) flush_directory(path);
}

Store::~Store() = default;

// In a directory where nothing can be written SQLite cannot keep the index of its log. If there is no log, the file is
// all there is, and is read as it is.
sqlite::Connection open_to_read(const std::string& path) {
  using sqlite::Connection;
  if (writable_directory(path)) return Connection(path, Connection::Open::read);
  std::error_code none;
  const auto log = std::filesystem::file_size(path + "-wal", none);
  if (none || log == 0) return Connection(path, Connection::Open::frozen);
  Connection connection(path, Connection::Open::read);
  try {
    (void)connection.integer("SELECT count(*) FROM sqlite_schema");
  } catch (const sqlite::Failure&) {
    throw Error(path, fmt::format("answers are still in the log '{}-wal', which cannot be read in a directory where "
                                  "nothing may be written; copy both files to another directory",
                                  path));
  }
  return connection;
}

bool is_our_table(sqlite::Connection& connection, const std::string& table, std::int64_t version) {
  if (version < 1 || version > Store::schema_version) return false;
  const Tables& expected = our_tables(version);
  sqlite::Statement row(connection, "SELECT type, sql FROM sqlite_schema WHERE name = ?");
  row.bind(0, table);
  const bool ours = row.step() && expected.contains(table) && row.text(0) == "table" &&
                    without_layout(row.text(1)) == expected.at(table);
  return ours && !row.step();
}

void Store::check_schema(std::int64_t version) {
  for (const auto& [name, sql] : our_tables(version))
    if (!is_our_table(connection_, name, version))
      throw sqlite::Failure(fmt::format("store '{}': its table '{}' is not the one that zeroth makes", path_, name));
}

void Store::check_in_place() const {
  struct stat opened {
  }, there{};
  if (::fstat(lock_.fd, &opened) != 0 || ::stat(absolute_.c_str(), &there) != 0 || opened.st_ino != there.st_ino ||
      opened.st_dev != there.st_dev)
    throw sqlite::Failure(
        fmt::format("the store '{}' was deleted, moved or replaced while the run was going on; what "
                    "was recorded is where it was moved to, if it was moved",
                    path_));
}

void Store::check_version() {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version > schema_version || version < 1 || connection_.integer("PRAGMA application_id") != application_id)
    return migrate();  // which says what is wrong with it
  if (version < schema_version)
    throw Error(path_,
                fmt::format("the store has schema version {}; 'zeroth runs {}' brings it up to date", version, path_));
  check_schema(version);
}

void Store::migrate() {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version == schema_version) return check_schema(version);
  if (version > schema_version)
    throw Error(path_, fmt::format("the store has schema version {}, this zeroth reads up to {}; use a newer zeroth",
                                   version, schema_version));
  const auto tables = connection_.integer("SELECT count(*) FROM sqlite_schema");
  if (version < 0 || (version == 0 && tables > 0) ||
      (version > 0 && connection_.integer("PRAGMA application_id") != application_id))
    throw Error(path_, "this is a SQLite file, but not a zeroth store; choose another path");
  if (version > 0) check_schema(version);
  if (sqlite3_db_readonly(connection_.handle(), "main") == 1)
    throw Error(path_, fmt::format("the store has schema version {} and must be brought up to date, but it cannot be "
                                   "written here; copy it to another directory",
                                   version));
  connection_.run("BEGIN IMMEDIATE");
  // Another process may have been faster.
  for (auto k = connection_.integer("PRAGMA user_version"); k < schema_version; ++k)
    connection_.run(migrations[static_cast<std::size_t>(k)]);
  connection_.run(fmt::format("PRAGMA application_id={}", application_id).c_str());
  connection_.run(fmt::format("PRAGMA user_version={}", schema_version).c_str());
  connection_.run("COMMIT");
  sync();
}

std::vector<RunRow> Store::runs() {
  std::vector<RunRow> rows;
  sqlite::Statement query(connection_, fmt::format("SELECT {} FROM runs ORDER BY id", names_of_columns(false)));
  while (query.step()) rows.push_back(read_run(query));
  return rows;
}

std::optional<RunRow> Store::run(std::int64_t id) {
  sqlite::Statement query(connection_, fmt::format("SELECT {} FROM runs WHERE id = ?", names_of_columns(false)));
  query.bind(0, id);
  if (!query.step()) return {};
  return read_run(query);
}

std::int64_t Store::begin_run(const RunRow& run) {
  RunRow r = run;
  r.started = now();
  r.status = to_string(Stage::running);
  std::string places;
  for (const RunColumn& c : run_columns)
    if (c.write) places += "?,";
  sqlite::Statement insert(connection_,
                           fmt::format("INSERT INTO runs({}, continues) VALUES({}?)", names_of_columns(true), places));
  int k = 0;
  for (const RunColumn& c : run_columns)
    if (c.write) c.write(r, insert, k++);
  if (r.continues > 0) insert.bind(k, r.continues);
  insert.execute();
  const auto id = connection_.last_row();
  sync();
  return id;
}

void Store::end_run(std::int64_t id, const std::string& status, const std::string& result) {
  sqlite::Statement update(connection_, "UPDATE runs SET status = ?, result = ?, finished = ? WHERE id = ?");
  const std::string time = now();
  update.bind(0, status).bind(3, id);
  if (!result.empty()) update.bind(1, result);
  RunRow ending;
  ending.status = status;
  if (!ending.unfinished()) update.bind(2, time);
  update.execute();
  sync();
}

void Store::each_answer(std::int64_t run, const std::function<void(const StoredAnswer&)>& visit, std::int64_t first) {
  sqlite::Statement query(
      connection_, fmt::format("SELECT {} FROM answers WHERE run = ? AND number >= ? ORDER BY number", answer_columns));
  query.bind(0, run).bind(1, first);
  while (query.step()) visit(read_answer(query));
}

void Store::each_trace(std::int64_t run, const std::function<void(const StoredTrace&)>& visit, std::int64_t first) {
  sqlite::Statement query(connection_,
                          "SELECT evaluations, x, multipliers, figures FROM trace WHERE run = ? AND evaluations >= ? "
                          "ORDER BY evaluations");
  query.bind(0, run).bind(1, first);
  while (query.step()) visit({query.integer(0), numbers_in(query.bytes(1)), numbers_in(query.bytes(2)), query.text(3)});
}

std::int64_t Store::answers(std::int64_t run) {
  sqlite::Statement query(connection_, "SELECT count(*) FROM answers WHERE run = ?");
  query.bind(0, run);
  return query.step() ? query.integer(0) : 0;
}

// A lock of the open file description, not of the process: SQLite drops the latter kind when any descriptor of the file
// is closed, which is also why lock_ outlives the connection.
bool Store::claim(std::int64_t run, double patience_seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience_seconds);
  for (;;) {
    struct flock lock = lock_at(run);
    if (::fcntl(lock_.fd, F_OFD_SETLK, &lock) == 0) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void Store::release(std::int64_t run) {
  struct flock lock = lock_at(run);
  lock.l_type = F_UNLCK;
  ::fcntl(lock_.fd, F_OFD_SETLK, &lock);
}

bool Store::claimed_by_another(std::int64_t run) const {
  struct flock lock = lock_at(run);
  return ::fcntl(lock_.fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void Store::sync() {
  sqlite3_file* log = nullptr;
  if (sqlite3_file_control(connection_.handle(), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) != SQLITE_OK || !log ||
      !log->pMethods)
    return;
  if (log->pMethods->xSync(log, SQLITE_SYNC_NORMAL | SQLITE_SYNC_DATAONLY) != SQLITE_OK)
    throw sqlite::Failure(fmt::format("store '{}': cannot flush to disk: {}", path_, std::strerror(errno)));
}

}  // namespace zeroth
