// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "zeroth/core/vector.hpp"

namespace zeroth {

// Labelled images as bytes: what a network reads is (byte - shift)/255.
struct Images {
  Index features = 0, classes = 10;
  float shift = 0;
  std::vector<std::uint8_t> pixels;  // image after image
  std::vector<std::uint8_t> labels;

  Index size() const { return static_cast<Index>(labels.size()); }
  const std::uint8_t* image(Index i) const { return pixels.data() + i * features; }
};

struct ImageSet {
  Images train, test;
};

// The original files of a data set in `directory`, checked for their headers and sizes; an Error says what is missing
// and how to get it.
ImageSet read_mnist(const std::filesystem::path& directory);    // the four idx files
ImageSet read_cifar10(const std::filesystem::path& directory);  // the six files of the binary version

// Squares of 2 x 2 pixels become their mean, rounded: a quarter of the features. For images of colour planes.
Images halved(const Images& images, Index side, Index planes);

// A small set of the shape of MNIST, made from a seed: each class is a smooth random picture, all much alike, and an
// image is its picture moved by up to two pixels, in varying brightness, under noise.
ImageSet synthetic_images(Index train, Index test, std::uint64_t seed);

// "mnist", "cifar10", "cifar10-halved" or "synthetic", read once in a process and shared by all who ask.
std::shared_ptr<const ImageSet> image_set(const std::string& name, const std::filesystem::path& cache);

// A share of the training images, drawn by a seed, to train on; the others to validate with.
struct Split {
  std::vector<std::uint32_t> train, validation;
};
Split split(Index images, double share, std::uint64_t seed);

// Where `zeroth data get` puts data and problems look for it: $ZEROTH_DATA, else zeroth/ in $XDG_CACHE_HOME, else
// ~/.cache/zeroth.
std::filesystem::path data_cache();

}  // namespace zeroth
