// SPDX-License-Identifier: MIT
#include "zeroth/store/sqlite.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <cstring>
#include <filesystem>
#include <utility>

#include "zeroth/core/text.hpp"

namespace zeroth::sqlite {
namespace {

constexpr int largest_value = 100'000'000;  // bytes of one text or list of numbers
constexpr int steps_between_counts = 10'000;

// A row takes more than 8 bytes of the file and fewer than a hundred steps. A file whose pages refer to each other in
// circles, or whose schema computes, has no such bound.
std::int64_t most_steps(const std::string& path) {
  std::error_code unknown;
  const auto size = std::filesystem::file_size(path, unknown);
  const auto log = std::filesystem::file_size(path + "-wal", unknown);
  std::int64_t bytes = 10'000'000;  // a small file costs little, whatever is in it
  for (const auto part : {size, log})
    if (part != static_cast<std::uintmax_t>(-1)) bytes += static_cast<std::int64_t>(part);
  return 12 * bytes;
}

// Percent-encoded, for a URI.
std::string frozen_uri(const std::string& path) {
  std::string uri = "file:";
  if (path.starts_with("//")) uri += "//";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                       c == '.' || c == '-' || c == '_';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri + "?immutable=1";
}

void harden(sqlite3* handle) {
  for (const int setting : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                            SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER})
    sqlite3_db_config(handle, setting, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  for (const auto& [limit, most] : {std::pair{SQLITE_LIMIT_LENGTH, largest_value},
                                    {SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                    {SQLITE_LIMIT_COLUMN, 100},
                                    {SQLITE_LIMIT_EXPR_DEPTH, 50},
                                    {SQLITE_LIMIT_COMPOUND_SELECT, 5},
                                    {SQLITE_LIMIT_VDBE_OP, 25'000},
                                    {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                    {SQLITE_LIMIT_ATTACHED, 0},
                                    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                    {SQLITE_LIMIT_WORKER_THREADS, 0}})
    sqlite3_limit(handle, limit, most);
}

}  // namespace

Connection::Connection(const std::string& path, Open open) : path_(path), effort_(std::make_unique<Effort>()) {
  const int flags = open == Open::write  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                    : open == Open::read ? SQLITE_OPEN_READONLY
                                         : SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  const std::string name = open == Open::frozen ? frozen_uri(path) : path;
  if (sqlite3_open_v2(name.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    const std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw Failure("cannot open the store '" + path + "': " + why);
  }
  harden(handle_);
  *effort_ = {path, most_steps(path), nullptr};
  sqlite3_progress_handler(handle_, steps_between_counts, &Connection::count_steps, effort_.get());
  sqlite3_busy_timeout(handle_, 60'000);  // two runs may share a store; each holds it for milliseconds
  sqlite3_extended_result_codes(handle_, 1);
  try {
    run("PRAGMA cell_size_check=ON");
    run("PRAGMA mmap_size=0");  // a file that is cut short while it is mapped ends the program
  } catch (...) {
    sqlite3_close(handle_);
    throw;
  }
}

int Connection::count_steps(void* closure) {
  auto& effort = *static_cast<Effort*>(closure);
  if (!effort.spent || (*effort.spent += steps_between_counts) <= effort.most) return 0;
  effort.most = most_steps(effort.path);  // it may have grown since
  return *effort.spent > effort.most ? 1 : 0;
}

Connection::Connection(Connection&& other) noexcept { *this = std::move(other); }

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  std::swap(effort_, other.effort_);
  return *this;
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

std::string Connection::trouble() const {
  if (sqlite3_errcode(handle_) == SQLITE_INTERRUPT)
    return "this takes longer than the size of the file explains: it is damaged, or made to";
  std::string words = sqlite3_errmsg(handle_);
  if (const int cause = sqlite3_system_errno(handle_); cause != 0) words += fmt::format(" ({})", std::strerror(cause));
  rlimit size{};  // SQLite does not say which error of a write it was
  if ((sqlite3_errcode(handle_) & 0xff) == SQLITE_IOERR && ::getrlimit(RLIMIT_FSIZE, &size) == 0 &&
      size.rlim_cur != RLIM_INFINITY)
    words += fmt::format("; File too large? No file of this session may exceed {} bytes (ulimit -f)", size.rlim_cur);
  return words;
}

void Connection::fail(const std::string& doing) const {
  throw Failure("store '" + path_ + "': " + doing + ": " + trouble());
}

void Connection::run(const char* sql) {
  std::int64_t steps = 0;
  effort_->spent = &steps;
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  effort_->spent = nullptr;
  if (code != SQLITE_OK) fail(sql);
}

std::int64_t Connection::integer(const char* sql) {
  Statement query(*this, sql);
  return query.step() ? query.integer(0) : 0;
}

std::int64_t Connection::last_row() const { return sqlite3_last_insert_rowid(handle_); }

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Statement::Statement(Connection& connection, std::string_view sql) : connection_(&connection) {
  if (sqlite3_prepare_v3(connection.handle(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                         &statement_, nullptr) != SQLITE_OK)
    connection.fail(std::string(sql));
}

Statement::Statement(Statement&& other) noexcept { *this = std::move(other); }

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(statement_, other.statement_);
  std::swap(steps_, other.steps_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(statement_); }

Statement& Statement::bind(int parameter, std::int64_t value) {
  sqlite3_bind_int64(statement_, parameter + 1, value);
  return *this;
}

Statement& Statement::bind(int parameter, double value) {
  sqlite3_bind_double(statement_, parameter + 1, value);
  return *this;
}

// What is bound stays alive until reset(): nothing is copied.
Statement& Statement::bind(int parameter, std::string_view text) {
  sqlite3_bind_text(statement_, parameter + 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind(int parameter, std::span<const double> numbers) {
  sqlite3_bind_blob64(statement_, parameter + 1, numbers.data(), numbers.size_bytes(), SQLITE_STATIC);
  return *this;
}

Statement& Statement::bind_null(int parameter) {
  sqlite3_bind_null(statement_, parameter + 1);
  return *this;
}

bool Statement::step() {
  if (sqlite3_stmt_busy(statement_) == 0) steps_ = 0;
  Connection::Effort& effort = *connection_->effort_;
  std::int64_t* const outer = std::exchange(effort.spent, &steps_);
  const int code = sqlite3_step(statement_);
  effort.spent = outer;
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const std::string words = std::string(sqlite3_sql(statement_)) + ": " + connection_->trouble();
  sqlite3_reset(statement_);  // only now: it forgets what happened
  throw Failure("store '" + connection_->path_ + "': " + words);
}

void Statement::reset() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Statement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::number(int column) const { return sqlite3_column_double(statement_, column); }

std::string Statement::text(int column) const {
  const auto* start = sqlite3_column_text(statement_, column);
  if (!start) return {};
  return valid_utf8(
      {reinterpret_cast<const char*>(start), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))});
}

std::string_view Statement::bytes(int column) const {
  const void* start = sqlite3_column_blob(statement_, column);
  if (!start) return {};
  return {static_cast<const char*>(start), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace zeroth::sqlite
