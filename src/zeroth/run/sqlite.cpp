// SPDX-License-Identifier: MIT
#include "zeroth/run/sqlite.hpp"

#include <sqlite3.h>

#include <utility>

namespace zeroth::sqlite {

Connection::Connection(const std::string& path, bool read_only) : path_(path) {
  const int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) != SQLITE_OK) {
    const std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    handle_ = nullptr;
    throw Failure("cannot open the store '" + path + "': " + why);
  }
  sqlite3_busy_timeout(handle_, 60'000);  // two runs may share a store; each holds it for milliseconds
  sqlite3_extended_result_codes(handle_, 1);
}

Connection::Connection(Connection&& other) noexcept { *this = std::move(other); }

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

Connection::~Connection() { sqlite3_close_v2(handle_); }

void Connection::fail(const std::string& doing) const {
  throw Failure("store '" + path_ + "': " + doing + ": " + sqlite3_errmsg(handle_));
}

void Connection::run(const char* sql) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sql);
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
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  const std::string sql = sqlite3_sql(statement_);
  sqlite3_reset(statement_);
  connection_->fail(sql);
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
  return {reinterpret_cast<const char*>(start), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Statement::bytes(int column) const {
  const void* start = sqlite3_column_blob(statement_, column);
  if (!start) return {};
  return {static_cast<const char*>(start), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

}  // namespace zeroth::sqlite
