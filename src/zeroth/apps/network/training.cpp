// SPDX-License-Identifier: MIT
#include "zeroth/apps/network/training.hpp"

#include <algorithm>
#include <cmath>

#include "zeroth/core/random.hpp"

namespace zeroth {
namespace {

struct TrainingLabel {
  enum : std::uint64_t { weights = 1, order, dropout };
};

void read_image(const Images& images, Index row, float* out) {
  const std::uint8_t* const pixel = images.image(row);
  for (Index i = 0; i < images.features; ++i) out[i] = (static_cast<float>(pixel[i]) - images.shift) * (1.0f / 255);
}

}  // namespace

Training::Training(const Images& images, std::span<const std::uint32_t> rows, const NetworkSetting& setting,
                   std::int64_t iterations, std::uint64_t key, Index batch)
    : images_(images),
      setting_(setting),
      iterations_(iterations),
      key_(key),
      network_({images.features, setting.hidden, images.classes}, batch),
      order_(rows.begin(), rows.end()),
      labels_(static_cast<std::size_t>(batch)) {
  network_.initialize(derive_key(key, TrainingLabel::weights));
  for (std::size_t l = 0; l < 4; ++l) {
    const auto& layer = network_.layers()[l];
    velocity_[l].setZero(layer.weights.rows(), layer.weights.cols());
    bias_velocity_[l].setZero(layer.bias.size());
  }
  shuffle();
}

void Training::shuffle() {
  Rng rng(derive_key(key_, TrainingLabel::order, epoch_++));
  for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng.below(i)]);
  next_ = 0;
}

void Training::gather() {
  for (std::size_t j = 0; j < labels_.size(); ++j) {
    if (next_ == order_.size()) shuffle();
    const Index row = order_[next_++];
    labels_[j] = images_.labels[static_cast<std::size_t>(row)];
    read_image(images_, row, network_.input().col(static_cast<Index>(j)).data());
  }
}

void Training::step() {
  gather();
  const auto t = static_cast<double>(t_);
  const double way = iterations_ > 1 ? t / static_cast<double>(iterations_ - 1) : 0;
  loss_ = network_.loss(labels_, {setting_.dropout_input, setting_.dropout_hidden,
                                  derive_key(key_, TrainingLabel::dropout, static_cast<std::uint64_t>(t_))});
  ++t_;
  diverged_ = !std::isfinite(loss_);
  if (diverged_) return;
  network_.backward();
  update(setting_.learning_rate / (1 + setting_.decay * t),
         setting_.momentum_initial + way * (setting_.momentum_final - setting_.momentum_initial));
}

void Training::update(double rate, double momentum) {
  const auto eta = static_cast<float>(rate), mu = static_cast<float>(momentum);
  const auto shrink = static_cast<float>(rate * setting_.weight_decay), longest = static_cast<float>(setting_.max_norm);
  for (std::size_t l = 0; l < 4; ++l) {
    auto& layer = network_.layers()[l];
    for (Index unit = 0; unit < layer.weights.cols(); ++unit) {  // one unit at a time, while it is in the cache
      auto w = layer.weights.col(unit);
      auto v = velocity_[l].col(unit);
      v = mu * v - eta * layer.weight_gradient.col(unit) - shrink * w;
      w += v;
      const float norm = w.norm();
      if (norm > longest) w *= longest / norm;
    }
    bias_velocity_[l] = mu * bias_velocity_[l] - eta * layer.bias_gradient;
    layer.bias += bias_velocity_[l];
  }
}

double error_percent(Network<float>& network, const Images& images, std::span<const std::uint32_t> rows) {
  const Index count = rows.empty() ? images.size() : static_cast<Index>(rows.size());
  const auto row = [&](Index i) { return rows.empty() ? i : static_cast<Index>(rows[static_cast<std::size_t>(i)]); };
  Index wrong = 0;
  for (Index begin = 0; begin < count; begin += network.batch()) {
    const Index now = std::min(network.batch(), count - begin);
    for (Index j = 0; j < now; ++j) read_image(images, row(begin + j), network.input().col(j).data());
    network.predict();
    for (Index j = 0; j < now; ++j) {
      Index best = 0;
      network.scores().col(j).maxCoeff(&best);
      wrong += best == images.labels[static_cast<std::size_t>(row(begin + j))] ? 0 : 1;
    }
  }
  return 100 * static_cast<double>(wrong) / static_cast<double>(count);
}

}  // namespace zeroth
