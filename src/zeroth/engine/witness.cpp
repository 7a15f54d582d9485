// SPDX-License-Identifier: MIT
#include "zeroth/engine/witness.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace zeroth {
namespace {

Witness& current() {
  static Witness one;
  return one;
}

}  // namespace

Overhearing::Overhearing(Witness witness) { current() = std::move(witness); }
Overhearing::~Overhearing() { current() = nullptr; }

const Witness& witness() { return current(); }

std::string output_excerpt(const FileExchange& exchange, const std::string& directory, std::string_view printed) {
  constexpr std::size_t most = 1000;
  std::string text;
  for (const std::string& name : exchange.outputs) {
    std::string part(printed.substr(0, name == "stdout" ? most : 0));
    if (name != "stdout") {
      std::ifstream stream(std::filesystem::path(directory) / name, std::ios::binary);
      part.resize(most);
      stream.read(part.data(), most);
      part.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
    }
    text += (text.empty() ? "" : "\n") + part;
  }
  return text;
}

}  // namespace zeroth
