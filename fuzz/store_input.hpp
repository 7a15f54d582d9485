// SPDX-License-Identifier: MIT
//
// What the two fuzzers of stores share: a small sound store, and reading one as every command does.
#pragma once

#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "zeroth/core/error.hpp"
#include "zeroth/store/export.hpp"
#include "zeroth/store/store.hpp"

// Most of an input's time was the bookkeeping of blocks that SQLite allocates. Overflows and uses after free are seen
// as before, with shorter traces.
extern "C" const char* __asan_default_options() {
  return "malloc_context_size=2:max_malloc_fill_size=0:quarantine_size_mb=16";
}

namespace zeroth::fuzzing {

// A folder that is removed at the end; in memory where that is possible, because a disk's flushes take all of the time.
inline const std::string& folder() {
  static const std::string& path = *new std::string([] {  // outlives the handler below
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    const auto parent = std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                  : std::filesystem::temp_directory_path();
    std::string name = (parent / "zeroth-fuzz-XXXXXX").string();
    const std::string made = ::mkdtemp(name.data());
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return made;
  }());
  return path;
}

inline const std::string& store_path() {
  static const std::string& path = *new std::string(folder() + "/store.db");
  return path;
}

// The bytes of a store with one run of some answers. Pages of 512 bytes, so that a changed byte rarely falls into an
// empty one.
inline const std::string& sound_store() {
  static const std::string& bytes = *new std::string([] {
    const std::string path = folder() + "/sound.db";
    sqlite3* db = nullptr;
    sqlite3_open(path.c_str(), &db);
    sqlite3_exec(db, "PRAGMA page_size=512; VACUUM", nullptr, nullptr, nullptr);
    sqlite3_close(db);
    {
      Store store(path, Store::Access::create);
      RunRow row;
      row.name = "p";
      row.identity = R"({"solver":{"budget":9}})";
      row.names = R"({"variables":["a","b"],"constraints":["c"],"equalities":[]})";
      row.dimension = row.functions = 2;
      const auto id = store.begin_run(row);
      store.connection().run(
          "INSERT INTO answers(run, number, x, x_hash, noise, \"values\", failure, seconds, worker, attempts) VALUES"
          "(1,0,zeroblob(16),1,2,zeroblob(16),NULL,0.5,0,1),(1,1,zeroblob(16),1,2,zeroblob(16),NULL,0.5,0,1),"
          "(1,2,zeroblob(16),1,3,NULL,'it failed',0.5,0,1)");
      store.connection().run("INSERT INTO trace VALUES(1, 5, zeroblob(16), x'', '{\"a\":1}')");
      store.end_run(id, "budget", "{}");
    }
    std::stringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
  }());
  return bytes;
}

// Puts these bytes where the store is, without any log beside them.
inline void write_store(const std::string& bytes) {
  for (const char* suffix : {"-wal", "-shm", "-journal"}) ::unlink((store_path() + suffix).c_str());
  std::ofstream(store_path(), std::ios::binary | std::ios::trunc) << bytes;
}

// It is read, or refused by an exception that says why.
inline void read_store(Store::Access access) {
  try {
    Store store(store_path(), access);
    std::size_t length = 0;
    for (const RunRow& row : store.runs()) {
      export_csv(store, row, [&](const std::string& text) { length += text.size(); });
      export_json(store, row, [&](const std::string& text) { length += text.size(); });
    }
  } catch (const Error&) {
  } catch (const sqlite::Failure&) {
  }
}

}  // namespace zeroth::fuzzing
