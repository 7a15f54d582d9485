// SPDX-License-Identifier: MIT
#include "zeroth/apps/network/images.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <mutex>
#include <numeric>

#include "zeroth/core/error.hpp"
#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {

struct ImagesLabel {
  enum : std::uint64_t { picture = 1, train, test, split };
};

constexpr std::uint64_t synthetic_seed = 1;
constexpr Index synthetic_train = 3000, synthetic_test = 500;

double bilinear(const Matrix& grid, double row, double column) {
  const auto r = static_cast<Index>(row), c = static_cast<Index>(column);
  const double dr = row - static_cast<double>(r), dc = column - static_cast<double>(c);
  return (1 - dr) * ((1 - dc) * grid(r, c) + dc * grid(r, c + 1)) +
         dr * ((1 - dc) * grid(r + 1, c) + dc * grid(r + 1, c + 1));
}

}  // namespace

Images halved(const Images& images, Index side, Index planes) {
  Images small;
  small.features = images.features / 4;
  small.classes = images.classes;
  small.shift = images.shift;
  small.labels = images.labels;
  small.pixels.reserve(images.pixels.size() / 4);
  for (Index i = 0; i < images.size(); ++i)
    for (Index p = 0; p < planes; ++p)
      for (Index r = 0; r < side; r += 2)
        for (Index c = 0; c < side; c += 2) {
          const std::uint8_t* at = images.image(i) + p * side * side + r * side + c;
          const int sum = at[0] + at[1] + at[side] + at[side + 1];
          small.pixels.push_back(static_cast<std::uint8_t>((sum + 2) / 4));
        }
  return small;
}

ImageSet synthetic_images(Index train, Index test, std::uint64_t seed) {
  constexpr Index side = 28, classes = 10, knots = 9, reach = 2;
  constexpr double difference = 0.7;  // of a class from what all have in common
  // Pictures on a grid wide enough to be moved; random heights at coarse knots, smoothed between them.
  std::vector<Matrix> pictures;
  for (Index k = 0; k < classes; ++k) {
    Rng common(derive_key(seed, ImagesLabel::picture)),
        rng(derive_key(seed, ImagesLabel::picture, static_cast<std::uint64_t>(k + 1)));
    Matrix heights(knots, knots);
    for (Index i = 0; i < heights.size(); ++i)
      heights.data()[i] = std::max(0.0, common.normal() + difference * rng.normal());
    Matrix picture(side + 2 * reach, side + 2 * reach);
    for (Index r = 0; r < picture.rows(); ++r)
      for (Index c = 0; c < picture.cols(); ++c) picture(r, c) = bilinear(heights, 0.25 * double(r), 0.25 * double(c));
    pictures.push_back(picture);
  }
  const auto make = [&](Index count, std::uint64_t label) {
    Images set;
    set.features = side * side;
    set.classes = classes;
    for (Index i = 0; i < count; ++i) {
      Rng rng(derive_key(seed, label, static_cast<std::uint64_t>(i)));
      const Index k = i % classes;
      const auto down = static_cast<Index>(rng.below(2 * reach + 1)),
                 right = static_cast<Index>(rng.below(2 * reach + 1));
      const double light = rng.uniform(50, 110);
      set.labels.push_back(static_cast<std::uint8_t>(k));
      for (Index r = 0; r < side; ++r)
        for (Index c = 0; c < side; ++c) {
          const double value = light * pictures[static_cast<std::size_t>(k)](r + down, c + right) + 50 * rng.normal();
          set.pixels.push_back(static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0))));
        }
    }
    return set;
  };
  return {make(train, ImagesLabel::train), make(test, ImagesLabel::test)};
}

std::shared_ptr<const ImageSet> image_set(const std::string& name, const std::filesystem::path& cache) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::filesystem::path>, std::shared_ptr<const ImageSet>> read;
  const std::lock_guard lock(mutex);
  auto& set = read[{name, cache}];
  if (set) return set;
  if (name == "mnist") set = std::make_shared<const ImageSet>(read_mnist(cache / "mnist"));
  if (name == "cifar10") set = std::make_shared<const ImageSet>(read_cifar10(cache / "cifar-10-batches-bin"));
  if (name == "cifar10-halved") {
    const ImageSet whole = read_cifar10(cache / "cifar-10-batches-bin");
    set = std::make_shared<const ImageSet>(ImageSet{halved(whole.train, 32, 3), halved(whole.test, 32, 3)});
  }
  if (name == "synthetic")
    set = std::make_shared<const ImageSet>(synthetic_images(synthetic_train, synthetic_test, synthetic_seed));
  if (!set) throw Error("there are no images named '" + name + "'; there are mnist, cifar10 and synthetic");
  return set;
}

Split split(Index images, double share, std::uint64_t seed) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(images));
  std::iota(order.begin(), order.end(), 0u);
  Rng rng(derive_key(seed, ImagesLabel::split));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  const auto middle = order.begin() + std::lround(share * static_cast<double>(images));
  return {{order.begin(), middle}, {middle, order.end()}};
}

std::filesystem::path data_cache() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (const auto data = variable("ZEROTH_DATA"); !data.empty()) return data;
  if (const auto cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache / "zeroth";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "zeroth";
  return ".zeroth-data";
}

}  // namespace zeroth
