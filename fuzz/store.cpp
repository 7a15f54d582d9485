// SPDX-License-Identifier: MIT
//
// Any file as a store. An input is either the file itself or, because few random files get past SQLite's header, a list
// of bytes to overwrite in a sound one: 3 bytes of position and one of value each.
#include "zeroth/store/store.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "zeroth/core/error.hpp"
#include "zeroth/store/export.hpp"

namespace {

using namespace zeroth;

const std::string& folder() {
  static const std::string& path = *new std::string([] {  // outlives the handler below
    // In memory where that is possible: on a disk the store's flushes take all of a fuzzer's time.
    const auto parent = std::filesystem::is_directory("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                                  : std::filesystem::temp_directory_path();
    std::string name = (parent / "zeroth-fuzz-XXXXXX").string();
    const std::string made = ::mkdtemp(name.data());
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return made;
  }());
  return path;
}

std::string sound_store() {
  const std::string path = folder() + "/sound.db";
  {
    Store store(path, Store::Access::create);
    RunRow row;
    row.name = "p";
    row.identity = "{\"solver\":{\"budget\":9}}";
    row.names = R"({"variables":["a","b"],"constraints":["c"],"equalities":[]})";
    row.dimension = 2;
    row.functions = 2;
    const auto id = store.begin_run(row);
    for (int k = 0; k < 40; ++k)
      store.connection().run(
          ("INSERT INTO answers(run, number, x, x_hash, noise, \"values\", failure, seconds, worker, "
           "attempts) VALUES(" +
           std::to_string(id) + "," + std::to_string(k) +
           ",x'000000000000f03f000000000000f03f',1,2,x'000000000000f03f000000000000f03f',NULL,0.5,0,1)")
              .c_str());
    store.connection().run("INSERT INTO trace VALUES(1, 5, x'000000000000f03f', x'', '{\"a\":1}')");
    store.end_run(id, "budget", "{}");
  }
  std::stringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string sound = sound_store();
  std::string bytes;
  if (size > 0 && data[0] == 'S') {
    bytes.assign(reinterpret_cast<const char*>(data), size);
  } else {
    bytes = sound;
    for (std::size_t k = 1; k + 4 <= size; k += 4)
      bytes[(data[k] | data[k + 1] << 8 | data[k + 2] << 16) % bytes.size()] = static_cast<char>(data[k + 3]);
  }
  const std::string path = folder() + "/store.db";
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(path + suffix);
  std::ofstream(path, std::ios::binary) << bytes;
  try {
    Store store(path, Store::Access::existing);
    std::size_t length = 0;
    for (const RunRow& row : store.runs()) {
      export_csv(store, row, [&](const std::string& text) { length += text.size(); });
      export_json(store, row, [&](const std::string& text) { length += text.size(); });
    }
  } catch (const Error&) {
  } catch (const sqlite::Failure&) {
  }
  return 0;
}
