// SPDX-License-Identifier: MIT
//
// A sound store after any SQL that somebody may have run on it: tables that are views, columns that compute, values of
// other types and sizes. It is read, or refused; it never runs on.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "store_input.hpp"

namespace {

using namespace zeroth;

// The attacker's own tool has no limits; only his patience is ours.
int give_up(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

// In memory, where nothing is locked or flushed; there is no log there, so the file says that it has none (bytes 18,
// 19).
std::string tampered(std::string bytes, const std::string& sql) {
  bytes[18] = bytes[19] = 1;
  sqlite3* db = nullptr;
  sqlite3_open(":memory:", &db);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 10'000'000);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  auto* const copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  std::memcpy(copy, bytes.data(), bytes.size());
  sqlite3_deserialize(db, "main", copy, static_cast<sqlite3_int64>(bytes.size()),
                      static_cast<sqlite3_int64>(bytes.size()),
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_int64 most = 10'000'000, size = 0;
  sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
  int left = 50;
  sqlite3_progress_handler(db, 10'000, &give_up, &left);
  std::istringstream lines(sql);  // one by one: what fails does not keep the next from being run
  for (std::string line; std::getline(lines, line);) sqlite3_exec(db, line.c_str(), nullptr, nullptr, nullptr);
  sqlite3_exec(db, "COMMIT", nullptr, nullptr, nullptr);
  if (unsigned char* const after = sqlite3_serialize(db, "main", &size, 0)) {
    bytes.assign(reinterpret_cast<const char*>(after), static_cast<std::size_t>(size));
    sqlite3_free(after);
  }
  sqlite3_close(db);
  if (bytes.size() > 19) bytes[18] = bytes[19] = 2;
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = tampered(fuzzing::sound_store(), {reinterpret_cast<const char*>(data), size});
  if (bytes == fuzzing::sound_store()) return 0;  // it did nothing
  fuzzing::write_store(bytes);
  const auto begin = std::chrono::steady_clock::now();
  for (const auto access : {Store::Access::existing, Store::Access::read}) fuzzing::read_store(access);
  if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(15)) __builtin_trap();
  return 0;
}
