// SPDX-License-Identifier: MIT
//
// Any file as a store. An input is either the file itself or, because few random files get past SQLite's header, a list
// of bytes to overwrite in a sound one: 3 bytes of position and one of value each.
#include <cstdint>

#include "store_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace zeroth;
  std::string bytes;
  if (size > 0 && data[0] == 'S') {
    bytes.assign(reinterpret_cast<const char*>(data), size);
  } else {
    bytes = fuzzing::sound_store();
    for (std::size_t k = 1; k + 4 <= size; k += 4)
      bytes[(data[k] | data[k + 1] << 8 | data[k + 2] << 16) % bytes.size()] = static_cast<char>(data[k + 3]);
  }
  fuzzing::write_store(bytes);
  fuzzing::read_store(Store::Access::existing);
  return 0;
}
