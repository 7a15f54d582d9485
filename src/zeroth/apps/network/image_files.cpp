// SPDX-License-Identifier: MIT
//
// The files as their makers publish them. MNIST (LeCun and Cortes): idx, a big-endian header and raw bytes. CIFAR-10
// (Krizhevsky 2009), binary version: records of a label and 3 planes of 32 x 32.
#include <fmt/format.h>

#include <fstream>

#include "zeroth/apps/network/images.hpp"
#include "zeroth/core/error.hpp"

namespace zeroth {
namespace {

std::vector<std::uint8_t> bytes_of(const std::filesystem::path& file, const std::string& data) {
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in)
    throw Error(file.string(), fmt::format("not found; run 'zeroth data get {}' (or set ZEROTH_DATA to the directory "
                                           "that it was got into)",
                                           data));
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw Error(file.string(), "cannot be read to its end");
  return bytes;
}

std::uint32_t big_endian(const std::vector<std::uint8_t>& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[at + i];
  return value;
}

// The payload after an idx header of these numbers.
std::vector<std::uint8_t> idx(const std::filesystem::path& file, const std::vector<std::uint32_t>& header) {
  std::vector<std::uint8_t> bytes = bytes_of(file, "mnist");
  std::size_t size = 1;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i > 0) size *= header[i];
    if (bytes.size() < 4 * header.size() || big_endian(bytes, 4 * i) != header[i])
      throw Error(file.string(),
                  "is not the MNIST file of that name (its header differs); uncompressed files are needed");
  }
  const std::size_t begin = 4 * header.size();
  if (bytes.size() != begin + size)
    throw Error(file.string(), fmt::format("has {} bytes where {} are expected", bytes.size(), begin + size));
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin));
  return bytes;
}

void check_labels(const std::filesystem::path& file, const Images& images) {
  for (const std::uint8_t label : images.labels)
    if (label >= images.classes) throw Error(file.string(), fmt::format("holds the label {}, above 9", label));
}

}  // namespace

ImageSet read_mnist(const std::filesystem::path& directory) {
  const auto part = [&](const std::string& name, std::uint32_t count) {
    Images images;
    images.features = 28 * 28;
    images.shift = 33.3f;  // the mean byte: centred inputs train better
    images.pixels = idx(directory / (name + "-images-idx3-ubyte"), {2051, count, 28, 28});
    images.labels = idx(directory / (name + "-labels-idx1-ubyte"), {2049, count});
    check_labels(directory / (name + "-labels-idx1-ubyte"), images);
    return images;
  };
  return {part("train", 60000), part("t10k", 10000)};
}

ImageSet read_cifar10(const std::filesystem::path& directory) {
  constexpr std::size_t features = 3 * 32 * 32, record = 1 + features, count = 10000;
  const auto add = [&](const std::string& name, Images& images) {
    const auto file = directory / name;
    const auto bytes = bytes_of(file, "cifar10");
    if (bytes.size() != record * count)
      throw Error(file.string(), fmt::format("has {} bytes where {} are expected", bytes.size(), record * count));
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(i * record);
      images.labels.push_back(*at);
      images.pixels.insert(images.pixels.end(), at + 1, at + static_cast<std::ptrdiff_t>(record));
    }
    check_labels(file, images);
  };
  ImageSet set;
  for (Images* part : {&set.train, &set.test}) {
    part->features = features;
    part->shift = 120.7f;
  }
  set.train.pixels.reserve(5 * count * features);
  for (int batch = 1; batch <= 5; ++batch) add(fmt::format("data_batch_{}.bin", batch), set.train);
  add("test_batch.bin", set.test);
  return set;
}

}  // namespace zeroth
