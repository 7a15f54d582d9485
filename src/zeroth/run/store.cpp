// SPDX-License-Identifier: MIT
#include "zeroth/run/store.hpp"

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
#include <thread>

#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

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
)"};

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

std::vector<double> numbers_in(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0)
    throw sqlite::Failure(
        fmt::format("a list of numbers is {} bytes long, which is not a multiple of 8", bytes.size()));
  std::vector<double> numbers(bytes.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

RunRow read_run(const sqlite::Statement& row) {
  RunRow r;
  r.id = row.integer(0);
  r.name = row.text(1);
  r.identity = row.text(2);
  r.document = row.text(3);
  r.file = row.text(4);
  r.overrides = row.text(5);
  r.solver = row.text(6);
  r.seed = row.integer(7);
  r.budget = row.integer(8);
  r.dimension = row.integer(9);
  r.functions = row.integer(10);
  r.maximize = row.integer(11) != 0;
  r.names = row.text(12);
  r.version = row.text(13);
  r.started = row.text(14);
  r.finished = row.text(15);
  r.status = row.text(16);
  r.result = row.text(17);
  r.continues = row.integer(18);
  return r;
}

constexpr const char* run_columns =
    "id, name, identity, document, file, overrides, solver, seed, budget, dimension, functions, maximize, names, "
    "version, "
    "started, finished, status, result, continues";

// The entry of a new file in its directory needs a flush of its own.
void flush_directory(const std::string& path) {
  const auto directory = std::filesystem::absolute(path).parent_path();
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
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

const char* const answer_columns =
    "number, x, x_hash, noise, \"values\", failure, seconds, worker, attempts, exit_code, signal, error_output, "
    "carried";

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
  if (a.answer.values.empty() != a.answer.failed())
    throw sqlite::Failure(fmt::format("answer {} has neither values nor a failure, or both", a.number));
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
  const bool exists = std::filesystem::exists(path);
  if (!exists && access != Access::create)
    throw Error(path,
                "there is no store here; give the path of a store that 'zeroth solve' wrote (zeroth.db by default)");
  if (std::filesystem::is_directory(path)) throw Error(path, "is a directory, not a store");
  const bool read_only = access == Access::read || (access == Access::existing && ::access(path.c_str(), W_OK) != 0);
  lock_.fd = ::open(path.c_str(), read_only ? O_RDONLY | O_CLOEXEC : O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_.fd < 0) throw Error(path, fmt::format("cannot open the store: {}", std::strerror(errno)));
  connection_ = sqlite::Connection(path, read_only);
  // A store may come from anywhere: it is data, so nothing in its schema is allowed to act.
  for (const int setting :
       {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA})
    sqlite3_db_config(connection_.handle(), setting, 0, nullptr);
  sqlite3_db_config(connection_.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  connection_.run("PRAGMA cell_size_check=ON");
  if (!read_only) {
    connection_.run("PRAGMA journal_mode=WAL");
    connection_.run("PRAGMA synchronous=NORMAL");  // sync() decides when the log must reach the disk
    connection_.run("PRAGMA wal_autocheckpoint=4000");
  }
  if (access == Access::read) check_version();
  else migrate();
  if (!exists) flush_directory(path);
}

Store::~Store() = default;

void Store::check_version() {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version > schema_version || version < 1 || connection_.integer("PRAGMA application_id") != application_id)
    return migrate();  // which says what is wrong with it
  if (version < schema_version)
    throw Error(path_,
                fmt::format("the store has schema version {}; 'zeroth runs {}' brings it up to date", version, path_));
}

void Store::migrate() {
  const auto version = connection_.integer("PRAGMA user_version");
  if (version == schema_version) return;
  if (version > schema_version)
    throw Error(path_, fmt::format("the store has schema version {}, this zeroth reads up to {}; use a newer zeroth",
                                   version, schema_version));
  const auto tables = connection_.integer("SELECT count(*) FROM sqlite_schema");
  if (version < 0 || (version == 0 && tables > 0) ||
      (version > 0 && connection_.integer("PRAGMA application_id") != application_id))
    throw Error(path_, "this is a SQLite file, but not a zeroth store; choose another path");
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
  sqlite::Statement query(connection_, fmt::format("SELECT {} FROM runs ORDER BY id", run_columns));
  while (query.step()) rows.push_back(read_run(query));
  return rows;
}

std::optional<RunRow> Store::run(std::int64_t id) {
  sqlite::Statement query(connection_, fmt::format("SELECT {} FROM runs WHERE id = ?", run_columns));
  query.bind(0, id);
  if (!query.step()) return {};
  return read_run(query);
}

std::int64_t Store::begin_run(const RunRow& r) {
  sqlite::Statement insert(
      connection_,
      "INSERT INTO runs(name, identity, document, file, overrides, solver, seed, budget, dimension, "
      "functions, maximize, names, version, started, status, continues) "
      "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,'running',?)");
  const std::string time = now();
  insert.bind(0, r.name).bind(1, r.identity).bind(2, r.document).bind(3, r.file).bind(4, r.overrides);
  insert.bind(5, r.solver).bind(6, r.seed).bind(7, r.budget).bind(8, r.dimension).bind(9, r.functions);
  insert.bind(10, static_cast<int>(r.maximize)).bind(11, r.names).bind(12, r.version).bind(13, time);
  if (r.continues > 0) insert.bind(14, r.continues);
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
  if (status != "running" && status != "interrupted") update.bind(2, time);
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
