// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace zeroth::sqlite {

// The disk or the file failed, not the user's input.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Connection {
 public:
  Connection() = default;
  Connection(const std::string& path, bool read_only);
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;
  ~Connection();

  void run(const char* sql);
  std::int64_t integer(const char* sql);  // of a query with one number
  std::int64_t last_row() const;
  bool in_transaction() const;
  sqlite3* handle() const { return handle_; }
  [[noreturn]] void fail(const std::string& doing) const;

 private:
  sqlite3* handle_ = nullptr;
  std::string path_;
};

// A prepared statement, used over and over. Columns and parameters count from 0.
class Statement {
 public:
  Statement() = default;
  Statement(Connection& connection, std::string_view sql);
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, int value) { return bind(parameter, static_cast<std::int64_t>(value)); }
  Statement& bind(int parameter, double value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::span<const double> numbers);
  Statement& bind_null(int parameter);

  bool step();  // true: a row is there
  void reset();
  void execute() {
    step();
    reset();
  }

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double number(int column) const;
  std::string text(int column) const;
  std::string_view bytes(int column) const;  // valid until the next step

 private:
  Connection* connection_ = nullptr;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace zeroth::sqlite
