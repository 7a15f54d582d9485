// SPDX-License-Identifier: MIT
#include "zeroth/store/questions.hpp"

#include <fmt/format.h>

#include <bit>

namespace zeroth {
namespace {

constexpr const char* select =
    "SELECT q.id, q.run, q.number, q.x, q.x_hash, q.noise, q.asked, a.number IS NOT NULL, q.wanted FROM questions q "
    "LEFT JOIN answers a ON a.run = q.run AND a.number = q.number WHERE q.number >= 0 AND ";

StoredQuestion read(const sqlite::Statement& row) {
  StoredQuestion q;
  q.id = row.integer(0);
  q.run = row.integer(1);
  q.number = row.integer(2);
  q.x = numbers_in(row.bytes(3));
  q.x_hash = std::bit_cast<std::uint64_t>(row.integer(4));
  q.noise = std::bit_cast<std::uint64_t>(row.integer(5));
  q.asked = row.text(6);
  q.answered = row.integer(7) != 0;
  for (const char flag : row.text(8)) q.wanted.push_back(flag == '1' ? 1 : 0);
  return q;
}

// All or nothing, and on the disk when it returns.
template <class Work>
void in_transaction(Store& store, const Work& work) {
  store.connection().run("BEGIN IMMEDIATE");
  try {
    work();
    store.connection().run("COMMIT");
  } catch (...) {
    if (store.connection().in_transaction()) store.connection().run("ROLLBACK");
    throw;
  }
  store.sync();
}

}  // namespace

std::vector<StoredQuestion> questions_of(Store& store, std::int64_t run, bool all) {
  sqlite::Statement rows(store.connection(),
                         fmt::format("{}q.run = ? {}ORDER BY q.number", select, all ? "" : "AND a.number IS NULL "));
  rows.bind(0, run);
  std::vector<StoredQuestion> questions;
  while (rows.step()) questions.push_back(read(rows));
  return questions;
}

std::optional<StoredQuestion> question(Store& store, std::int64_t id) {
  sqlite::Statement row(store.connection(), fmt::format("{}q.id = ?", select));
  row.bind(0, id);
  if (!row.step()) return {};
  return read(row);
}

void keep_questions(Store& store, std::span<StoredQuestion> questions) {
  if (questions.empty()) return;
  in_transaction(store, [&] {
    sqlite::Statement insert(
        store.connection(),
        "INSERT OR IGNORE INTO questions(run, number, x, x_hash, noise, wanted) VALUES(?,?,?,?,?,?)");
    sqlite::Statement find(store.connection(), "SELECT id FROM questions WHERE run = ? AND number = ?");
    for (StoredQuestion& q : questions) {
      insert.bind(0, q.run).bind(1, q.number);
      if (q.x.empty()) insert.bind_null(2);
      else insert.bind(2, std::span<const double>(q.x));
      insert.bind(3, std::bit_cast<std::int64_t>(q.x_hash)).bind(4, std::bit_cast<std::int64_t>(q.noise));
      std::string flags;
      for (const std::uint8_t flag : q.wanted) flags += flag != 0 ? '1' : '0';
      if (flags.empty()) insert.bind_null(5);
      else insert.bind(5, flags);
      insert.execute();
      find.bind(0, q.run).bind(1, q.number);
      if (find.step()) q.id = find.integer(0);
      find.reset();
    }
  });
}

void mark_asked(Store& store, std::span<const StoredQuestion> questions) {
  if (questions.empty()) return;
  in_transaction(store, [&] {
    sqlite::Statement update(store.connection(), "UPDATE questions SET asked = ? WHERE id = ?");
    const std::string time = now();
    for (const StoredQuestion& q : questions) update.bind(0, std::string_view(time)).bind(1, q.id).execute();
  });
}

void take_back(Store& store, std::int64_t id) {
  in_transaction(store, [&] {
    sqlite::Statement update(store.connection(), "UPDATE questions SET asked = NULL WHERE id = ?");
    update.bind(0, id).execute();
  });
}

std::int64_t waiting_questions(Store& store, std::int64_t run) {
  sqlite::Statement row(store.connection(),
                        "SELECT count(*) FROM questions q LEFT JOIN answers a ON a.run = q.run AND a.number = q.number "
                        "WHERE q.run = ? AND q.asked IS NOT NULL AND a.number IS NULL");
  row.bind(0, run);
  return row.step() ? row.integer(0) : 0;
}

}  // namespace zeroth
