// SPDX-License-Identifier: MIT
//
// A sound store after any SQL that somebody may have run on it: tables that are views, columns that compute, values of
// other types and sizes. It is read, or refused; it never runs on.
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "zeroth/core/error.hpp"
#include "zeroth/store/export.hpp"
#include "zeroth/store/store.hpp"

namespace {

using namespace zeroth;

const std::string& path() {
  static const std::string& name = *new std::string([] {
    const auto parent = std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                  : std::filesystem::temp_directory_path();
    std::string made = (parent / "zeroth-fuzz-XXXXXX").string();
    const std::string folder = ::mkdtemp(made.data());
    static const std::string& remembered = *new std::string(folder);
    std::atexit([] { std::filesystem::remove_all(remembered); });
    return folder + "/store.db";
  }());
  return name;
}

// The attacker's own tool has no limits; only his patience is ours.
int give_up(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

void tamper(const std::string& sql) {
  sqlite3* db = nullptr;
  if (sqlite3_open(path().c_str(), &db) == SQLITE_OK) {
    int left = 50;
    sqlite3_progress_handler(db, 10'000, &give_up, &left);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 10'000'000);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(db, "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF", nullptr, nullptr, nullptr);
    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(db);
}

// Made once: creating a store takes ten times as long as reading it.
std::string sound_store() {
  {
    Store store(path(), Store::Access::create);
    RunRow row;
    row.name = "p";
    row.identity = "{\"solver\":{\"budget\":9}}";
    row.names = R"({"variables":["a","b"],"constraints":["c"],"equalities":[]})";
    row.dimension = row.functions = 2;
    const auto id = store.begin_run(row);
    store.connection().run(
        "INSERT INTO answers(run, number, x, x_hash, noise, \"values\", seconds, worker, attempts) "
        "VALUES(1,0,zeroblob(16),1,2,zeroblob(16),0.5,0,1),(1,1,zeroblob(16),1,2,zeroblob(16),0.5,0,1)");
    store.connection().run("INSERT INTO trace VALUES(1, 5, zeroblob(16), x'', '{\"a\":1}')");
    store.end_run(id, "budget", "{}");
  }
  std::stringstream bytes;
  bytes << std::ifstream(path(), std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string& sound = *new std::string(sound_store());
  for (const char* suffix : {"-wal", "-shm", "-journal"}) std::filesystem::remove(path() + suffix);
  std::ofstream(path(), std::ios::binary | std::ios::trunc) << sound;
  tamper({reinterpret_cast<const char*>(data), size});
  const auto begin = std::chrono::steady_clock::now();
  for (const auto access : {Store::Access::existing, Store::Access::read}) try {
      Store store(path(), access);
      std::size_t length = 0;
      for (const RunRow& row : store.runs()) {
        export_csv(store, row, [&](const std::string& text) { length += text.size(); });
        export_json(store, row, [&](const std::string& text) { length += text.size(); });
      }
    } catch (const Error&) {
    } catch (const sqlite::Failure&) {
    }
  if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(15)) __builtin_trap();
  return 0;
}
